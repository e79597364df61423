/** Barrier: nobody leaves before the last has entered, whatever the algorithm, the tree and the number of PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { rounds } from "../support/long.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args } from "./programs/barrier.program.ts";
import { ALGORITHMS, chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

const program = sibling("./programs/barrier.program.js", import.meta.url);

async function check(pes: number, trees: Trees, args: Args): Promise<void> {
  const counts = await launchPooled(program, { pes, args, trees, waitTimeout: 60_000 });
  assert.equal(counts, Array(pes).fill(args.rounds * pes));
}

const MANY = rounds(4000, 100_000);
const CROWDED = rounds(400, 10_000);
const LATE = rounds(500, 2000);

const long = suite("many barriers");
for (const [name, make] of [
  ["tree", (n: number) => treesOf(n, "smelt")],
  ["dissemination", disseminating],
  ["hybrid", hybrid],
] as const) {
  long(`${name}: ${MANY} rounds, 2 PEs`, () => check(2, make(2), { rounds: MANY }));
  long(`${name}: ${CROWDED} rounds, 8 PEs on the cores there are`, () => check(8, make(8), { rounds: CROWDED }));
  long(`${name}: latecomers, 3 PEs`, () => check(3, make(3), { rounds: LATE, late: 200_000 }));
}
long(`as planned for this machine: ${CROWDED} rounds, a PE per core`, async () => {
  const counts = await launch(program, { args: { rounds: CROWDED }, timeout: 60_000 });
  assert.equal(counts, Array(counts.length).fill(CROWDED * counts.length));
});
long.run();

for (const pes of [1, 2, 3, 4, 7]) {
  const barriers = suite(`barrier of ${pes} PEs`);
  const args = { rounds: 50 };
  for (const algorithm of ALGORITHMS) {
    barriers(`trees: ${algorithm}`, () => check(pes, treesOf(pes, algorithm), args));
  }
  barriers("hybrid", () => check(pes, hybrid(pes), args));
  barriers("dissemination", () => check(pes, disseminating(pes), args));
  barriers("two chains, one up and the other way down", () => check(pes, chain(pes), args));
  barriers.run();
}
