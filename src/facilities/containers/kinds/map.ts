/** Maps: values by key, and visitors that run at the owner of a key. */
import type { AtOnce } from "../../../ground/base/promise.ts";
import { type Kind, kindOf } from "../container.ts";
import { assignedTo } from "../content/assigned.ts";
import { type ContentCodec, codecOf } from "../content/codec.ts";
import {
  type Content,
  type ContentArguments,
  type ContentOf,
  checkContent,
  describeContent,
} from "../content/content.ts";
import type { Cursor } from "../content/cursor.ts";
import { ownerOf } from "../content/hash.ts";
import { columnOf, indexOf, type KeyIndex } from "../content/index-of.ts";
import { CurrentEntry, type Entry } from "../entry.ts";
import { MapLike, setKeyed } from "../keyed.ts";
import { KeyedPart } from "../keyed-part.ts";
import type { ContainerPart } from "../part.ts";
import type { Sent } from "../session/receiver.ts";
import { NONE } from "../tables/table.ts";
import { type AnyVisitors, checkVisitors, Visits, visitorsText } from "../visitors.ts";

/** A function that runs at the owner of a key, with the key's entry. @typeParam A content of its arguments */
export interface Visitor<K, V, A> {
  /** The content of its arguments: of a struct its fields, of any other content one value. @default no arguments */
  readonly args?: A;
  /** It must not wait: what it sends is sent later if there is no room now. */
  run(entry: Entry<K, V>, ...args: ContentArguments<A>): AtOnce;
}

/** Visitors by name. @typeParam A contents of their arguments, by name */
export type Visitors<K, V, A> = { readonly [Name in keyof A]: Visitor<K, V, A[Name]> };

/**
 * The operations of a map. They are carried out at the owner of the key, those that one PE sends there in order.
 * @typeParam A contents of the arguments of visitors, by name
 * @typeParam Result in synchronous sources and visitors void, in asynchronous sources `Promise<void> | undefined`: a
 * promise if there is no room, to be awaited before the next operation
 */
export interface MapOperations<K, V, A, Result> {
  /** Sets the value of a key. */
  insert(key: K, value: V): Result;
  /** Sets the value of a key that has none. */
  insertIfMissing(key: K, value: V): Result;
  /** Removes the entry of a key, if there is one. */
  erase(key: K): Result;
  /** Runs a visitor with the entry of a key, whether there is one or not. */
  visit<Name extends keyof A & string>(key: K, visitor: Name, ...args: ContentArguments<A[Name]>): Result;
  /** Runs a visitor if the key has an entry. */
  visitIfExists<Name extends keyof A & string>(key: K, visitor: Name, ...args: ContentArguments<A[Name]>): Result;
}

const INSERT = 0;
const INSERT_IF_MISSING = 1;
const ERASE = 2;
/** From here on two for each visitor: visit, visitIfExists. */
const VISIT = 3;

let makeMap: <K, V, A>(
  part: ContainerPart,
  keys: Content,
  values: Content,
  visitors: AnyVisitors,
) => DistributedMap<K, V, A>;

/** A map over all PEs, as seen by one of them. Its operations are for sources and visitors. */
export class DistributedMap<K, V, A = object> extends MapLike<K, V> implements MapOperations<K, V, A, void> {
  readonly #part: ContainerPart;
  readonly #keyed: KeyedPart<K, V>;
  readonly #index: KeyIndex<K, V>;
  readonly #value: ContentCodec;
  readonly #visits: Visits;
  readonly #entry: CurrentEntry<K, V>;
  readonly #calls: { readonly insert: string; readonly insertIfMissing: string; readonly erase: string };

  static {
    makeMap = (part, keys, values, visitors) => new DistributedMap(part, keys, values, visitors);
  }

