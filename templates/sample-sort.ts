// Sample sort: each PE sorts its share; a sample says which range each PE gets; all keys go to the PE of their range.
import { isEntry, launch, spmd } from "tundish";

type Result = { first: number; count: number; ms: number };

/** Every PE runs this function, with the same keys and its own rank. */
export default spmd<Float64Array, Result>((pe, keys) => {
  const bound = (rank: number) => Math.floor((keys.length * rank) / pe.size);
  pe.barrier();
  const begin = performance.now();
  const mine = keys.slice(bound(pe.rank), bound(pe.rank + 1)).sort();
  const sample = pe.allgather(evenly(mine, 100)).sort();
  const starts = evenly(sample, pe.size); // where the range of each PE begins
  const cuts = Array.from(starts, (start, rank) => (rank === 0 ? 0 : firstFrom(mine, start)));
  const parts = cuts.map((cut, rank) => mine.subarray(cut, cuts[rank + 1]));
  const sorted = joined(pe.alltoallv(parts)).sort(); // part i of every PE is here, at PE i
  return { first: sorted[0], count: sorted.length, ms: performance.now() - begin };
});

/** `count` elements of an array at equal distances, from its first one on. */
const evenly = (sorted: Float64Array, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => sorted[Math.floor((i * sorted.length) / count)]);

/** The index of the first key that is not below a bound. */
function firstFrom(sorted: Float64Array, bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Random keys, in memory that all threads share. */
function makeKeys(n: number): Float64Array {
  const keys = new Float64Array(new SharedArrayBuffer(8 * n));
  let seed = 1;
  for (let i = 0; i < n; i++) {
    seed = (48271 * seed) % 2147483647;
    keys[i] = seed / 2147483647;
  }
  return keys;
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const args = makeKeys(Number(process.argv[2] ?? 4_000_000));
  const [alone] = await launch<Result>(program, { pes: 1, args });
  const all = await launch<Result>(program, { args }); // one PE per core
  const ms = Math.max(...all.map((result) => result.ms));
  for (const [rank, { first, count }] of all.entries())
    console.log(`PE ${rank}: ${count} keys from ${first.toFixed(6)} on`);
  console.log(`1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
}
