/** Broadcast: everything arrives, unchanged, everywhere, in the order in which it was sent. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { rounds } from "../support/long.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args } from "./programs/broadcast.program.ts";
import { chain } from "./support/plans.ts";

const program = sibling("./programs/broadcast.program.js", import.meta.url);

async function check(pes: number, args: Args, expected: number, trees?: Trees): Promise<void> {
  const counts = await launchPooled(program, { pes, args, waitTimeout: 60_000, ...(trees && { trees }) });
  assert.equal(counts, Array(pes).fill(expected));
}

const order = suite("atomic broadcast");
for (const [pes, count] of [
  [2, rounds(15_000, 100_000)],
  [4, rounds(10_000, 100_000)],
  [8, rounds(2000, 5000)],
] as const) {
  order(`${count} broadcasts of one root arrive in the same order at ${pes} PEs`, () =>
    check(pes, { part: "order", rounds: count }, count),
  );
}
for (const slow of [0, 1, 2]) {
  order(`PE ${slow} of 3 lingers, the root runs ahead and is held back`, () =>
    check(3, { part: "order", rounds: 6000, slow }, 6000),
  );
}
for (const root of [1, 4]) {
  order(`from PE ${root} of 5, which is not the root of the tree`, () =>
    check(5, { part: "order", rounds: 3000, root, slow: 2 }, 3000, chain(5)),
  );
}
order.run();

const values = suite("broadcast values");
for (const pes of [1, 2, 5]) {
  values(`odd numbers from every root, ${pes} PEs`, () => check(pes, { part: "numbers" }, 9 * pes));
}
for (const pes of [2, 3]) {
  values(`bytes at every misalignment, ${pes} PEs`, () => check(pes, { part: "bytes" }, 16 * 8));
}
values.run();
