/** Append buffers over nodes: what is pushed comes once, whatever carries it; and what happens while an owner computes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { eachMpi } from "../mpi/launchers.ts";
import { job } from "../nodes/jobs.ts";
import { rounds } from "../support/long.ts";
import type { Args } from "./programs/nodes.program.ts";

const program = sibling("./programs/nodes.program.js", import.meta.url).href;
const test = suite("append over nodes");
const SEEDS = rounds(6, 500);
const first = Math.floor(Math.random() * 2 ** 30);

for (const [pes, transport] of [
  [[2, 2], "receiver"],
  [[1, 2], "conveyor"],
] as const) {
  eachMpi(test, `nodes with ${pes.join(", ")} PEs, transport ${transport}`, async (kind) => {
    const part = (one: Args["part"]): Args => ({ part: one, transport });
    const phases: Args = { ...part("phases"), first, count: SEEDS };
    const rest = (
      ["large", "started", "in a group", "owner computes", "owner waits", "not freed"] as const
    ).map(part);
    const { said, code, text } = await job(kind, { program, pes, args: [phases, ...rest], timeout: 120_000 });
    assert.is(code, 0, `seed ${first}: ${text}`);
    const all = said.flatMap(({ results }) => results as unknown[][]);
    const size = pes.reduce<number>((sum, count) => sum + count, 0);
    assert.is(all.length, size);
    for (const [rank, [played, large, started, inGroup, , , notFreed]] of all.entries()) {
      assert.ok((played as number) >= SEEDS, `seed ${first}`);
      assert.is(large, true);
      const [left, taken, sum, messages, refused] = started as unknown[];
      assert.equal([left, taken, sum, messages], [0, 8000, 499_500, 1000]);
      assert.match(
        String(refused),
        /^pushStart: the append buffer of PE n has no room for 8 bytes: 0 of 8000 are left/,
      );
      assert.is(inGroup, true, `PE ${rank}`);
      assert.is(notFreed, 10 * size);
    }
    // the pusher waits for an owner that computes, for 400 ms, and not for one that waits in a barrier
    const took = (step: number) => Math.max(...all.map((one) => one[step] as number));
    assert.ok(took(4) >= 390, `${took(4)} ms`);
    assert.ok(took(5) < took(4), `${took(5)} ms`);
  });
}
test.run();
