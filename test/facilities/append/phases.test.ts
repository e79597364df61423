/** Append buffers: every byte comes once, no two pushes overlap, nothing is written beyond the end (support/phases.ts). */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import type { Args } from "./programs/phases.program.ts";
import { phasesOf, playPhases } from "./support/phases.ts";

const program = sibling("./programs/phases.program.js", import.meta.url);
const test = suite("append, in phases");

/** Seeds of a world whose calls block; the long run plays 10^5 phases on 2, 4 and 8 PEs. */
const SEEDS = rounds(15, 17_000);

/** Whether much is pushed into little room, so that some is refused. */
function overflows(seed: number): boolean {
  const { overflow, room, most, pushes } = phasesOf(seed);
  return overflow === "error" && room < 0.5 && most >= 40 && pushes >= 10;
}

/** Drawn, with such a seed among them. */
let first = Math.floor(Math.random() * 2 ** 30);
while (!Array.from({ length: SEEDS }, (_, i) => first + i).some(overflows)) first++;

for (const pes of [1, 2, 4, 8]) {
  for (const isAsync of [false, true]) {
    const count = isAsync ? rounds(3, 500) : SEEDS;
    test(`${pes} PEs on threads${isAsync ? ", Async forms" : ""}: all that is pushed comes once`, async () => {
      const args: Args = { first, count, more: { isAsync } };
      const all = await launch<[number, number, number]>(program, {
        pes,
        args,
        timeout: rounds(60_000, 3_600_000),
      });
      const sums = [0, 1, 2].map((i) => all.reduce((sum, one) => sum + (one[i] as number), 0));
      assert.ok(sums[0] >= count * pes && (isAsync || sums[1] > 0), `seed ${first}: ${sums}`);
      if (pes > 1 && !isAsync) assert.ok(sums[2] > 0, `no push was refused, seed ${first}`);
    });
  }
}

test("virtual PEs: reservation, copy and completion in any order", async () => {
  for (let seed = first; seed < first + rounds(60, 100_000); seed++) {
    const pes = 1 + (seed % 6);
    const args = phasesOf(seed, { isAsync: true, pushes: 1 + (seed % 7) });
    await simulateAsync({ pes, seed, jitter: seed % 5, memoryBytes: 2 ** 25 }, (pe) => playPhases(pe, args));
  }
});

test.run();
