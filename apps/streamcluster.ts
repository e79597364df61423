/**
 * Streamcluster: k-median clustering of a stream of points, a chunk at a time, by PEs that share their memory and synchronize by
 * barriers, tens of thousands of them: a program for barriers.
 *
 *     tundish run streamcluster.js -n 4 -- --points 4096 --chunk 4096
 *     tundish run streamcluster.js -n 4 -- --barrier stock
 *
 * Each chunk is clustered by a local search (streamcluster-search.ts), its centers move to the mean of their points and are kept
 * with their weights, and at the end these are clustered in the same way. `--barrier stock` is what one would write otherwise: a
 * sense-reversing barrier by Atomics.wait and Atomics.notify.
 *
 * Source: PARSEC's streamcluster, C. Bienia et al., "The PARSEC benchmark suite", PACT 2008: structure, defaults of the simulation
 * inputs, uniform random points; the algorithm by O'Callaghan et al., ICDE 2002. The coordinates are 32-bit floats as there, sums
 * are doubles. Checked: the cost and the centers, their numbers, weights and coordinates, against a run by one PE alone, bit by
 * bit; and the cost once more from the points.
 *
 * Limits: one node, as the points are in shared memory.
 */
import { type PE, type Spmd, UsageError } from "tundish";
import { randomBelow } from "./common.ts";
import { ArgumentsError, flag, oneOf, program, read, type Values, whole } from "./options.ts";
import { Draws, LocalSearch, Points, type Room, type Seat } from "./streamcluster-search.ts";

const OPTIONS = {
  points: whole(4096, 1, 2 ** 26),
  /** Points that are searched at a time. */
  chunk: whole(4096, 1, 2 ** 20),
  dim: whole(32, 1, 4096),
  kMin: whole(10, 1, 10_000),
  kMax: whole(20, 1, 10_000),
  /** Centers of all chunks together, at most. */
  centerSize: whole(1000, 1, 2 ** 20),
  seed: whole(1, 0, 2 ** 32),
  barrier: oneOf("tundish", "stock"),
  /** The run by one PE alone that the result is compared with; without it only the cost is checked. */
  reference: oneOf("on", "off"),
  spoil: flag,
};
type Told = Values<typeof OPTIONS>;

/** The report of a run: of PE 0. */
export interface StreamclusterReport {
  readonly app: "streamcluster";
  readonly pes: number;
  readonly barrier: "tundish" | "stock";
  readonly points: number;
  readonly chunk: number;
  readonly dim: number;
  readonly seconds: number;
  /** Barriers that each PE has passed, and calls of `gain`. */
  readonly barriers: number;
  readonly gains: number;
  readonly centers: number;
  /** Of all searches: weighted squared distances to the centers, before these move. */
  readonly cost: number;
  /** Of the centers' numbers; the same for any number of PEs and both barriers. */
  readonly checksum: number;
  readonly errors: number;
}

/** What the stream becomes. */
interface Clustered {
  readonly cost: number;
  readonly gains: number;
  /** Costs that are not the sum of their points' costs. */
  readonly wrong: number;
  /** By center: its number in the stream, weight, and the sum of its coordinates. */
  readonly centers: readonly (readonly [number: number, weight: number, sum: number])[];
}

/** Grains of a coordinate, as PARSEC's are those of a random number. */
const GRAINS = 2 ** 24;

