/** Sets: keys alone. */
import type { CallOptions } from "../../../collectives/calls/call.ts";
import type { ContainerSeat, Kind } from "../container.ts";
import { type Content, type ContentOf, checkContent, describeContent } from "../content/content.ts";
import type { Cursor } from "../content/cursor.ts";
import { columnOf, indexOf, type KeyIndex } from "../content/index-of.ts";
import { KeyedContainer } from "../keyed.ts";
import { NONE } from "../tables/table.ts";

/** The operations of a set, carried out at the owner of the key. @typeParam Result as of {@link MapOperations} */
export interface SetOperations<K, Result> {
  /** Adds a key. */
  insert(key: K): Result;
  /** Removes a key, if it is there. */
  erase(key: K): Result;
}

const INSERT = 0;
const ERASE = 1;

/** A set over all PEs, as seen by one of them. Its operations are for sources and visitors. */
export class DistributedSet<K> extends KeyedContainer<K, undefined> implements SetOperations<K, void> {
  readonly #index: KeyIndex<K, undefined>;
  readonly #insert: string;
  readonly #erase: string;

  /** @internal */
  constructor(seat: ContainerSeat, index: KeyIndex<K, undefined>) {
    super(seat, index);
    this.#index = index;
    this.#insert = `${seat.name}.insert`;
    this.#erase = `${seat.name}.erase`;
  }

  insert(key: K): undefined {
    return this.sendKey(INSERT, this.#insert, key) as undefined;
  }

  erase(key: K): undefined {
    return this.sendKey(ERASE, this.#erase, key) as undefined;
  }

  /** @internal */
  protected override readsValue(): boolean {
    return false;
  }

  /** @internal */
  handle(operation: number, from: Cursor): void {
    if (operation === INSERT) {
      this.#index.obtain(from);
      return;
    }
    const entry = this.#index.find(from);
    if (entry !== NONE) this.#index.table.remove(entry);
  }

  /** All keys as a Set at the root; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): Set<K> | undefined {
    return this.block("gather", this.gatherSteps(root, toSet), options, root);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<Set<K> | undefined> {
    return this.await("gatherAsync", this.gatherSteps(root, toSet), options, root);
  }

  /** All keys as a Set at every PE. Collective. */
  allgather(options?: CallOptions): Set<K> {
    return this.block("allgather", this.allgatherSteps(toSet), options);
  }

  /** As {@link allgather}, without blocking. */
  allgatherAsync(options?: CallOptions): Promise<Set<K>> {
    return this.await("allgatherAsync", this.allgatherSteps(toSet), options);
  }
}

const toSet = <K>(entries: Iterable<[K, unknown]>): Set<K> => new Set(Array.from(entries, ([key]) => key));

/** A set: keys of a content, each once. @throws UsageError */
export function set<const K extends Content>(
  keys: K,
): Kind<DistributedSet<ContentOf<K>>, SetOperations<ContentOf<K>, Promise<void> | undefined>> {
  checkContent("set: key", keys);
  return {
    terms: `set(${describeContent(keys)})`,
    make: (seat) => new DistributedSet(seat, indexOf(keys, columnOf(null))),
  };
}
