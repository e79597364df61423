/**
 * IS of the NAS Parallel Benchmarks: the ranks of integer keys by a bucket sort, in which every PE sends a part of its keys to every PE.
 *
 *     tundish run is.js -n 4 -- --class A --exchange append
 *     mpirun -n 2 tundish run is.js -n 2 -- --class W --exchange alltoallv
 *     tundish simulate is.js --pes 8 --nodes 2 --args '["--exchange","conveyor"]'
 *
 * Each PE has a share of the keys, in their order. Each of ten iterations changes two keys, and ranks all:
 *
 *     count by bucket ─▶ allreduce ─▶ ranges of buckets, one for each PE ─▶ exchange of the keys ─▶ count by key
 *
 * The rank of a key is the number of keys that are less: those of lower ranges, and those of its own range that are counted. A receiver
 * knows how many keys will come, but not from whom, and their order does not matter: what append buffers are for.
 *
 * Source: NPB 3.4, IS/is.c. As there, one iteration comes before those that are timed. Checked, as there: five ranks after each iteration,
 * and at last that all keys are in order by their ranks, 51 passes in all; moreover, that none is lost. Its table of expected ranks holds
 * for these keys only, so `--seed` has no effect. Unlike there, any number of PEs will do.
 */

import { type PE, type Spmd, u32 } from "tundish";
import { appendBufferAsync } from "tundish/append";
import { conveyor } from "tundish/conveyor";
import { exchange as exchangeOf } from "tundish/exchange";
import { share } from "./common.ts";
import { CLASSES, type Class, makeKeys } from "./is-keys.ts";
import { ArgumentsError, oneOf } from "./options.ts";
import { app, type Common, timed } from "./runner.ts";

const OPTIONS = {
  class: oneOf("S", "W", "A", "B"),
  /** How the keys go to the PEs that rank them. */
  exchange: oneOf("append", "alltoallv", "conveyor", "exchange"),
};

const ITERATIONS = 10;
const KEY_BYTES = 4;

/** How many keys each bucket has here and at all PEs, and the range of buckets of each PE. */
class Ranges {
  readonly shift: number;
  readonly #here: Uint32Array;
  readonly #all: Uint32Array;
  /** The first bucket of each PE, and the number of buckets. */
  readonly starts: Uint32Array;
  /** The PE of each bucket. */
  readonly homes: Uint32Array;

  private constructor(shift: number, here: Uint32Array, all: Uint32Array, size: number) {
    this.shift = shift;
    this.#here = here;
    this.#all = all;
    this.starts = new Uint32Array(size + 1).fill(all.length);
    this.starts[0] = 0;
    this.homes = new Uint32Array(all.length);
    const total = all.reduce((sum, count) => sum + count, 0);
    let rank = 0;
    let before = 0;
    for (const [bucket, count] of all.entries()) {
      // a range ends where it and those before it have their shares
      while (rank + 1 < size && before * size >= (rank + 1) * total) this.starts[++rank] = bucket;
      this.homes[bucket] = rank;
      before += count;
    }
  }

  /** Counts. Collective. @param tests counted by the way: numbers that are added over all PEs */
  static async count(pe: PE, { log2Limit, log2Buckets }: Class, keys: Uint32Array, tests: Uint32Array) {
    const shift = log2Limit - log2Buckets;
    const buckets = 2 ** log2Buckets;
    const here = new Uint32Array(buckets);
    for (let i = 0; i < keys.length; i++) here[keys[i] >>> shift]++;
    const sums = new Uint32Array(buckets + tests.length);
    sums.set(here);
    sums.set(tests, buckets);
    await pe.allreduceAsync(sums, "sum");
    tests.set(sums.subarray(buckets));
    return new Ranges(shift, here, sums.subarray(0, buckets), pe.size);
  }

  /** Keys in the buckets before this one, at all PEs. */
  before(bucket: number): number {
    return this.#all.subarray(0, bucket).reduce((sum, count) => sum + count, 0);
  }

  /** Keys in the fullest bucket. */
  get most(): number {
    return this.#all.reduce((most, count) => Math.max(most, count), 0);
  }