const main = (pe: PE, args: unknown): StreamclusterReport | undefined => {
  const told = read(args as readonly string[] | undefined, OPTIONS);
  const { kMin, kMax, barrier, points, chunk, dim, reference, spoil } = told;
  if (kMax < kMin) throw new ArgumentsError(`--k-max: expected ${kMin} or more, as --k-min is, got ${kMax}`);
  if (pe.nodes > 1) throw new UsageError("streamcluster runs on one node: its points are in shared memory");
  const room = sharedRoom(pe);
  const { rank, size } = pe;
  const stock = barrier === "stock" ? stockBarrier(room.integers(2), size) : null;
  const own = { barriers: 0 };
  const seat: Seat = {
    ...{ rank, size },
    wait: stock
      ? () => {
          own.barriers++;
          stock();
        }
      : () => {
          own.barriers++;
          pe.barrier();
        },
  };
  const clustering = new Clustering(seat, room, told);
  pe.barrier();
  const began = performance.now();
  const result = clustering.run();
  const seconds = pe.allreduce((performance.now() - began) / 1000, "max");
  if (rank > 0) return undefined;
  const { cost, centers, gains } = spoil ? { ...result, cost: result.cost + 1 } : result;
  let errors = result.wrong;
  if (reference === "on") {
    const alone = new Clustering({ rank: 0, size: 1, wait() {} }, OWN_ROOM, told).run();
    if (alone.cost !== cost) errors++;
    const most = Math.max(alone.centers.length, centers.length);
    for (let i = 0; i < most; i++) if (alone.centers[i]?.join() !== centers[i]?.join()) errors++;
  } else if (spoil) errors++;
  if (errors > 0) throw new Error(`streamcluster: errors = ${errors}, of ${centers.length} centers, at ${size} PEs`);
  return {
    ...{ app: "streamcluster", pes: size, barrier, points, chunk, dim },
    seconds: Number(seconds.toPrecision(4)),
    ...{ barriers: own.barriers, gains, centers: centers.length, cost },
    checksum: centers.reduce((sum, [number], i) => (sum + number * (i + 1)) % 2 ** 32, 0),
    errors,
  };
};

/** The clustering of a stream, by one of the PEs that do it together. */
class Clustering {
  readonly #seat: Seat;
  readonly #told: Told;
  readonly #points: Points;
  readonly #centers: Points;
  /** Of the centers, by their id: numbers in the stream. */
  readonly #numbers: Int32Array;
  readonly #search: LocalSearch;

  constructor(seat: Seat, room: Room, told: Told) {
    const { chunk, centerSize, dim, seed } = told;
    const most = Math.max(chunk, centerSize);
    this.#seat = seat;
    this.#told = told;
    this.#points = new Points(room, chunk, dim);
    this.#centers = new Points(room, centerSize, dim);
    this.#numbers = room.integers(centerSize);
    this.#search = new LocalSearch(seat, room, most, told, new Draws(seed));
  }

