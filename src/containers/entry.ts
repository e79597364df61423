/** The entry that a visitor of a map gets. */
import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import type { KeyIndex } from "./content/index-of.ts";
import { NONE } from "./tables/types.ts";

/** The entry of a key, at its owner: valid until the visitor returns. */
export interface Entry<K, V> {
  /** Its key. */
  readonly key: K;
  /**
   * Its value; undefined if there is none. What is assigned is stored, and makes the entry if there is none; undefined removes it. Values
   * that are objects may also be changed where they are.
   */
  value: V | undefined;
  /** Whether there is one. */
  readonly exists: boolean;
}

/** The entry on which visitors work, one after another. */
export class CurrentEntry<K, V> implements Entry<K, V> {
  readonly #index: KeyIndex<K, V>;
  readonly #isValue: (value: unknown) => boolean;
  readonly #expected: string;
  #entry = NONE;
  #isOver = true;

  /** @param isValue whether it is a value of the map @param expected for messages */
  constructor(index: KeyIndex<K, V>, isValue: (value: unknown) => boolean, expected: string) {
    this.#index = index;
    this.#isValue = isValue;
    this.#expected = expected;
  }

  /** Before a visitor. @param entry of the key that was located last, or NONE */
  open(entry: number): void {
    this.#entry = entry;
    this.#isOver = false;
  }

  /** After it. */
  close(): void {
    this.#isOver = true;
  }

  get key(): K {
    this.#check();
    return this.#index.located();
  }

  get exists(): boolean {
    this.#check();
    return this.#entry !== NONE;
  }

  get value(): V | undefined {
    this.#check();
    return this.#entry === NONE ? undefined : this.#index.table.get(this.#entry);
  }

  set value(value: V | undefined) {
    this.#check();
    const { table } = this.#index;
    if (value === undefined) {
      if (this.#entry !== NONE) table.remove(this.#entry);
      this.#entry = NONE;
      return;
    }
    if (!this.#isValue(value)) {
      throw new UsageError(`entry.value: expected ${this.#expected}, got ${shortText(value)}`);
    }
    if (this.#entry === NONE) this.#entry = this.#index.add();
    table.set(this.#entry, value);
  }

  #check(): void {
    if (!this.#isOver) return;
    throw new UsageError(
      "entry: expected to be used inside its visitor, got a use after that. Keep its key and its value instead.",
    );
  }
}
