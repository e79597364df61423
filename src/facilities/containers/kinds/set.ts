/** Sets: keys alone. */
import type { CallOptions } from "../../../collectives/calls/call.ts";
import { type Kind, kindOf, partOf } from "../container.ts";
import { type Content, type ContentOf, checkContent, describeContent } from "../content/content.ts";
import { columnOf, indexOf, type KeyIndex } from "../content/index-of.ts";
import { KeyedContainer, setKeyed } from "../keyed.ts";
import { KeyedPart } from "../keyed-part.ts";
import type { ContainerPart } from "../part.ts";
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

let makeSet: <K>(part: ContainerPart, index: KeyIndex<K, undefined>) => DistributedSet<K>;

/** A set over all PEs, as seen by one of them. Its operations are for sources and visitors. */
export class DistributedSet<K> extends KeyedContainer<K, undefined> implements SetOperations<K, void> {
  readonly #keyed: KeyedPart<K, undefined>;
  readonly #insert: string;
  readonly #erase: string;

  static {
    makeSet = (part, index) => new DistributedSet(part, index);
  }

  private constructor(part: ContainerPart, index: KeyIndex<K, undefined>) {
    super();
    const keyed = new KeyedPart(part, index);
    this.#keyed = keyed;
    setKeyed(this, part, keyed);
    this.#insert = `${part.name}.insert`;
    this.#erase = `${part.name}.erase`;
    const { table } = index;
    part.receiveBy({
      handle(operation, from) {
        if (operation === INSERT) {
          index.obtain(from);
          return;
        }
        const entry = index.find(from);
        if (entry !== NONE) table.remove(entry);
      },
      look: (_operation, from, round) => keyed.look(false, from, round),
      bytes: () => table.bytes,
      clear: () => keyed.clear(),
    });
  }

  insert(key: K): undefined {
    return this.#keyed.sendKey(INSERT, this.#insert, key) as undefined;
  }

  erase(key: K): undefined {
    return this.#keyed.sendKey(ERASE, this.#erase, key) as undefined;
  }

  /** All keys as a Set at the root; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): Set<K> | undefined {
    return partOf(this).block("gather", this.#keyed.gather(root, toSet), options);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<Set<K> | undefined> {
    return partOf(this).await("gatherAsync", this.#keyed.gather(root, toSet), options);
  }

  /** All keys as a Set at every PE. Collective. */
  allgather(options?: CallOptions): Set<K> {
    return partOf(this).block("allgather", this.#keyed.allgather(toSet), options);
  }

  /** As {@link allgather}, without blocking. */
  allgatherAsync(options?: CallOptions): Promise<Set<K>> {
    return partOf(this).await("allgatherAsync", this.#keyed.allgather(toSet), options);
  }
}

const toSet = <K>(entries: Iterable<[K, unknown]>): Set<K> => new Set(Array.from(entries, ([key]) => key));

/** A set: keys of a content, each once. @throws UsageError */
export function set<const K extends Content>(
  keys: K,
): Kind<DistributedSet<ContentOf<K>>, SetOperations<ContentOf<K>, Promise<void> | undefined>> {
  checkContent("set: key", keys);
  return kindOf(`set(${describeContent(keys)})`, (part) => makeSet(part, indexOf(keys, columnOf(null))));
}
