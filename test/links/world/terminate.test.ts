/**
 * Threads that are ended while they begin, in a process that must live: before it was so, it was aborted by koffi, by one of 16
 * threads that joined, one of 38 that launched and one of 37 runs whose PEs launched; and by Node 20 by one of some that made their first group.
 *
 * TUNDISH_TEST_LONG=1: more rounds, and PEs that launch, of which each round takes half a second.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import type { Way } from "./terminated.program.ts";

const program = fileURLToPath(new URL("./terminated.program.js", import.meta.url));

const test = suite("terminate");
for (const [way, count] of [
  ["join", rounds(20, 1000)],
  ["launch", rounds(12, 400)],
  ["group", rounds(15, 1000)],
  ["PE", rounds(0, 100)],
] as [Way, number][]) {
  if (count === 0) continue;
  test(`${count} rounds: ${way}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, way, String(count)], {
      timeout: 240_000,
    });
    assert.is(stdout.length, count);
  });
}
test.run();
