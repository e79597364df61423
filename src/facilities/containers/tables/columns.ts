/** Values by entry: numbers in typed arrays, all else in a list. */
import type { ArrayType } from "../../../ground/memory/kernels/elements.ts";
import type { Column } from "./table.ts";

/** Entries for which there is room at first: a table makes more at once. */
const FIRST = 1;

/** Values that are numbers, or bigints, in a typed array. */
export class TypedColumn<V extends number | bigint> implements Column<V> {
  readonly #make: ArrayType;
  /** Numbers and bigints are told apart by V alone. */
  #array: { [entry: number]: V; readonly length: number; readonly byteLength: number };

  constructor(make: ArrayType) {
    this.#make = make;
    this.#array = new make(FIRST) as never;
  }

  get bytes(): number {
    return this.#array.byteLength;
  }

  get(entry: number): V {
    return this.#array[entry] as V;
  }

  look(entry: number): number {
    // what the compiler knows without the value, it does not read
    return Number((this.#array[entry] as V) > 0);
  }

  set(entry: number, value: V): void {
    this.#array[entry] = value;
  }

  grow(capacity: number): void {
    if (capacity <= this.#array.length) return;
    const larger = new this.#make(capacity);
    larger.set(this.#array as never);
    this.#array = larger as never;
  }

  erase(entry: number): void {
    this.#array[entry] = this.#zero;
  }

  clear(shrinks: boolean): void {
    if (shrinks) this.#array = new this.#make(FIRST) as never;
    else (this.#array as unknown as { fill(value: V): void }).fill(this.#zero);
  }

  get #zero(): V {
    return (typeof this.#array[0] === "bigint" ? 0n : 0) as V;
  }
}

/** Values of any kind. */
export class ListColumn<V> implements Column<V | undefined> {
  readonly #list: (V | undefined)[] = [];

  get bytes(): number {
    return 8 * this.#list.length;
  }

  get(entry: number): V | undefined {
    return this.#list[entry];
  }

  look(entry: number): number {
    return Number(this.#list[entry] === undefined);
  }

  set(entry: number, value: V | undefined): void {
    this.#list[entry] = value;
  }

  grow(capacity: number): void {
    while (this.#list.length < capacity) this.#list.push(undefined);
  }

  erase(entry: number): void {
    this.#list[entry] = undefined;
  }

  clear(): void {
    this.#list.length = 0;
  }
}

/** Nothing for each entry: of a set. */
export class NoColumn implements Column<undefined> {
  readonly bytes = 0;

  get(): undefined {
    return undefined;
  }

  look(): number {
    return 0;
  }

  set(): void {}
  grow(): void {}
  erase(): void {}
  clear(): void {}
}
