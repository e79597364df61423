/** A case as one PE sees it, and how the PE makes the call. */
import type { Group, PE } from "../../../src/index.ts";
import * as tundish from "../../../src/index.ts";
import type { Case } from "./cases.ts";
import { type Arena, PLACES, type Place } from "./places.ts";
import type { TypeName } from "./reference.ts";

/** A case as one PE of a group sees it. */
export interface Scene {
  readonly pe: PE;
  /** The world, or one of the case's groups. */
  readonly group: Group;
  readonly arena: Arena;
  readonly one: Case;
  /** Differs from group to group. */
  readonly seed: number;
  readonly root: number;
}

/** Makes the call at this PE, in the form that the case asks for. */
export function call(scene: Scene, ...args: readonly unknown[]): Promise<unknown> {
  return callWith(scene, {}, ...args);
}

/** The same with options. */
export function callWith({ pe, group, one }: Scene, given: object, ...args: readonly unknown[]): Promise<unknown> {
  const later = one.form === "async" || (one.form === "some async" && (group.rank + one.seed) % 2 === 0);
  const owner = (group === pe && one.seed % 3 === 0 ? tundish : group) as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const options = { ...(one.algorithm !== null && { algorithm: one.algorithm }), ...given };
  const more = Object.keys(options).length === 0 ? [] : [options];
  return owner[later ? `${one.call}Async` : one.call](...args, ...more) as Promise<unknown>;
}

export const placeOf = ({ one }: Scene, rank: number): Place =>
  PLACES[(one.place + (one.apart ? rank : 0)) % PLACES.length];

export const isArrayKind = (kind: Case["kind"]): kind is TypeName => kind.endsWith("Array");

/** Ranks of the group. */
export const ranksOf = ({ group }: Scene): number[] => Array.from({ length: group.size }, (_, rank) => rank);