  /** Sorts keys by bucket. @param sorted gets them @returns the part of each PE */
  sort(keys: Uint32Array, sorted: Uint32Array): Uint32Array[] {
    const next = new Uint32Array(this.#here.length + 1);
    for (const [bucket, count] of this.#here.entries()) next[bucket + 1] = next[bucket] + count;
    const parts = Array.from({ length: this.starts.length - 1 }, (_, rank) =>
      sorted.subarray(next[this.starts[rank]], next[this.starts[rank + 1]]),
    );
    for (let i = 0; i < keys.length; i++) sorted[next[keys[i] >>> this.shift]++] = keys[i];
    return parts;
  }
}

/** Brings keys to the PEs that rank them. */
interface KeyExchange {
  /** @returns the keys that have come, in arrays that are valid until the next call */
  send(keys: Uint32Array, ranges: Ranges): Promise<readonly Uint32Array[]>;
  /** Blocks or buffers that were sent. */
  sent(): number;
  free(): void;
}

/** What an exchange of keys is made of. */
interface Place {
  readonly pe: PE;
  /** Keys that a PE has to have room for. */
  readonly room: number;
  /** Memory of the heap for the keys of this PE, which others may read. */
  readonly sorted: Uint32Array;
}

/** All PEs, the next one first, so that not all begin with the same one. */
const inTurn = ({ rank, size }: PE): number[] => Array.from({ length: size }, (_, i) => (rank + 1 + i) % size);

const EXCHANGES = {
  /** One push for each PE: the bytes of all are next to each other, and nobody has said how many there are. */
  async append({ pe, room, sorted }: Place): Promise<KeyExchange> {
    const a = await appendBufferAsync(pe, room * KEY_BYTES, { name: "keys" });
    let pushes = 0;
    return {
      async send(keys, ranges) {
        const parts = ranges.sort(keys, sorted);
        a.reset();
        await pe.barrierAsync();
        await Promise.all(inTurn(pe).map((dest) => a.pushAsync(dest, parts[dest])));
        await pe.barrierAsync();
        pushes += pe.size;
        return [a.data(Uint32Array)];
      },
      sent: () => pushes,
      free: () => a.free(),
    };
  },

  /** One collective. */
  async alltoallv({ pe, sorted }: Place): Promise<KeyExchange> {
    let parts = 0;
    return {
      send(keys, ranges) {
        parts += pe.size;
        return pe.alltoallvAsync(ranges.sort(keys, sorted));
      },
      sent: () => parts,
      free() {},
    };
  },

  /** Each key is an item, in no order. */
  async conveyor({ pe, room }: Place, { rigid }: Common): Promise<KeyExchange> {
    const c = conveyor(pe, u32, rigid);
    const arrived = new Uint32Array(room);
    let buffers = 0;
    return {
      async send(keys, { homes, shift }) {
        let count = 0;
        let i = 0;
        await c.beginAsync();
        do {
          for (; i < keys.length && c.push(homes[keys[i] >>> shift], keys[i]); i++);
          while (c.pull()) arrived[count++] = c.item;
        } while (await c.advanceAsync(i === keys.length));
        c.reset();
        buffers += c.stats().buffers;
        return [arrived.subarray(0, count)];
      },
      sent: () => buffers,
      free: () => c.free(),
    };
  },

  /** One block for each PE, which arrives in pieces. */
  async exchange({ pe, room, sorted }: Place): Promise<KeyExchange> {
    const x = exchangeOf(pe, { name: "keys" });
    const arrived = new Uint32Array(room);
    const into = new Uint8Array(arrived.buffer);
    return {
      async send(keys, ranges) {
        const parts = ranges.sort(keys, sorted);
        for (const dest of inTurn(pe)) x.schedule(dest, parts[dest]);
        let end = 0;
        await x.finishAsync(({ bytes }) => {
          into.set(bytes, end);
          end += bytes.length;
        });
        return [arrived.subarray(0, end / KEY_BYTES)];
      },
      sent: () => x.stats().packets,
      free: () => x.free(),
    };
  },
};

/** The keys of one PE and their ranks. */
class Sorter {
  readonly #pe: PE;
  readonly #class: Class;
  readonly #keys: Uint32Array;
  readonly #first: number;
  readonly #exchange: KeyExchange;
  /** What the last iteration has left: the keys of this PE's range, and how many are less than each in the range and before it. */
  #arrived: readonly Uint32Array[] = [];
  readonly #less: Uint32Array;
  #least = 0;
  #before = 0;

  constructor(pe: PE, of: Class, keys: Uint32Array, first: number, exchange: KeyExchange) {
    this.#pe = pe;
    this.#class = of;
    this.#keys = keys;
    this.#first = first;
    this.#exchange = exchange;
    this.#less = new Uint32Array(2 ** of.log2Limit + 1);
  }

  /** Changes the two keys of an iteration, and ranks all keys. Collective. @returns checks that this PE has made and that have passed */
  async rank(iteration: number): Promise<number> {
    const { tests, log2Limit } = this.#class;
    const keys = this.#keys;
    this.#set(iteration, iteration);
    this.#set(iteration + ITERATIONS, 2 ** log2Limit - iteration);
    const tested = Uint32Array.from(tests, ([place]) => keys[place - this.#first] ?? 0);
    const ranges = await Ranges.count(this.#pe, this.#class, keys, tested);
    this.#arrived = await this.#exchange.send(keys, ranges);

    const [start, end] = ranges.starts.subarray(this.#pe.rank);
    const least = start << ranges.shift;
    const span = (end - start) << ranges.shift;
    this.#least = least;
    this.#before = ranges.before(start);
    const less = this.#less.fill(0, 0, span + 1);
    for (const some of this.#arrived) for (let i = 0; i < some.length; i++) less[some[i] - least + 1]++;
    for (let i = 0; i < span; i++) less[i + 1] += less[i];
    return tests.filter(([, rank, way], i) => {
      const key = tested[i] - least;
      if (key < 0 || key >= span) return false;
      const by = iteration - this.#class.late[way];
      return this.#before + less[key] === rank + (way === "up" ? by : -by);
    }).length;
  }

  /** Puts the keys that have come to their ranks. */
  sorted(): Uint32Array {
    const sorted = new Uint32Array(this.#arrived.reduce((sum, { length }) => sum + length, 0));
    for (const some of this.#arrived) for (const key of some) sorted[this.#less[key - this.#least]++] = key;
    return sorted;
  }

  /** Rank of the first of {@link sorted}. */
  get before(): number {
    return this.#before;
  }

  /** Changes a key, if this PE has it. */
  #set(place: number, key: number): void {
    const i = place - this.#first;
    if (i >= 0 && i < this.#keys.length) this.#keys[i] = key;
  }
}

/** Whether what all PEs have, one after the other, is in order, and as many keys with the same sum as there were. Collective. */
async function isInOrder(pe: PE, sorted: Uint32Array, keys: Uint32Array): Promise<boolean> {
  const sum = (of: Uint32Array) => of.reduce((all, key) => all + key, 0);
  // an empty part is as good as none
  const ends = sorted.length === 0 ? new Uint32Array() : Uint32Array.of(sorted[0], sorted.at(-1) as number);
  const all = await pe.allgatherAsync(ends);
  const falls = (of: Uint32Array) => of.reduce((count, key, i) => count + (i > 0 && of[i - 1] > key ? 1 : 0), 0);
  const differences = Float64Array.of(falls(sorted) + falls(all), sorted.length - keys.length, sum(sorted) - sum(keys));
  await pe.allreduceAsync(differences, "sum");
  return differences.every((difference) => difference === 0);
}

const program: Spmd = app("is", OPTIONS, async (pe, told) => {
  if (told.exchange !== "conveyor" && Object.keys(told.rigid).length > 0) {
    throw new ArgumentsError(
      `--exchange ${told.exchange}: has no conveyor, so options of conveyors have no effect; leave them out, or use --exchange conveyor`,
    );
  }
  const of = CLASSES[told.class];
  const total = 2 ** of.log2Keys;
  const each = Math.ceil(total / pe.size);
  const [first, end] = share(total, pe);
  const keys = makeKeys(2 ** of.log2Limit, first, end);
  // a range has its share and less than a bucket more, and each key that is changed may come to that bucket
  const { most } = await Ranges.count(pe, of, keys, new Uint32Array());
  const room = each + most + 2 * ITERATIONS;
  const sorted = await pe.allocAsync(Uint32Array, each);
  const exchange = await EXCHANGES[told.exchange]({ pe, room, sorted }, told);

  const sorter = new Sorter(pe, of, keys, first, exchange);
  await sorter.rank(1);
  const before = exchange.sent();
  let passes = 0;
  const seconds = await timed(pe, async () => {
    for (let i = 1; i <= ITERATIONS; i++) passes += await sorter.rank(i);
  });
  const buffers = exchange.sent() - before;
  const result = sorter.sorted();
  exchange.free();
  await pe.freeAsync(sorted);

  if (told.spoil && pe.rank === 0) result[0]++;
  const checksum = result.reduce((sum, key, i) => (sum + (Math.imul(sorter.before + i + 1, key) >>> 0)) % 2 ** 32, 0);
  const isSorted = await isInOrder(pe, result, keys);
  const allPasses = (await pe.allreduceAsync(passes, "sum")) + (isSorted ? 1 : 0);
  const errors = pe.rank === 0 ? of.tests.length * ITERATIONS + 1 - allPasses : 0;
  const slowest = await pe.allreduceAsync(seconds, "max");
  const rate = slowest > 0 ? (total * ITERATIONS) / slowest / 1e6 : 0;
  const messages = keys.length * ITERATIONS;
  return {
    ...{ seconds, messages, bytes: messages * KEY_BYTES, buffers, checksum, errors },
    more: { keys: total, millionKeysPerSecond: Number(rate.toPrecision(4)), passes: allPasses },
  };
});
export default program;
