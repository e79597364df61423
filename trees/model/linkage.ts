/**
 * Domains found in the costs alone: which members are near each other, at every level.
 *
 * Average linkage: each member begins as a cluster; repeatedly the two clusters with the least average cost between
 * their members are merged, at the height of that cost. A level is where the sorted heights jump by a factor of GAP or
 * more: SMT siblings, shared caches, sockets. The clusters below the jump are its domains. The largest jumps count,
 * LEVELS at most.
 *
 * Limits: a jump of less than a quarter counts as noise; a single outlier forms a domain of its own. O(n^2) time and
 * memory, by chains of nearest neighbours; of large groups only a sample is linked. Source: Sokal, Michener 1958
 * (average linkage); Benzécri 1982, Juan 1982 (chains of nearest neighbours); the gaps: ours.
 *
 * Example: costs 1 within {0, 1} and {2, 3}, 10 between: heights 1, 1, 10, so one level: 0, 0, 1, 1.
 */

/** A jump of the heights by this factor makes a level. */
const GAP = 1.25;
const LEVELS = 4;
/** Larger groups are represented by a sample of about this size. */
const LARGEST = 1024;
const SAMPLE = 512;

interface Merge {
  readonly a: number;
  readonly b: number;
  readonly height: number;
}

/**
 * The levels of domains in a matrix of costs, size x size, fine ones first: the domain of each member,
 * numbered from 0 by their lowest members.
 *
 * @param order all members, the order in which ties are decided
 */
export function linkageLevels(cost: Float64Array, order: readonly number[]): Int32Array[] {
  const { merges, home } = linked(cost, order, LARGEST);
  const jumps: { at: number; ratio: number }[] = [];
  for (let at = 1; at < merges.length; at++) {
    const ratio = (merges[at] as Merge).height / (merges[at - 1] as Merge).height;
    if (ratio >= GAP) jumps.push({ at, ratio });
  }
  return jumps
    .sort((x, y) => y.ratio - x.ratio || x.at - y.at)
    .slice(0, LEVELS)
    .sort((x, y) => x.at - y.at)
    .map(({ at }) => partition(home, merges.slice(0, at)));
}

/** Domains of about `most` members at most, with boundaries suggested by the costs. */
export function boundedDomains(cost: Float64Array, order: readonly number[], most: number): Int32Array {
  const { merges, home } = linked(cost, order, SAMPLE);
  const weight = new Float64Array(order.length);
  for (const place of home) weight[place] = (weight[place] as number) + 1;
  const above = Int32Array.from(order, (_, place) => place);
  const kept = merges.filter(({ a, b }) => {
    const [x, y] = [topOf(above, a), topOf(above, b)];
    const together = (weight[x] as number) + (weight[y] as number);
    weight[x] = together;
    above[y] = x;
    return together <= most;
  });
  return partition(home, kept);
}

/** The merges by height, and the position of each member in them. */
interface Linkage {
  readonly merges: readonly Merge[];
  readonly home: Int32Array;
}

/** Average linkage of all, or of a sample of `most`; other members join the nearest of the sample. */
function linked(cost: Float64Array, order: readonly number[], most: number): Linkage {
  const size = order.length;
  const step = size <= most ? 1 : Math.ceil(size / SAMPLE);
  const sample = order.filter((_, place) => place % step === 0);
  const merges = averageLinkage(cost, size, sample).sort((x, y) => x.height - y.height);
  const home = new Int32Array(size).fill(-1);
  for (const [place, member] of sample.entries()) home[member] = place;
  for (let v = 0; v < size; v++) {
    if ((home[v] as number) >= 0) continue;
    let nearest = Number.POSITIVE_INFINITY;
    for (const [place, member] of sample.entries()) {
      const both = (cost[v * size + member] as number) + (cost[member * size + v] as number);
      if (both < nearest) {
        nearest = both;
        home[v] = place;
      }
    }
  }
  return { merges, home };
}

/** All merges; a cluster is represented by a position in the order. */
function averageLinkage(cost: Float64Array, all: number, order: readonly number[]): Merge[] {
  const size = order.length;
  const distance = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const from = order[i] as number;
    for (let j = 0; j < size; j++) {
      const to = order[j] as number;
      distance[i * size + j] = ((cost[from * all + to] as number) + (cost[to * all + from] as number)) / 2;
    }
  }
  const weight = new Float64Array(size).fill(1);
  const alive = new Uint8Array(size).fill(1);
  const merges: Merge[] = [];
  const chain: number[] = [];
  while (merges.length < size - 1) {
    if (chain.length === 0) chain.push(alive.indexOf(1));
    const top = chain[chain.length - 1] as number;
    const before = chain.length > 1 ? (chain[chain.length - 2] as number) : -1;
    // the former one wins a tie, or the chain would not end
    let nearest = before;
    let least = before >= 0 ? (distance[top * size + before] as number) : Number.POSITIVE_INFINITY;
    for (let other = 0; other < size; other++) {
      if (other === top || alive[other] === 0) continue;
      if ((distance[top * size + other] as number) < least) {
        least = distance[top * size + other] as number;
        nearest = other;
      }
    }
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    merges.push({ a: top, b: nearest, height: least });
    const [wt, wn] = [weight[top] as number, weight[nearest] as number];
    for (let other = 0; other < size; other++) {
      const mean =
        (wt * (distance[top * size + other] as number) + wn * (distance[nearest * size + other] as number)) / (wt + wn);
      distance[nearest * size + other] = mean;
      distance[other * size + nearest] = mean;
    }
    weight[nearest] = wt + wn;
    alive[top] = 0;
  }
  return merges;
}

/** The clusters that some merges make, by member. */
function partition(home: Int32Array, merges: readonly Merge[]): Int32Array {
  const above = home.map((_, place) => place);
  for (const { a, b } of merges) {
    const [x, y] = [topOf(above, a), topOf(above, b)];
    above[Math.max(x, y)] = Math.min(x, y);
  }
  return numbered(home.map((place) => topOf(above, place)));
}

function topOf(above: Int32Array, place: number): number {
  let at = place;
  while (above[at] !== at) at = above[at] as number;
  return at;
}

/** The partition with its domains numbered in the order of their first members. */
export function numbered(domain: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return domain.map((home) => {
    if (!numbers.has(home)) numbers.set(home, numbers.size);
    return numbers.get(home) as number;
  });
}
