/** Bursts and low rates on threads, and what the heap has given for them. */
import * as assert from "uvu/assert";
import { ALLOCATOR_PEAK, ALLOCATOR_USED, LINE } from "../../../../src/ground/memory/heap-layout.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { type Bursts, type BurstsPlayed, playBursts } from "../support/bursts.ts";
import { playOut, threadSeat } from "../support/seats.ts";

const clock = { now: () => performance.now() * 1e6, work: () => {} };

function play(pe: PE, words: Int32Array, bursts: Bursts): BurstsPlayed {
  /** Bytes of the heap in use, and at most, when all PEs have come to this point. */
  const heap = () => {
    pe.barrier();
    const all = {
      used: Atomics.load(words, ALLOCATOR_USED) * LINE,
      peak: Atomics.load(words, ALLOCATOR_PEAK) * LINE,
    };
    pe.barrier();
    return all;
  };
  const before = heap();
  let own = before;
  const played = playOut(
    playBursts(threadSeat(pe), clock, bursts, () => {
      own = heap();
    }),
  );
  const most = pe.size * (bursts.options.maxBytes as number);
  assert.ok(own.used - before.used <= most, `${own.used - before.used} bytes, at most ${most}`);
  // nothing was taken in the session, and all is given back
  assert.equal(heap(), { used: before.used, peak: own.peak });
  return played;
}

const program: Spmd = spmd((pe, args) => {
  // any array of the PE lies in the heap
  const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
  return (args as readonly Bursts[]).map((bursts) => play(pe, words, bursts));
});
export default program;
