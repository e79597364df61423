/** The entry that a visitor of a map gets. */
import { UsageError } from "../../ground/base/errors.ts";
import type { Assigned } from "./content/assigned.ts";
import type { KeyIndex } from "./content/index-of.ts";
import { NONE } from "./tables/table.ts";

/** The entry of a key, at its owner: valid until the visitor returns. */
export interface Entry<K, V> {
  /** Its key. */
  readonly key: K;
  /**
   * Its value; undefined if there is none. What is assigned is stored, and makes the entry if there is none; undefined
   * removes it. Values that are objects may also be changed where they are.
   */
  value: V | undefined;
  /** Whether there is one. */
  readonly exists: boolean;
}

/** The entry on which visitors work, one after another. */
export class CurrentEntry<K, V> implements Entry<K, V> {
  readonly #index: KeyIndex<K, V>;
  readonly #assigned: Assigned;
  /** Of the visitor, for messages. */
  #call = "";
  #entry = NONE;
  #isOver = true;

  /** @param assigned what is stored of a value */
  constructor(index: KeyIndex<K, V>, assigned: Assigned) {
    this.#index = index;
    this.#assigned = assigned;
  }

  /**
   * Before a visitor.
   * @param entry of the key that was located last, or NONE
   * @param call of the visitor, for messages
   */
  open(entry: number, call: string): void {
    this.#call = call;
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
    const stored = this.#assigned(`${this.#call}: entry.value`, value) as V;
    if (this.#entry === NONE) this.#entry = this.#index.add();
    table.set(this.#entry, stored);
  }

  #check(): void {
    if (!this.#isOver) return;
    throw new UsageError(
      "entry: expected to be used inside its visitor, got a use after that. Keep its key and its value instead.",
    );
  }
}
