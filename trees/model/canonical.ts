/**
 * An order of a group's PEs that does not depend on their numbers: the order in which all searches see them.
 *
 * PEs with different costs to and from them are ordered by these costs; the others are distinguished step by step.
 * First each PE gets a key that is independent of the numbers: a hash of the multiset of its row and its column,
 * together with the domains that it shares, repeated with the keys of its peers as long as that distinguishes more PEs.
 * PEs with equal keys form a class. Then every PE that is alone in its class splits all other classes by the costs to
 * and from it. When no such PE is left, the first PE of the first class is separated, and so on until all are.
 *
 * Why: ties in a search are decided by order, and its random numbers are applied to PEs in that order. Otherwise the
 * same machine with its PEs renumbered would get a tree that is up to 1 % faster or slower.
 *
 * Limits: the order is the same for any numbering if costs are noisy, and if indistinguishable PEs are interchangeable,
 * as on machines whose costs depend on domains only. On others with many ties, such as a torus, the choice of the
 * separated PE can matter. O(n^2), or O(n^2 log n) with ties.
 *
 * Source: colour refinement and individualisation, as in McKay, "Practical graph isomorphism" (1981).
 *
 * Example: costs 1 within {0, 2} and {1, 3}, 9 between: one class. 0 is separated; 2 differs from 1 and 3 in its cost
 * from 0; then 1 is separated from 3: 0, 2, 1, 3, or a similar order with the two pairs together.
 */

/** The relations by which a group's PEs are distinguished. */
export interface Relations {
  readonly size: number;
  /** size x size matrices of costs, row = sender. */
  readonly costs: readonly Float64Array[];
  /** By member: members with different relays are different. */
  readonly relay: Float64Array;
  /** Known partitions of the group: the domain of each member. */
  readonly hints: readonly Int32Array[];
  /** The root to use: different from all others. */
  readonly root: number | undefined;
}

/** On real machines further rounds of keys distinguish no more PEs. */
const ROUNDS = 3;

/** Members that are not distinguished yet, or the classes that they were split into. */
interface Class {
  readonly members: number[];
  parts: Class[];
}

/** The members in an order that is the same, or equivalent, for any numbering. */
export function canonicalOrder(relations: Relations): number[] {
  const { size, root, relay } = relations;
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
  cut((a, b) => (relay[a] as number) - (relay[b] as number));
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

/** The members of all classes in order; without recursion, as classes may be nested thousands deep. */
function flatten(all: Class): number[] {
  const order: number[] = [];
  const left = [all];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.parts.length === 0) order.push(...next.members);
    for (let i = next.parts.length - 1; i >= 0; i--) left.push(next.parts[i] as Class);
  }
  return order;
}

/** Compares members by their costs from and to `single`, and by whether they share a domain with it. */
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

/** Splits a class by differences of its members; returns the parts, or the class itself. */
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

/** A key for each member from its row, its column and the former keys; sums, so that the order does not matter. */
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
