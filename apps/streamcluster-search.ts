/**
 * The local search of streamcluster.ts: some points are opened as centers so that the sum of the weighted squared distances of all
 * points to their centers, and of a price z for each center, is small; z is chosen so that there are kMin to kMax of them.
 *
 *     speedy:  each point in turn is opened with a probability of its cost by z
 *     gain:    what would be won by opening x: points that are nearer to x go there, and a center with less than z to win by
 *              staying open closes, as its other points go to x too; it is done if something is won
 *     FL:      the gain of candidates in random order, until a pass wins next to nothing
 *
 * Points are split into BLOCKS parts, whatever the number of PEs, and sums over points are sums over blocks in their order. So
 * costs and centers are the same bits for any number of PEs. All PEs know z, k and the cost, and draw the same random numbers.
 *
 * Source: L. O'Callaghan, N. Mishra, A. Meyerson, S. Guha, R. Motwani, "Streaming-data algorithms for high-quality clustering",
 * ICDE 2002; the steps, their names and constants after PARSEC's description of its streamcluster. Written from those.
 */

/** Parts of the points; PEs beyond as many have nothing to do. */
const BLOCKS = 64;
/** Passes are so many times kMax log kMax candidates long, and so many times kMin log kMin points are candidates. */
const ITERATIONS = 3;
/** Of a price: points that are all the same never give more than one center. */
const MOST_TRIES = 100;
/** There is room for so many times kMax centers, and some more: a low price opens more than are wanted, for a while. */
const MORE = 16;
const LEAST = 256;
const ROUGH = 0.1;
const FINE = 0.001;

/** Arrays that all PEs see. */
export interface Room {
  floats(length: number): Float32Array;
  doubles(length: number): Float64Array;
  integers(length: number): Int32Array;
  bytes(length: number): Uint8Array;
}

/** One of the PEs that search together. */
export interface Seat {
  readonly rank: number;
  readonly size: number;
  /** Waits for all. */
  wait(): void;
}

/** Random numbers below 1 in an order that depends on the seed alone: mulberry32, as in C (packages/tundish-bench/src/peers/c/streamcluster.c). */
export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(end: number): number {
    return Math.floor(this.next() * end);
  }
}

/** Points with their weights and centers. */
export class Points {
  readonly dim: number;
  num = 0;
  readonly coordinates: Float32Array;
  /** By place in the order of the search: number of the point, by which its coordinates lie; its weight, center and cost. */
  readonly id: Int32Array;
  readonly weight: Float64Array;
  /** Place of its center. */
  readonly assign: Int32Array;
  readonly cost: Float64Array;

  constructor(room: Room, most: number, dim: number) {
    this.dim = dim;
    this.coordinates = room.floats(most * dim);
    this.id = room.integers(most);
    this.weight = room.doubles(most);
    this.assign = room.integers(most);
    this.cost = room.doubles(most);
  }

  /** The squared distance of two places. */
  distance(a: number, b: number): number {
    const { coordinates, dim, id } = this;
    const [from, to] = [id[a] * dim, id[b] * dim];
    let sum = 0;
    for (let i = 0; i < dim; i++) {
      const d = coordinates[from + i] - coordinates[to + i];
      sum += d * d;
    }
    return sum;
  }
}

/** The limits of the number of centers. */
export interface Wanted {
  readonly kMin: number;
  readonly kMax: number;
}

/** A search by some PEs: each has one, over the same arrays. */
export class LocalSearch {
  readonly #seat: Seat;
  readonly #draws: Draws;
  readonly #wanted: Wanted;
  readonly #isCenter: Uint8Array;
  readonly #switches: Uint8Array;
  readonly #feasible: Int32Array;
  /** The number of a center among all. */
  readonly #table: Int32Array;
  /** By block: a sum, and the centers in it. */
  readonly #sums: Float64Array;
  readonly #counts: Int32Array;
  /** By block and center, and by center: what is won by closing it. */
  readonly #lower: Float64Array;
  readonly #gains: Float64Array;
  /** Centers that there is room for. */
  readonly #most: number;
  #points!: Points;
  #k = 0;
  /** Calls of `gain` so far. */
  gains = 0;

  /** @param most points, at most */
  constructor(seat: Seat, room: Room, most: number, wanted: Wanted, draws: Draws) {
    this.#seat = seat;
    this.#draws = draws;
    this.#wanted = wanted;
    this.#isCenter = room.bytes(most);
    this.#switches = room.bytes(most);
    this.#feasible = room.integers(most);
    this.#table = room.integers(most);
    this.#sums = room.doubles(BLOCKS);
    this.#counts = room.integers(BLOCKS);
    this.#most = Math.min(most, MORE * wanted.kMax + LEAST);
    this.#lower = room.doubles(BLOCKS * this.#most);
    this.#gains = room.doubles(this.#most);
  }

