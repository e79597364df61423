/** Barrier: nobody leaves before the last has entered, whatever the algorithm, the tree and the number of PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { Trees } from "../../trees/model/types.ts";
import type { Args } from "./programs/barrier.program.ts";
import { ALGORITHMS, chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

const program = sibling("./programs/barrier.program.js", import.meta.url);

async function check(pes: number, trees: Trees | undefined, args: Args): Promise<void> {
  const common = { pes, args, timeout: 100_000, waitTimeout: 60_000 };
  const counts = await launch(program, trees ? { ...common, trees } : common);
  assert.equal(counts, Array(pes).fill(args.rounds * pes));
}

const long = suite("many barriers");
for (const [name, make] of [
  ["tree", (n: number) => treesOf(n, "smelt")],
  ["dissemination", disseminating],
  ["hybrid", hybrid],
] as const) {
  long(`${name}: 100 000 rounds, 2 PEs`, () => check(2, make(2), { rounds: 100_000 }));
  long(`${name}: 10 000 rounds, 8 PEs on the cores there are`, () => check(8, make(8), { rounds: 10_000 }));
  long(`${name}: latecomers, 3 PEs`, () => check(3, make(3), { rounds: 2000, late: 200_000 }));
}
long("as planned for this machine: 10 000 rounds, a PE per core", async () => {
  const counts = await launch(program, { args: { rounds: 10_000 }, timeout: 60_000 });
  assert.equal(counts, Array(counts.length).fill(10_000 * counts.length));
});
long.run();

for (const pes of [1, 2, 3, 4, 7]) {
  const barriers = suite(`barrier of ${pes} PEs`);
  const rounds = 200;
  for (const algorithm of ALGORITHMS) {
    barriers(`trees: ${algorithm}`, () => check(pes, treesOf(pes, algorithm), { rounds }));
  }
  barriers("hybrid", () => check(pes, hybrid(pes), { rounds }));
  barriers("dissemination", () => check(pes, disseminating(pes), { rounds }));
  barriers("two chains, one up and the other way down", () => check(pes, chain(pes), { rounds }));
  barriers.run();
}
