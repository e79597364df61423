/** Ordered broadcasts: all members deliver the same messages in the same order (support/play.ts), on threads and on virtual PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../../support/long.ts";
import type { Args } from "./programs/play.program.ts";
import { checkSame } from "./support/check.ts";
import { type Delivered, play, playOf } from "./support/play.ts";

const program = sibling("./programs/play.program.js", import.meta.url);
const test = suite("ordered broadcasts");
const first = Math.floor(Math.random() * 2 ** 30);
/** A PE whose message has more parts, all with room at once, than waits between two turns of the event loop. */
const ROOM_AT_ONCE = 500_000_412;

for (const [pes, forms, count, trees = "adaptive"] of [
  [1, "try", rounds(20, 100)],
  [2, "try", rounds(4, 2000)],
  [2, "blocking", rounds(4, 2000)],
  [3, "async", rounds(3, 300)],
  [5, "try", rounds(3, 300), "binary"],
  [4, "blocking", rounds(3, 300)],
  [6, "blocking", rounds(2, 200), "fibonacci"],
  [8, "async", rounds(2, 60), "binary"],
] as const) {
  test(`${pes} PEs on threads, ${forms} forms, ${trees} trees`, async () => {
    const args: Args = { first, count, more: { forms } };
    const timeout = rounds(60_000, 3_600_000);
    const all = await launch<Delivered[]>(program, { pes, args, timeout, trees });
    // one PE alone may have none in some of the rounds
    assert.ok(checkSame(all, `seed ${first}`) > (pes === 1 ? 0 : count), `seed ${first}`);
  });
}

for (const forms of ["try", "async"] as const) {
  test(`virtual PEs, of one node and of several, ${forms} forms`, async () => {
    const seeds = [ROOM_AT_ONCE, ...Array.from({ length: rounds(3, 5000) }, (_, i) => first + i)];
    for (const seed of seeds) {
      const nodes = 1 + (seed % 3);
      const pes = nodes * (1 + (seed % 4));
      const how = playOf(seed, { forms, messages: 15, stalls: false });
      const stall = { kind: "stall", pe: seed % pes, at: 2000, lasting: 5000 } as const;
      const faults = seed % 2 === 0 ? [stall] : [];
      const options = { pes, nodes, seed, jitter: seed % 5, memoryBytes: 2 ** 28, faults };
      const { results } = await simulateAsync(options, (pe) =>
        // a turn of each, and virtual time
        play(pe, how, async (isDone) => (await pe.allreduceAsync(isDone ? 0 : 1, "sum")) === 0),
      ).catch((error: Error) => {
        throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
      });
      checkSame(
        results.map((one) => [one]),
        `seed ${seed}`,
      );
    }
  });
}
test.run();
