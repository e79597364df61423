/** Append buffers that are freed while their PEs go on. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appendBufferAsync } from "../../../src/append.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

const test = suite("append, freed");

test("virtual PEs over nodes: what carries the pushes ends while the PEs wait elsewhere", async () => {
  // its queries are over a latency before its replies; a turn that says meanwhile that there is more to do comes again at the same time
  for (const pes of [2, 4, 8]) {
    const { results } = await simulateAsync({ pes, nodes: 2, seed: pes }, async (pe) => {
      const a = await appendBufferAsync(pe, 64);
      await a.pushAsync((pe.rank + 1) % pes, Uint8Array.of(pe.rank));
      await pe.barrierAsync();
      const [first] = a.data();
      a.free();
      for (let i = 0; i < 5; i++) await pe.barrierAsync();
      return first;
    });
    assert.equal(
      results,
      Array.from({ length: pes }, (_, rank) => (rank + pes - 1) % pes),
    );
  }
});

test.run();
