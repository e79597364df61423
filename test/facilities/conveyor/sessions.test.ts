/** Sessions follow each other without a barrier: a PE may be one ahead, and what it sends waits. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { expected } from "./programs/short-buffers.program.ts";

const program = sibling("./programs/sessions.program.js", import.meta.url);

const sessions = suite("sessions one after another");

sessions("threads: a PE is ahead; it holds an oversized item; it has freed the conveyor", async () => {
  const results = await launchPooled<[number[], unknown[], number]>(program, { pes: 2, waitTimeout: 60_000 });
  const [first, second] = results.map(([oversized]) => oversized);
  assert.ok((first?.[0] ?? 0) > 0, "the item that PE 1 reads is kept");
  assert.equal([first?.[2], second], [0, [first?.[0], 100_000, 0]], "and given back then");
  assert.equal(
    results.map(([, ahead]) => ahead),
    [
      ["endgame", 0],
      ["complete", false, 5],
    ],
  );
  assert.equal(
    results.map(([, , sum]) => sum),
    [0, 2000],
  );
});

sessions("threads: a packet that does not fit into a short buffer of the slow start has that sent", async () => {
  const short = sibling("./programs/short-buffers.program.js", import.meta.url);
  assert.equal(await launchPooled(short, { pes: 4, waitTimeout: 60_000 }), new Array(4).fill(expected(4)));
});

sessions("threads: packets of a mesh fill their buffers, whichever hop they leave out", async () => {
  const mesh = sibling("./programs/mesh-buffers.program.js", import.meta.url);
  for (const [over, buffers] of await launchPooled<[number, number]>(mesh, { pes: 4, waitTimeout: 60_000 })) {
    assert.is(over, 1);
    // 16 bytes each, 20 buffers of them, and what is left at the end of each hop
    assert.ok(buffers < 40, `${buffers} buffers`);
  }
});

for (const hops of [1, 2, 3] as const) {
  for (const buffersPerLink of [1, 2] as const) {
    sessions(`hops ${hops}, ${buffersPerLink} buffers: nothing is pulled in another session`, () => {
      let mostAhead = 0;
      const at = new Array<number>(8).fill(0);
      const faults = [1, 4, 6].map((pe) => ({
        pe,
        at: 20_000 * pe,
        kind: "stall" as const,
        lasting: 60_000,
      }));
      simulate({ pes: 8, seed: hops, jitter: 1, faults }, function* (pe) {
        const c = pe.conveyor(u32, { hops, groupSize: 2, bufferBytes: 64, buffersPerLink });
        for (let k = 1; k <= 40; k++) {
          yield* c.begin();
          at[pe.rank] = k;
          mostAhead = Math.max(mostAhead, k - Math.min(...at));
          let come = 0;
          for (let i = 0; yield* c.advance(i === 24); ) {
            while (i < 24 && c.push(i % pe.size, k)) i++;
            for (; c.pull(); come++) assert.is(c.item, k);
          }
          assert.is(come, 24);
          yield* c.reset();
        }
        c.free();
      });
      assert.is(mostAhead, 1);
    });
  }
}

sessions.run();
