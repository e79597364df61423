/**
 * Sorting of random numbers.
 *
 * Several PEs: each has a part of the numbers. Some of each PE's are a sample, whose quantiles split the range of all
 * numbers into one part for each PE. The numbers go to the PEs of their parts by a conveyor, as a column, and each PE
 * sorts what it gets. A batch of received numbers is copied at once.
 */
import { conveyor } from "../../../../src/conveyor.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import { f64, type PE } from "../../../../src/index.ts";
import { blockOf, type Program, type Run } from "./program.ts";

/** Of each PE, in the sample: the largest part is a few percent larger than the average then. */
const SAMPLE = 1000;

export function keysOf(size: number): Float64Array {
  const random = randomNumbers(4);
  return Float64Array.from({ length: size }, random);
}

function alone(size: number): Run {
  const keys = keysOf(size);
  let sorted: Float64Array = keys;
  return {
    run: () => {
      sorted = keys.slice().sort();
    },
    result: () => ({ first: 0, values: sorted }),
  };
}

/** Where the parts of all PEs but the first begin. Collective. */
function splittersOf(pe: PE, keys: Float64Array): Float64Array {
  const step = Math.max(1, Math.floor(keys.length / SAMPLE));
  const own = Float64Array.from({ length: Math.floor(keys.length / step) }, (_, i) => keys[i * step]);
  const sample = Float64Array.from(pe.allgather([...own]).flat()).sort();
  const last = Math.max(0, sample.length - 1);
  return Float64Array.from({ length: pe.size - 1 }, (_, i) => sample[Math.ceil((last * (i + 1)) / pe.size)]);
}

/** The PE of each number: of the part that it lies in. */
function destsOf(keys: Float64Array, splitters: Float64Array): Uint32Array {
  const dests = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    let [low, high] = [0, splitters.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (key < splitters[middle]) high = middle;
      else low = middle + 1;
    }
    dests[i] = low;
  }
  return dests;
}

function together(pe: PE, size: number): Run {
  const all = keysOf(size);
  const { first, end } = blockOf(size, pe);
  const keys = all.slice(first, end);
  let sorted: Float64Array = keys;
  return {
    run: () => {
      const dests = destsOf(keys, splittersOf(pe, keys));
      // a part that is larger than expected needs more room
      let room = new Float64Array(Math.ceil(1.1 * keys.length));
      let count = 0;
      using c = conveyor(pe, f64);
      c.begin();
      for (let i = 0; c.advance(i === keys.length); ) {
        i = c.pushAll(dests, keys, i);
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          if (count + batch.count > room.length) room = larger(room, count + batch.count);
          room.set(batch.columns, count);
          count += batch.count;
        }
      }
      c.reset();
      sorted = room.subarray(0, count).sort();
    },
    result: () => ({ first: pe.scan(sorted.length, "sum") - sorted.length, values: sorted }),
  };
}

function larger(array: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(Math.max(least, 2 * array.length));
  copy.set(array);
  return copy;
}

export const sampleSort: Program = { alone, together };
