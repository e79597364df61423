/** The option adapt, where the rate changes within a session: sizes follow it, and take no more memory; all items arrive in order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { storedBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { launchPooled } from "../../../support/thread-pool.ts";
import { BURST_ITEM_BYTES, type Bursts, type BurstsPlayed, type Phase, playBursts } from "../support/bursts.ts";
import { playVirtually } from "../support/seats.ts";

const adapting = suite("adapt in bursts");

const ORDERS: readonly (readonly Phase[])[] = [
  ["burst", "low"],
  ["low", "burst", "low"],
];
const US = 1000;

/** The sizes have gone where the rate has gone. */
function checkSizes({ ends }: BurstsPlayed, phases: readonly Phase[]): void {
  assert.equal(
    ends.map(({ phase }) => phase),
    phases,
  );
  for (const [i, { phase, adapted }] of ends.entries()) {
    const { bytes } = adapted;
    const isRight = phase === "burst" ? bytes >= 4 * BURST_ITEM_BYTES : bytes <= BURST_ITEM_BYTES;
    assert.ok(isRight, `${phase}: ${JSON.stringify(adapted)}`);
    assert.ok(adapted.changed > (ends[i - 1]?.adapted.changed ?? 0));
  }
}

const ROUTES: readonly (readonly [options: ConveyorOptions, isElastic: boolean, links: readonly number[]])[] = [
  [{}, false, [4]],
  [{ buffersPerLink: 4 }, true, [4]],
  [{ hops: 2, groupSize: 2 }, false, [2, 2]],
  [{ hops: 2, groupSize: 2 }, true, [2, 2]],
  [{ mesh: [2, 2] }, true, [1, 2]],
  [{ mesh: [2, 2], buffersPerLink: 1 }, false, [1, 2]],
];
for (const [options, isElastic, links] of ROUTES) {
  for (const phases of ORDERS) {
    adapting(`${phases.join(", ")}, ${isElastic ? "elastic" : "rigid"}: ${JSON.stringify(options)}`, () => {
      const { buffersPerLink = 2 } = options;
      const maxBytes = 100_000;
      const own: Bursts = {
        options: { ...options, bufferBytes: 4096, maxBytes },
        ...{ isElastic, phases },
      };
      const { results, conveyors, peakBytes } = playVirtually({ pes: 4, seed: 3 }, (pe) =>
        playBursts(pe, { now: () => pe.now, work: (ns) => pe.work(ns) }, own),
      );
      for (const played of results) {
        checkSizes(played, phases);
        const { delays, longest, settled } = played;
        // each hop twice its delay at most, and some turns
        const most = delays.reduce((sum, delay) => sum + 2 * delay, 0) + 30 * US;
        assert.ok(longest <= most, `an item took ${longest} ns, at most ${most}`);
        // an item leaves as soon as there is another buffer to be filled, unless it comes past a PE that is in its burst later
        const areTogether = links.length === 1 || phases[0] === "burst";
        if (buffersPerLink > 1 && areTogether) assert.ok(settled <= 30 * US, `an item took ${settled} ns`);
      }
      for (const [hop, { peakBuffers, peakBufferBytes }] of conveyors[0].hops.entries()) {
        assert.ok(peakBuffers <= links[hop] * buffersPerLink, `${peakBuffers} buffers at hop ${hop}`);
        assert.is(peakBufferBytes, peakBuffers * storedBytes(4096));
      }
      assert.ok(peakBytes <= 4 * maxBytes, `${peakBytes}`);
    });
  }
}

for (const [pes, ways] of [
  [2, [{}]],
  [4, [{ hops: 2, groupSize: 2 }]],
] as const) {
  adapting(`${pes} threads`, async () => {
    const args: Bursts[] = [];
    for (const way of ways) {
      for (const [isElastic, phases] of ORDERS.entries()) {
        const options = { ...way, bufferBytes: 16_384, maxBytes: 400_000 };
        args.push({ options, isElastic: isElastic === 1, phases });
      }
    }
    const program = sibling("../programs/bursts.program.js", import.meta.url);
    const results = await launchPooled<BurstsPlayed[]>(program, { pes, args, waitTimeout: 60_000 });
    for (const played of results) {
      for (const [which, one] of played.entries()) checkSizes(one, args[which].phases);
    }
    if (process.env.TUNDISH_TEST_TIMES) console.log(JSON.stringify(results, null, 1));
  });
}

adapting.run();