  private constructor(part: ContainerPart, keys: Content, values: Content, visitors: AnyVisitors) {
    super();
    const index = indexOf<K, V>(keys, columnOf(values));
    const keyed = new KeyedPart(part, index);
    setKeyed(this, part, keyed);
    this.#part = part;
    this.#keyed = keyed;
    this.#index = index;
    this.#value = codecOf(values);
    this.#entry = new CurrentEntry(index, assignedTo(values));
    const { name } = part;
    this.#calls = {
      insert: `${name}.insert`,
      insertIfMissing: `${name}.insertIfMissing`,
      erase: `${name}.erase`,
    };
    this.#visits = new Visits(name, visitors);
    part.receiveBy({
      handle: (operation, from) => this.#handle(operation, from),
      look: (operation, from, round) => keyed.look(operation >= VISIT, from, round),
      bytes: () => index.table.bytes,
      clear: () => keyed.clear(),
    });
  }

  insert(key: K, value: V): undefined {
    return this.#put(INSERT, this.#calls.insert, key, value) as undefined;
  }

  insertIfMissing(key: K, value: V): undefined {
    return this.#put(INSERT_IF_MISSING, this.#calls.insertIfMissing, key, value) as undefined;
  }

  erase(key: K): undefined {
    return this.#keyed.sendKey(ERASE, this.#calls.erase, key) as undefined;
  }

  visit<Name extends keyof A & string>(key: K, visitor: Name, ...args: ContentArguments<A[Name]>): undefined {
    return this.#visit(0, key, visitor, args) as undefined;
  }

  visitIfExists<Name extends keyof A & string>(key: K, visitor: Name, ...args: ContentArguments<A[Name]>): undefined {
    return this.#visit(1, key, visitor, args) as undefined;
  }

  #put(operation: number, call: string, key: K, value: V): Sent {
    const scratch = this.#part.begin(operation);
    const hash = this.#index.write(scratch, call, key);
    this.#value.write(scratch, call, value);
    return this.#part.send(ownerOf(hash, this.#part.size), call);
  }

  #visit(ifExists: number, key: K, visitor: string, args: readonly unknown[]): Sent {
    const visit = this.#visits.find(visitor);
    const { call } = visit;
    const scratch = this.#part.begin(VISIT + 2 * visit.number + ifExists);
    const hash = this.#index.write(scratch, call, key);
    visit.write(scratch, call, ...args);
    return this.#part.send(ownerOf(hash, this.#part.size), call);
  }

  #handle(operation: number, from: Cursor): void {
    const index = this.#index;
    const entry = index.locate(from);
    if (operation >= VISIT) {
      const isNeeded = ((operation - VISIT) & 1) === 1;
      if (isNeeded && entry === NONE) return;
      this.#run((operation - VISIT) >>> 1, entry, from);
    } else if (operation === ERASE) {
      if (entry !== NONE) index.table.remove(entry);
    } else if (entry === NONE || operation === INSERT) {
      const place = entry === NONE ? index.add() : entry;
      index.table.set(place, this.#value.read(from) as V);
    }
  }

  #run(visitor: number, entry: number, from: Cursor): void {
    const current = this.#entry;
    current.open(entry, this.#visits.callOf(visitor));
    this.#visits.run(visitor, current, from);
    current.close();
  }
}

/**
 * A map: a value for each key, at the owner of the key.
 *
 *     const { stock } = containers(pe, {
 *       stock: map(text, f64, { add: { args: f64, run(entry, n) { entry.value = (entry.value ?? 0) + n; } } }),
 *     });
 *
 * @param keys any content; of whole numbers those that the type can hold, of others see docs/containers.md
 * @param values any content; numbers are stored as those of the item type are
 * @param visitors by name; those of all PEs have the same names and arguments
 * @throws UsageError
 */
export function map<const K extends Content, const V extends Content, const A extends object = object>(
  keys: K,
  values: V,
  visitors?: Visitors<ContentOf<K>, ContentOf<V>, A>,
): Kind<
  DistributedMap<ContentOf<K>, ContentOf<V>, A>,
  MapOperations<ContentOf<K>, ContentOf<V>, A, Promise<void> | undefined>
> {
  checkContent("map: key", keys);
  checkContent("map: value", values);
  const checked = checkVisitors("map", visitors ?? {});
  const terms = `map(${describeContent(keys)}, ${describeContent(values)}${visitorsText(checked)})`;
  return kindOf(terms, (part) => makeMap(part, keys, values, checked));
}
