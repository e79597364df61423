/** Channels: every message arrives once, whole, and in order (support/streams.ts), on threads, over nodes and on virtual PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import type { Args } from "./programs/streams.program.ts";
import { playStreams, streamsOf } from "./support/streams.ts";

const program = sibling("./programs/streams.program.js", import.meta.url);
const test = suite("channels");
const first = Math.floor(Math.random() * 2 ** 30);

for (const [pes, forms, count] of [
  [2, "try", rounds(10, 3000)],
  [2, "blocking", rounds(10, 3000)],
  [2, "async", rounds(5, 500)],
  [5, "try", rounds(4, 300)],
  [4, "async", rounds(2, 100)],
] as const) {
  test(`${pes} PEs on threads, ${forms} forms`, async () => {
    const args: Args = { first, count, more: { forms } };
    const all = await launch<[number, number]>(program, { pes, args, timeout: rounds(60_000, 3_600_000) });
    const [sent, received] = [0, 1].map((i) => all.reduce((sum, one) => sum + (one[i] as number), 0));
    assert.is(sent, received, `seed ${first}`);
    assert.ok(sent > count * pes, `seed ${first}: ${sent} messages`);
  });
}

test("virtual PEs, of one node and of several", async () => {
  for (let seed = first; seed < first + rounds(12, 10_000); seed++) {
    const nodes = 1 + (seed % 3);
    const pes = nodes * (1 + (seed % 2)) + (nodes === 1 ? 1 : 0);
    const how = streamsOf(seed, { forms: "async", messages: 20 });
    const options = { pes, nodes, seed, jitter: seed % 5, memoryBytes: 2 ** 28 };
    const { results } = await simulateAsync(options, (pe) => playStreams(pe, how));
    const [sent, received] = [0, 1].map((i) => results.reduce((sum, one) => sum + (one[i] as number), 0));
    assert.is(sent, received, `seed ${seed}`);
  }
});
test.run();
