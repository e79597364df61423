/** The tests of cases that one world plays in turn (in-turn.ts). */
import * as assert from "uvu/assert";
import type { Step } from "./in-turn.ts";
import { launchPooled } from "./thread-pool.ts";

/** More than any case needs. */
const HEAP_BYTES = 2 ** 26;

/** A test for each case of one world of `pes` PEs, which starts with the first. Every PE is to give what is expected. */
export function testInTurn<Args extends Step>(
  test: (name: string, body: () => Promise<void>) => void,
  program: URL,
  pes: number,
  cases: readonly (readonly [name: string, args: Args, expected: unknown])[],
): void {
  let world: Promise<unknown[][]> | undefined;
  for (const [i, [name, , expected]] of cases.entries()) {
    test(`${name}, ${pes} PEs`, async () => {
      world ??= launchPooled<unknown[]>(program, {
        pes,
        args: cases.map(([, args]) => args),
        heapBytes: HEAP_BYTES,
        waitTimeout: 60_000,
      });
      assert.equal(
        (await world).map((results) => results[i]),
        new Array(pes).fill(expected),
      );
    });
  }
}
