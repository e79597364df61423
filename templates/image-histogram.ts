// The histogram of an image, and its equalisation by it: each PE counts its pixels, one allreduce adds up the counters.
import { isEntry, launch, spmd } from "tundish";

/** Grey values; PEs change them in place. */
type Pixels = Uint8Array;
type Result = { range: string; equalised: string; ms: number };

/** Every PE of this process runs this function, with the same image, which lies in shared memory, and its own rank. */
export default spmd<Pixels, Result>((pe, image) => {
  const bound = (rank: number) => Math.floor((image.length * rank) / pe.size);
  const mine = image.subarray(bound(pe.rank), bound(pe.rank + 1));
  pe.barrier();
  const begin = performance.now();
  const counts = pe.allreduce(count(mine), "sum"); // of the whole image, at every PE
  const values = equalising(counts);
  for (let i = 0; i < mine.length; i++) mine[i] = values[mine[i]];
  const after = pe.allreduce(count(mine), "sum");
  return { range: range(counts), equalised: range(after), ms: performance.now() - begin };
});

/** How many pixels have each value. */
function count(pixels: Pixels): Uint32Array {
  const counts = new Uint32Array(256);
  for (let i = 0; i < pixels.length; i++) counts[pixels[i]]++;
  return counts;
}

/** The new value of each value: how many pixels are up to it, as a part of 255. */
function equalising(counts: Uint32Array): Uint8Array {
  const all = counts.reduce((sum, n) => sum + n, 0);
  let up = 0;
  return Uint8Array.from(counts, (n) => {
    up += n;
    return Math.round((255 * up) / all);
  });
}

/** The lowest and the highest value that some pixels have. */
const range = (counts: Uint32Array): string =>
  `${counts.findIndex((n) => n > 0)} to ${counts.findLastIndex((n) => n > 0)}`;

/** A dim image: hills of light, with noise. In memory that all threads share. */
function makeImage(pixels: number): Pixels {
  const image = new Uint8Array(new SharedArrayBuffer(pixels));
  const width = Math.ceil(Math.sqrt(pixels));
  let seed = 1;
  for (let i = 0; i < pixels; i++) {
    seed = (48271 * seed) % 2147483647;
    const x = (i % width) / width;
    image[i] = 100 + 25 * Math.sin(9 * x) * Math.sin((6 * i) / pixels) + (10 * seed) / 2147483647;
  }
  return image;
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const pixels = Number(process.argv[2] ?? 16_000_000);
  const [alone] = await launch<Result>(program, { pes: 1, args: makeImage(pixels) });
  const all = await launch<Result>(program, { args: makeImage(pixels) }); // one PE per core
  const [{ range, equalised }] = all;
  const ms = Math.max(...all.map((result) => result.ms));
  console.log(`values from ${range}, equalised from ${equalised}`);
  console.log(`1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
}