  /** Chooses centers. Collective. @returns the cost, that of the centers left out */
  run(points: Points): number {
    const { kMin, kMax } = this.#wanted;
    const { num } = points;
    this.#points = points;
    if (num <= kMax) {
      this.#each((i) => {
        points.assign[i] = i;
        points.cost[i] = 0;
      });
      this.#seat.wait();
      return 0;
    }
    let low = 0;
    let high = this.#total((i) => points.distance(i, 0) * points.weight[i]);
    let z = (high + low) / 2;
    this.#shuffle();
    let cost = this.#speedy(z);
    for (let tries = 1; this.#k < kMin && tries < MOST_TRIES; tries++) {
      // one more try with the same price, then a lower one
      if (tries > 1) {
        high = z;
        z = (high + low) / 2;
        this.#shuffle();
      }
      cost = this.#speedy(z);
    }
    const candidates = this.#select();
    this.#mark();
    for (;;) {
      const rounds = Math.floor(ITERATIONS * kMax * Math.log(kMax));
      cost = this.#locate(candidates, z, cost, rounds, ROUGH);
      const k = this.#k;
      if ((k <= 1.1 * kMax && k >= 0.9 * kMin) || (k <= kMax + 2 && k >= kMin - 2)) {
        cost = this.#locate(candidates, z, cost, rounds, FINE);
      }
      const before = z;
      if (this.#k > kMax) low = z;
      else if (this.#k < kMin) high = z;
      else break;
      if (low >= 0.999 * high) break;
      z = (high + low) / 2;
      cost += (z - before) * this.#k;
    }
    return cost - z * this.#k;
  }

  /** The places of the centers, ascending. */
  centers(): number[] {
    const { assign, num } = this.#points;
    return Array.from({ length: num }, (_, i) => i).filter((i) => assign[i] === i);
  }

  /** The points of this PE. */
  #each(visit: (i: number) => void): void {
    for (let block = this.#first; block < this.#end; block++) {
      for (let i = this.#start(block); i < this.#start(block + 1); i++) visit(i);
    }
  }

  get #first(): number {
    return Math.floor((BLOCKS * this.#seat.rank) / this.#seat.size);
  }

  get #end(): number {
    return Math.floor((BLOCKS * (this.#seat.rank + 1)) / this.#seat.size);
  }

  #start(block: number): number {
    return Math.floor((this.#points.num * block) / BLOCKS);
  }

  /** The sum over all points, the same everywhere. */
  #total(value: (i: number) => number): number {
    for (let block = this.#first; block < this.#end; block++) {
      let sum = 0;
      for (let i = this.#start(block); i < this.#start(block + 1); i++) sum += value(i);
      this.#sums[block] = sum;
    }
    this.#seat.wait();
    const sum = this.#sum(0);
    this.#seat.wait();
    return sum;
  }

  #sum(start: number): number {
    let sum = start;
    for (let block = 0; block < BLOCKS; block++) sum += this.#sums[block];
    return sum;
  }

  /** Swaps places; all draw, and one does it. */
  #shuffle(): void {
    const { num, id, weight } = this.#points;
    for (let i = 0; i < num - 1; i++) {
      const j = i + this.#draws.below(num - i);
      if (this.#seat.rank > 0) continue;
      [id[i], id[j]] = [id[j], id[i]];
      [weight[i], weight[j]] = [weight[j], weight[i]];
    }
    this.#seat.wait();
  }

  #speedy(z: number): number {
    const points = this.#points;
    const { num, weight, assign, cost } = points;
    this.#each((i) => {
      cost[i] = points.distance(i, 0) * weight[i];
      assign[i] = 0;
    });
    this.#k = 1;
    this.#seat.wait();
    for (let x = 1; x < num; x++) {
      // nobody changes a cost before all have looked: that is after the next barrier
      if (this.#draws.next() >= cost[x] / z) continue;
      if (++this.#k > this.#most) throw new Error(`there is room for ${this.#most} centers, and there are more`);
      this.#seat.wait();
      this.#each((i) => {
        const own = points.distance(i, x) * weight[i];
        if (own >= cost[i]) return;
        cost[i] = own;
        assign[i] = x;
      });
      this.#seat.wait();
    }
    return this.#total((i) => cost[i]) + z * this.#k;
  }

  /** Chooses candidates by weight. @returns how many */
  #select(): number {
    const { num, weight } = this.#points;
    const { kMin } = this.#wanted;
    const wanted = Math.floor(ITERATIONS * kMin * Math.log(kMin));
    const isFirst = this.#seat.rank === 0;
    if (wanted >= num || wanted < 1) {
      if (isFirst) for (let i = 0; i < num; i++) this.#feasible[i] = i;
      this.#seat.wait();
      return num;
    }
    const sums = new Float64Array(num);
    let all = 0;
    for (let i = 0; i < num; i++) sums[i] = all += weight[i];
    for (let i = 0; i < wanted; i++) {
      const at = this.#draws.next() * all;
      if (isFirst) this.#feasible[i] = firstAbove(sums, at);
    }
    this.#seat.wait();
    return wanted;
  }

  #mark(): void {
    const { assign } = this.#points;
    this.#each((i) => {
      this.#isCenter[i] = assign[i] === i ? 1 : 0;
    });
    this.#seat.wait();
  }

  /** Facility location: passes over the candidates while one wins at least this share. */
  #locate(candidates: number, z: number, start: number, rounds: number, share: number): number {
    let cost = start;
    for (let change = cost; change / cost > share; cost -= change) {
      change = 0;
      for (let i = 0; i < candidates - 1; i++) {
        const j = i + this.#draws.below(candidates - i);
        if (this.#seat.rank > 0) continue;
        [this.#feasible[i], this.#feasible[j]] = [this.#feasible[j], this.#feasible[i]];
      }
      this.#seat.wait();
      for (let i = 0; i < rounds; i++) change += this.#gain(this.#feasible[i % candidates], z);
    }
    return cost;
  }

  /** Opens x if something is won by it. @returns what was won */
  #gain(x: number, z: number): number {
    const [first, end, points, k] = [this.#first, this.#end, this.#points, this.#k];
    if (k >= this.#most) throw new Error(`there is room for ${this.#most} centers, and there are more`);
    const { weight, assign, cost } = points;
    const wait = () => this.#seat.wait();
    const [isCenter, table, counts, lower, sums] = [this.#isCenter, this.#table, this.#counts, this.#lower, this.#sums];
    this.gains++;
    // the centers are numbered
    for (let block = first; block < end; block++) {
      counts[block] = 0;
      for (let i = this.#start(block); i < this.#start(block + 1); i++) counts[block] += isCenter[i];
    }
    wait();
    let number = 0;
    for (let block = 0; block < first; block++) number += counts[block];
    this.#each((i) => {
      if (isCenter[i] === 1) table[i] = number++;
    });
    wait();
    // what changes by opening x, by block
    for (let block = first; block < end; block++) {
      const row = block * k;
      lower.fill(0, row, row + k);
      let sum = 0;
      for (let i = this.#start(block); i < this.#start(block + 1); i++) {
        const change = points.distance(i, x) * weight[i] - cost[i];
        this.#switches[i] = change < 0 ? 1 : 0;
        if (change < 0) sum += change;
        else lower[row + table[assign[i]]] -= change;
      }
      sums[block] = sum;
    }
    wait();
    // what is won by closing each center
    const [from, to] = [0, 1].map((side) => Math.floor((k * (this.#seat.rank + side)) / this.#seat.size));
    for (let center = from; center < to; center++) {
      let gain = z;
      for (let block = 0; block < BLOCKS; block++) gain += lower[block * k + center];
      this.#gains[center] = gain;
    }
    wait();
    let price = this.#sum(z);
    let closing = 0;
    for (let center = 0; center < k; center++) {
      if (this.#gains[center] <= 0) continue;
      closing++;
      price -= this.#gains[center];
    }
    if (price >= 0) {
      // the sums are written again after the second barrier from here
      return 0;
    }
    this.#each((i) => {
      if (this.#switches[i] === 1 || this.#gains[table[assign[i]]] > 0) {
        cost[i] = points.distance(i, x) * weight[i];
        assign[i] = x;
      }
    });
    this.#each((i) => {
      if (i === x) isCenter[i] = 1;
      else if (isCenter[i] === 1 && this.#gains[table[i]] > 0) isCenter[i] = 0;
    });
    this.#k += 1 - closing;
    wait();
    return -price;
  }
}

/** The first of ascending numbers that is above a value. */
function firstAbove(sums: Float64Array, value: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
