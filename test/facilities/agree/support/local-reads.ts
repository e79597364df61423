/**
 * Whether the local reads of a replica are right: each shows the state after some number of writes in their order, which never goes back
 * at one replica. With it a client that stays at its replica sees a sequentially consistent store.
 *
 * The order of writes is known, so no search is needed: each read takes the earliest place at which its result is right, and not before the
 * place that the calls before it have reached.
 */
import type { Model } from "./history.ts";

/**
 * What happened at one replica, in time order: a local read and its result; or a write of its own that was acknowledged, by place from 1.
 * `since`: a read was begun when so many entries were there; unless told, after all before it.
 */
export type Seen<Op, Result> =
  | { readonly read: Op; readonly result: Result; readonly since?: number }
  | { readonly acknowledged: number };

/**
 * @param order all writes, in order
 * @returns null, or the number of the first entry that is not right
 */
export function findStaleRead<State extends string | number, Op, Result>(
  model: Model<State, Op, Result>,
  order: readonly Op[],
  seen: readonly Seen<Op, Result>[],
): number | null {
  const part = (op: Op) => model.partOf?.(op) ?? "";
  /** By part, the state after each write to it and its place. */
  const states = new Map<string, { place: number; state: State }[]>();
  const statesOf = (name: string) => {
    const known = states.get(name);
    if (known) return known;
    const fresh = [{ place: 0, state: model.initial }];
    states.set(name, fresh);
    return fresh;
  };
  for (const [at, op] of order.entries()) {
    const all = statesOf(part(op));
    const state = model.step((all.at(-1) as { state: State }).state, op, undefined) as State;
    all.push({ place: at + 1, state });
  }
  /** The highest place that the first so many entries have reached. */
  const reachedBy = [0];
  for (const [number, one] of seen.entries()) {
    const before = reachedBy[number] as number;
    if ("acknowledged" in one) {
      reachedBy.push(Math.max(before, one.acknowledged));
      continue;
    }
    const reached = reachedBy[one.since ?? number] as number;
    const all = statesOf(part(one.read));
    const place = all.findIndex(
      ({ state }, at) =>
        // the last one that holds at the place, or a later one
        (all[at + 1]?.place ?? Number.POSITIVE_INFINITY) > reached &&
        model.step(state, one.read, one.result) !== undefined,
    );
    if (place < 0) return number;
    reachedBy.push(Math.max(before, (all[place] as { place: number }).place));
  }
  return null;
}
