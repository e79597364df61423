/**
 * The least time to reach a group if every edge of a kind were as cheap as the cheapest of that kind.
 *
 * What: T(a, b, c) is the time a member needs at least when its subtree has a members that are reached by paths inside
 * its fine domain, b others by paths inside its coarse domain, and c by any path. Its first child takes a share of
 * these; of the share of a child in another domain any number may be close to it, up to what the largest domain holds,
 * whether they are or not, which only makes the bound lower. With the least send s and the least edge e of each kind:
 *
 *     T(0, 0, 0) = 0
 *     T(a, b, c) = min of  max(e0 + T(a', b', c'), s0 + T(a-1-a', b-b', c-c'))     a child in the fine domain
 *                          max(e1 + near(b', c'),  s1 + T(a, b-1-b', c-c'))        in the coarse one
 *                          max(e2 + far(c'),       s2 + T(a, b, c-1-c'))           anywhere
 *
 * where near and far give the child the best share of close members, and a child with others below it adds the least
 * relay, which the root has not. If costs depend on the kind alone, the bound was
 * the optimum in all cases that were solved exactly.
 *
 * It is computed in the order of time: for all a, b the largest c for which T(a, b, c) <= t. A c that has grown at time
 * t is available for a child at t + e (+ the relay, unless it is the first growth, the child alone) and for the rest of
 * a subtree at t + s, so that others grow then.
 *
 * Limits: up to n a^2 b^2 steps, but short ones, and fewer where many c come at the same time.
 * Source: ours.
 *
 * Example: see bound-levels.ts.
 */
import type { Deadline } from "../model/deadline.ts";

/** A kind of edges: the least cost of each sort. */
export interface Kind {
  send: number;
  edge: number;
}

/** Three kinds and the sizes of the largest domains; without a middle level, the coarse domain is the whole group. */
export interface Levels {
  readonly kinds: readonly [Kind, Kind, Kind];
  readonly relay: number;
  readonly fine: number;
  readonly coarse: number;
}

/** Approximate largest number of steps of {@link leastTime}. */
export function workOf(size: number, fine: number, coarse: number): number {
  const between = coarse < size ? coarse : 1;
  const any = coarse < size ? size : size - fine + 1;
  return ((fine * between * any) / 2) * ((fine * between) / 4 + between);
}

/** Growths between two reads of the clock. */
const GLANCE = 1024;

/** The least time; 0 if there was no time to find it. */
export function leastTime(size: number, { kinds, relay, fine, coarse }: Levels, deadline: Deadline): number {
  const [k0, k1, k2] = kinds;
  // with one level of domains, every edge outside the fine domain is coarse, and b is not used
  const two = coarse === size;
  const across = two ? k1 : k2;
  // a member of the fine domain may be reached by a path through the coarse one, and is counted there
  const nb = two ? 1 : coarse;
  const states = fine * nb;
  const most = Int32Array.from({ length: states }, (_, state) => {
    const close = Math.floor(state / nb) + (state % nb);
    return two || close < coarse ? size - 1 - close : NONE;
  });
  // c of each a, b: now, as available for a child, and for the rest of a subtree
  const now = new Int32Array(states).fill(NONE);
  const [child0, rest0, rest1, rest2] = [0, 1, 2, 3].map(() => now.slice()) as Quadruple<Int32Array>;
  const child1 = new Int32Array(fine + nb).fill(NONE);
  let child2 = NONE;
  const grown: number[] = [];
  const isGrown = new Uint8Array(states);

  function grow(state: number, c: number): void {
    const to = Math.min(c, most[state] as number);
    if (to <= (now[state] as number)) return;
    now[state] = to;
    if (isGrown[state] === 0) grown.push(state);
    isGrown[state] = 1;
  }
  /** Combines a child or a rest of a subtree with all available ones of the other. */
  function join(others: Int32Array, state: number, c: number): void {
    if (nb === 1) {
      for (let i = 0; i + state + 1 < states; i++) {
        const other = others[i] as number;
        if (other + c > (now[i + state + 1] as number) && other >= 0) grow(i + state + 1, other + c);
      }
      return;
    }
    const b = state % nb;
    for (let from = 0; from + nb + state - b < states; from += nb) {
      const to = from + nb + state;
      for (let i = from; i < from + nb - b; i++) {
        const other = others[i] as number;
        if (other + c > (now[to + i - from] as number) && other >= 0) grow(to + i - from, other + c);
      }
    }
  }
  const uses: readonly ((state: number, c: number) => void)[] = [
    (state, c) => {
      child0[state] = c;
      join(rest0, state, c);
    },
    (state, c) => {
      rest0[state] = c;
      join(child0, state, c);
    },
    (state, c) => {
      const close = Math.floor(state / nb) + (state % nb);
      if (two || c <= (child1[close] as number)) return;
      child1[close] = c;
      for (let rest = 0; rest < states; rest++) {
        const other = rest1[rest] as number;
        if (other >= 0 && (rest % nb) + close + 1 < nb) grow(rest + close + 1, c + other);
      }
    },
    (state, c) => {
      if (two) return;
      rest1[state] = c;
      const b = state % nb;
      for (let close = 0; b + close + 1 < nb; close++) {
        const other = child1[close] as number;
        if (other >= 0) grow(state + close + 1, c + other);
      }
    },
    (state, c) => {
      const all = c + Math.floor(state / nb) + (state % nb);
      if (all <= child2) return;
      child2 = all;
      for (let rest = 0; rest < states; rest++) {
        const other = rest2[rest] as number;
        if (other >= 0) grow(rest, other + 1 + all);
      }
    },
    (state, c) => {
      rest2[state] = c;
      if (child2 >= 0) grow(state, c + 1 + child2);
    },
  ];
  const delays = [k0.edge, k0.send, k1.edge, k1.send, across.edge, across.send];
  // a child that forwards; the first growth is a child alone
  const relays = [relay, 0, relay, 0, relay, 0];

  // growths and their times: each use is later by its own delay, so in the same order
  const times: number[] = [];
  const places: number[] = [];
  const values: number[] = [];
  const next = delays.map(() => 0);
  grow(0, 0);
  for (let time = 0; ; ) {
    let first = 0;
    let soonest = Number.POSITIVE_INFINITY;
    for (const [use, delay] of delays.entries()) {
      const at = next[use] as number;
      const extra = at === 0 ? 0 : (relays[use] as number);
      const there = (times[at] ?? Number.POSITIVE_INFINITY) + extra + delay;
      if (there < soonest) {
        soonest = there;
        first = use;
      }
    }
    // sums of the same costs in another order count as the same time
    if (soonest > time * (1 + ROUNDING)) {
      if (grown.length === 0) time = soonest;
      for (const state of grown) {
        const c = now[state] as number;
        if (c + Math.floor(state / nb) + (state % nb) >= size - 1) return time;
        times.push(time);
        places.push(state);
        values.push(c);
        isGrown[state] = 0;
      }
      if (grown.splice(0).length > 0) continue;
    }
    // costs beyond the largest double
    if (time === Number.POSITIVE_INFINITY) return 0;
    const at = next[first] as number;
    next[first] = at + 1;
    if (at % GLANCE === 0 && deadline.isOver()) return 0;
    (uses[first] as (state: number, c: number) => void)(places[at] as number, values[at] as number);
  }
}

const ROUNDING = 1e-12;

/** Not even without any other. */
const NONE = -1;

type Quadruple<T> = [T, T, T, T];
