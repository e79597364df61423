/** Sets that all PEs of a node read and write: maps without values. */
import { u8 } from "../../../ground/item/item-type.ts";
import type { Group } from "../../../pe/group.ts";
import type { KeyOf, SharedKey } from "./element.ts";
import { mapOf, type SharedMap, type SharedMapOptions } from "./map.ts";

/** A set that all PEs of a node read and write, made by {@link sharedSet}; as {@link SharedMap}. */
export interface SharedSet<K extends SharedKey> {
  readonly size: number;
  has(key: KeyOf<K>): boolean;
  /** @returns whether it was not there: of several PEs that add it at once one gets true */
  add(key: KeyOf<K>): boolean;
  /** @returns whether it was there */
  delete(key: KeyOf<K>): boolean;
  values(): IterableIterator<KeyOf<K>>;
  [Symbol.iterator](): IterableIterator<KeyOf<K>>;
  leave(): void;
}

/**
 * Makes a set that the PEs of a group share. Collective, as {@link sharedMap}.
 *
 *     const seen = sharedSet(pe, u64);
 *     if (seen.add(state)) explore(state);
 *
 * @throws as sharedMap
 */
export function sharedSet<const K extends SharedKey>(pe: Group, key: K, options: SharedMapOptions = {}): SharedSet<K> {
  const map: SharedMap<K, typeof u8> = mapOf(pe, "sharedSet", { key, value: u8, valueBytes: 0 }, options);
  return Object.freeze({
    get size() {
      return map.size;
    },
    has: (x: KeyOf<K>) => map.has(x),
    add: (x: KeyOf<K>) => map.insert(x),
    delete: (x: KeyOf<K>) => map.delete(x),
    values: () => map.keys(),
    [Symbol.iterator]: () => map.keys(),
    leave: () => map.leave(),
  });
}
