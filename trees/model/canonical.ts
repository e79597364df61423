/**
 * An order of a group's PEs that does not depend on their numbers: the order in which all searches see them.
 *
 * What: who is told apart by what it costs to send to it and from it comes in the order of that, the rest is
 * told apart step by step. First a key for each PE, the same whatever the numbers: a hash of the multiset of
 * its row and its column, together with which domains it shares, once more with the keys of those it sends
 * to, as long as that tells more apart. PEs of one key make a class. Then every PE that is alone in its class
 * splits all other classes by the costs to and from it. When nobody is left who could, the first of the first
 * class is set apart, and so on until all are.
 *
 * Why: ties in a search are decided by order, and its random numbers meet PEs in that order. So the same
 * machine with its PEs renumbered would have a tree that is up to 1 % faster or slower.
 *
 * Limits: the order is the same for any numbering when costs are noisy, and when those who cannot be told
 * apart can take each other's place, as on machines whose costs are those of common domains. On others with
 * many ties, such as a torus, which one is set apart can make a difference. O(n^2), or O(n^2 log n) with ties.
 * Source: colour refinement and individualisation, as in McKay, "Practical graph isomorphism" (1981).
 *
 * Example: costs 1 within {0, 2} and {1, 3}, 9 between: one class. 0 is set apart; 2 differs from 1 and 3 in
 * what it costs from there; then 1 is set apart from 3: 0, 2, 1, 3, or the like, with the two pairs together.
 */

/** What a group's PEs are told apart by. */
export interface Relations {
  readonly size: number;
  /** size x size matrices of costs, row = sender. */
  readonly costs: readonly Float64Array[];
  /** Partitions that are known of the group: the domain of each member. */
  readonly hints: readonly Int32Array[];
  /** The root to use: different from all others. */
  readonly root: number | undefined;
}

/** More rounds of keys tell nothing more apart on real machines. */
const ROUNDS = 3;

/** Members that are not told apart so far, or the classes that they have become. */
interface Class {
  readonly members: number[];
  parts: Class[];
}

/** The members in an order that is the same, or as good as the same, however they are numbered. */
export function canonicalOrder(relations: Relations): number[] {
  const { size, root } = relations;
  let keys: Int32Array = new Int32Array(size);
  if (root !== undefined) keys[root] = 1;
  const all = classOf(Array.from({ length: size }, (_, member) => member));
  let open = size > 1 ? [all] : [];
  const singles: number[] = [];
  const cut = (compare: (a: number, b: number) => number): boolean => {
    const before = open.length;
    const parts = open.map((group) => split(group, compare));
    open = parts.flat();
    const isCut = open.length !== before;
    singles.push(...open.flatMap(({ members }) => (members.length === 1 ? members : [])));
    open = open.filter(({ members }) => members.length > 1);
    return isCut;
  };
  cut((a, b) => (keys[b] as number) - (keys[a] as number));
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    keys = keysOf(relations, keys);
    if (!cut((a, b) => (keys[a] as number) - (keys[b] as number))) break;
  }
  while (open.length > 0) {
    let by = singles.pop();
    if (by === undefined) {
      const first = open[0] as Class;
      by = first.members[0] as number;
      const others = classOf(first.members.slice(1));
      first.parts = [classOf([by]), others];
      open[0] = others;
      if (others.members.length === 1) singles.push(...(open.shift() as Class).members);
    }
    cut(byCostsOf(relations, by));
  }
  return flatten(all);
}

const classOf = (members: number[]): Class => ({ members, parts: [] });

/** The members of all classes in order; no recursion, ties may be nested thousands deep. */
function flatten(all: Class): number[] {
  const order: number[] = [];
  const left = [all];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.parts.length === 0) order.push(...next.members);
    for (let i = next.parts.length - 1; i >= 0; i--) left.push(next.parts[i] as Class);
  }
  return order;
}

/** Orders members by what it costs to send to them and from them, and by whether they share a domain. */
function byCostsOf({ size, costs, hints }: Relations, single: number): (a: number, b: number) => number {
  return (a, b) => {
    for (const cost of costs) {
      const there = (cost[single * size + a] as number) - (cost[single * size + b] as number);
      if (there !== 0) return there;
      const back = (cost[a * size + single] as number) - (cost[b * size + single] as number);
      if (back !== 0) return back;
    }
    for (const home of hints) {
      const own = home[single];
      if ((home[a] === own) !== (home[b] === own)) return home[a] === own ? -1 : 1;
    }
    return 0;
  };
}

/** Cuts a class where its members differ: what it has become, itself when they do not. */
function split(group: Class, compare: (a: number, b: number) => number): Class[] {
  const { members } = group;
  const first = members[0] as number;
  if (members.every((member) => compare(first, member) === 0)) return [group];
  let last: Class | undefined;
  for (const member of members.toSorted(compare)) {
    if (last !== undefined && compare(last.members[0] as number, member) === 0) last.members.push(member);
    else {
      last = classOf([member]);
      group.parts.push(last);
    }
  }
  return group.parts;
}

/** A key for each member by its row, its column and the former keys; sums, so the order is of no account. */
function keysOf({ size, costs, hints }: Relations, former: Int32Array): Int32Array {
  const keys = former.map((key) => mix(key));
  // the bits of a number are two words
  const words = costs.map((cost) => new Uint32Array(cost.buffer, cost.byteOffset, 2 * cost.length));
  for (let from = 0; from < size; from++) {
    for (let to = 0; to < size; to++) {
      if (from === to) continue;
      const edge = 2 * (from * size + to);
      let bits = 0;
      for (const home of hints) bits = (bits << 1) | (home[from] === home[to] ? 1 : 0);
      for (const word of words) {
        bits = Math.imul(bits ^ (word[edge] as number), 0x85ebca6b);
        bits = Math.imul(bits ^ (bits >>> 15) ^ (word[edge + 1] as number), 0xc2b2ae35);
      }
      keys[from] = ((keys[from] as number) + mix(bits ^ (former[to] as number))) | 0;
      keys[to] = ((keys[to] as number) + mix(bits ^ ~(former[from] as number))) | 0;
    }
  }
  return keys;
}

/** A word with its bits well mixed: the end of MurmurHash3 (Appleby 2011). */
function mix(word: number): number {
  let z = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