  run(): Clustered {
    const { points: all, chunk } = this.#told;
    const [search, centers] = [this.#search, this.#centers];
    let cost = 0;
    let wrong = 0;
    const find = (points: Points) => {
      const own = search.run(points);
      cost += own;
      wrong += this.#isCost(points, own) ? 0 : 1;
    };
    for (let first = 0; first < all; first += chunk) {
      this.#read(first, Math.min(chunk, all - first));
      find(this.#points);
      this.#keep(search.centers(), first);
    }
    find(centers);
    const found = search.centers();
    this.#move(centers);
    return {
      ...{ cost, wrong, gains: search.gains },
      centers: found
        .map((place) => {
          const id = centers.id[place];
          const [from, dim] = [id * centers.dim, centers.dim];
          const sum = centers.coordinates.subarray(from, from + dim).reduce((a, b) => a + b, 0);
          return [this.#numbers[id], centers.weight[place], sum] as const;
        })
        .sort((a, b) => a[0] - b[0]),
    };
  }

  /** The next points: each PE makes some. */
  #read(first: number, num: number): void {
    const points = this.#points;
    const { dim, coordinates } = points;
    const { rank, size } = this.#seat;
    points.num = num;
    for (let i = rank; i < num; i += size) {
      points.id[i] = i;
      points.weight[i] = 1;
      for (let d = 0; d < dim; d++) {
        coordinates[i * dim + d] = randomBelow(GRAINS, this.#told.seed, (first + i) * dim + d) / GRAINS;
      }
    }
    this.#seat.wait();
  }

  /** Whether the cost, which was kept up to date gain by gain, is that of the points. */
  #isCost(points: Points, cost: number): boolean {
    let sum = 0;
    for (let i = 0; i < points.num; i++) sum += points.distance(i, points.assign[i]) * points.weight[i];
    return Math.abs(sum - cost) <= 1e-6 * Math.max(1, sum);
  }

  /** Moves the centers of a chunk to the means of their points, and keeps them. */
  #keep(places: readonly number[], first: number): void {
    const [points, centers] = [this.#points, this.#centers];
    const { dim } = points;
    const start = centers.num;
    if (start + places.length > this.#told.centerSize) {
      throw new ArgumentsError(
        `--center-size: expected room for the centers of all chunks, got ${this.#told.centerSize}`,
      );
    }
    this.#move(points);
    centers.num += places.length;
    if (this.#seat.rank === 0) {
      for (const [i, place] of places.entries()) {
        const from = points.id[place] * dim;
        centers.coordinates.set(points.coordinates.subarray(from, from + dim), (start + i) * dim);
        centers.weight[start + i] = points.weight[place];
        centers.id[start + i] = start + i;
        this.#numbers[start + i] = first + points.id[place];
      }
    }
    this.#seat.wait();
  }

  /** Each center to the mean of its points, whose weight it gets. By one PE, as in PARSEC. */
  #move({ num, dim, id, assign, weight, coordinates }: Points): void {
    // the others may still look for the centers, or check the cost
    this.#seat.wait();
    for (let i = 0; i < num && this.#seat.rank === 0; i++) {
      const center = assign[i];
      if (center === i) continue;
      const part = weight[i] / (weight[center] + weight[i]);
      const [to, from] = [id[center] * dim, id[i] * dim];
      for (let d = 0; d < dim; d++) {
        coordinates[to + d] = coordinates[to + d] * (1 - part) + coordinates[from + d] * part;
      }
      weight[center] += weight[i];
    }
    this.#seat.wait();
  }
}

/**
 * Arrays that all PEs of the node see. `alloc` gives each PE an array of its own in the heap, which is the same memory for all: all
 * take the one of PE 0, by its offset.
 */
function sharedRoom(pe: PE): Room {
  const ofFirst = ({ byteOffset }: ArrayBufferView): number => pe.broadcast(byteOffset, 0);
  return {
    floats(length) {
      const own = pe.alloc(Float32Array, length);
      return new Float32Array(own.buffer, ofFirst(own), length);
    },
    doubles(length) {
      const own = pe.alloc(Float64Array, length);
      return new Float64Array(own.buffer, ofFirst(own), length);
    },
    integers(length) {
      const own = pe.alloc(Int32Array, length);
      return new Int32Array(own.buffer, ofFirst(own), length);
    },
    bytes(length) {
      const own = pe.alloc(Uint8Array, length);
      return new Uint8Array(own.buffer, ofFirst(own), length);
    },
  };
}

/** Arrays of one PE alone. */
const OWN_ROOM: Room = {
  floats: (length) => new Float32Array(length),
  doubles: (length) => new Float64Array(length),
  integers: (length) => new Int32Array(length),
  bytes: (length) => new Uint8Array(length),
};

/** The last that comes counts the sense up, and wakes those that sleep. */
function stockBarrier(words: Int32Array, size: number): () => void {
  const [COUNT, SENSE] = [0, 1];
  return () => {
    const sense = Atomics.load(words, SENSE);
    if (Atomics.add(words, COUNT, 1) === size - 1) {
      Atomics.store(words, COUNT, 0);
      Atomics.store(words, SENSE, (sense + 1) | 0);
      Atomics.notify(words, SENSE);
    } else {
      while (Atomics.load(words, SENSE) === sense) Atomics.wait(words, SENSE, sense);
    }
  };
}

const app: Spmd = program("streamcluster", OPTIONS, main);
export default app;
