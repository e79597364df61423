// Sample sort: each PE sorts its share; a sample says which range each PE gets; runs of keys are merged there.

import { f64, isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { conveyor } from "tundish/conveyor";
import { example, type Problem } from "./support/example.ts";
import { randomAt, share, sharedInput } from "./support/input.ts";
import { oneOf, whole } from "./support/options.ts";
import { print } from "./support/print.ts";
import { COLOURS, element, svg, words } from "./support/svg.ts";

/** Keys of each PE in the sample: the more, the more alike are the numbers of keys in the ranges. */
const SAMPLES = 100;

/** Every PE runs this function, with the same keys and its own rank. @returns all keys of its range, in order */
async function onAll(pe: PE, keys: Float64Array, exchange: Exchange): Promise<Float64Array> {
  const mine = keys.slice(...share(keys.length, pe.rank, pe.size)).sort();
  const sample = await pe.allgatherAsync(evenly(mine, SAMPLES));
  const bounds = evenly(sample.sort(), pe.size); // where the range of each PE begins
  const ends = Uint32Array.from({ length: pe.size }, (_, to) =>
    to + 1 < bounds.length ? firstFrom(mine, bounds[to + 1]) : mine.length,
  );
  const parts = Array.from(ends, (end, to) => mine.subarray(to > 0 ? ends[to - 1] : 0, end));
  return merge(await exchange(pe, parts));
}

/** Part i of every PE goes to PE i, and comes there as it was: in order. */
type Exchange = (pe: PE, parts: readonly Float64Array[]) => Promise<Float64Array[]>;

const byCollective: Exchange = (pe, parts) => pe.alltoallvAsync(parts);

/** By a conveyor: keys go in buffers of a fixed size, and are received while others are sent. */
const byConveyor: Exchange = async (pe, parts) => {
  const counts = await pe.alltoallAsync(Uint32Array.from(parts, ({ length }) => length));
  const runs = Array.from(counts, (count) => new Float64Array(count));
  const filled = new Uint32Array(pe.size);
  const dests = parts.map(({ length }, to) => new Uint32Array(length).fill(to));
  const c = await conveyor(pe, f64).beginAsync();
  let [to, i] = [0, 0];
  while (await c.advanceAsync(to === pe.size)) {
    for (; to < pe.size; to++, i = 0) {
      i = c.pushAll(dests[to], parts[to], i);
      if (i < parts[to].length) break; // no room now
    }
    for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
      const { columns, from, count } = batch;
      for (let k = 0; k < count; k++) runs[from[k]][filled[from[k]]++] = columns[k];
    }
  }
  c.reset();
  c.free();
  return runs;
};

/** The same on one thread. */
const onOne = (keys: Float64Array): Float64Array => keys.slice().sort();

/** `count` elements of an array at equal distances, from its first one on; all of them if there are not so many. */
function evenly(sorted: Float64Array, count: number): Float64Array {
  const length = Math.min(count, sorted.length);
  return Float64Array.from({ length }, (_, i) => sorted[Math.floor((i * sorted.length) / length)]);
}

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

/** One sorted array of several, in rounds: two become one. */
function merge(runs: Float64Array[]): Float64Array {
  while (runs.length > 1) {
    const pairs = Array.from({ length: runs.length >> 1 }, (_, i) => mergeTwo(runs[2 * i], runs[2 * i + 1]));
    runs = runs.length % 2 === 1 ? [...pairs, runs[runs.length - 1]] : pairs;
  }
  return runs[0];
}

function mergeTwo(a: Float64Array, b: Float64Array): Float64Array {
  const all = new Float64Array(a.length + b.length);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) all[i + j] = a[i] <= b[j] ? a[i++] : b[j++];
  all.set(i < a.length ? a.subarray(i) : b.subarray(j), i + j);
  return all;
}

/** More keys in the middle than at the ends: sums of three random numbers. */
function fill(keys: Float64Array, first: number, end: number, seed: number): void {
  for (let i = first; i < end; i++) {
    const three = [3 * i, 3 * i + 1, 3 * i + 2] as const;
    keys[i] = randomAt(seed, three[0]) + randomAt(seed, three[1]) + randomAt(seed, three[2]);
  }
}

/** Some of the keys by their place, before and after, in the colour of the PE that has them then. */
function draw(keys: Float64Array, sorted: Float64Array, sizes: Float64Array): string {
  const dots: string[] = [];
  const panel = (array: Float64Array, left: number, title: string, ownerOf: (i: number) => number) => {
    dots.push(words(left + 110, 20, title, "middle"));
    const step = Math.max(1, array.length / 1000);
    for (let i = 0; i < array.length; i += step) {
      const at = Math.floor(i);
      const [cx, cy] = [left + (220 * at) / array.length, 250 - (220 * array[at]) / 3];
      dots.push(element("circle", { cx, cy, r: 1.6, fill: COLOURS[ownerOf(at) % COLOURS.length] }));
    }
  };
  panel(keys, 20, "before", (i) => Math.floor((i * sizes.length) / keys.length));
  const ends = sizes.map((_, p) => sizes.subarray(0, p + 1).reduce((a, b) => a + b, 0));
  panel(sorted, 280, "after", (i) => ends.findIndex((end) => i < end));
  return svg(520, 270, "Sample sort: keys by their place, in the colours of the PEs that have them", dots);
}

type Sorted = { readonly keys: Float64Array; readonly sizes: Float64Array };

const OPTIONS = {
  size: whole(1_000_000, 1, 2 ** 28, "keys"),
  exchange: oneOf("alltoallv", "conveyor"),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "sample-sort", OPTIONS, async (told): Promise<Problem<Sorted, Float64Array>> => {
    const keys = await sharedInput(pe, told.size, (array, first, end) => fill(array, first, end, told.seed));
    const exchange = told.exchange === "conveyor" ? byConveyor : byCollective;
    return {
      parallel: () => onAll(pe, keys, exchange),
      serial: () => ({ keys: onOne(keys), sizes: Float64Array.of(keys.length) }),
      async collect(mine) {
        const sizes = await pe.gatherAsync(Float64Array.of(mine.length));
        const all = await pe.gatherAsync(mine);
        return { keys: all ?? mine, sizes: sizes ?? Float64Array.of(mine.length) };
      },
      differs(found, expected) {
        if (found.keys.length !== expected.keys.length) return `${found.keys.length} keys of ${expected.keys.length}`;
        const wrong = found.keys.findIndex((key, i) => key !== expected.keys[i]);
        return wrong < 0 ? undefined : `key ${wrong} is ${found.keys[wrong]}, not ${expected.keys[wrong]}`;
      },
      spoil: (found) => void found.keys[0]--,
      tell: ({ keys: all, sizes }) => ({
        exchange: told.exchange,
        "median key": all[all.length >> 1],
        "largest share of a PE by the mean": Number(((Math.max(...sizes) * sizes.length) / all.length).toFixed(3)),
      }),
      draw: (found) => draw(keys, found.keys, found.sizes),
      free: () => pe.freeAsync(keys),
    };
  }),
);
export default program;

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));
