/**
 * A test of something that a machine may lack. The skip is printed with its reason, so that the
 * runner can count it and CI can refuse it (TUNDISH_TEST_REQUIRE).
 */
import type { Callback, Test } from "uvu";

/** Registers the test, or prints `SKIP name: reason` when `reason` is given. */
export function testUnless(test: Test, reason: string | null, name: string, body: Callback): void {
  if (reason === null) test(name, body);
  else skip(name, reason);
}

/** Prints that something is not tested here, and why. */
export function skip(name: string, reason: string): void {
  console.log(`SKIP ${name}: ${reason}`);
}
