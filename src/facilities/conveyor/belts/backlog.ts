/**
 * The backlog of a conveyor: items that handlers sent while the conveyor had no room, in order. A handler must not
 * wait, so its items are copied here. Later items that this PE sends through the conveyor queue up behind them.
 *
 * Limits: this file does not bound the memory; who uses it says what bounds it (facilities/selector/mailbox.ts). An
 * entry takes some hundred bytes.
 */

import { lengthOf } from "../../../ground/base/byte-length.ts";
import { Fifo } from "../../../ground/base/fifo.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Pushing } from "../codegen/parts.ts";
import { copyOf } from "./rigid-bi.ts";

interface Entry {
  readonly dest: number;
  readonly values: readonly unknown[];
}

/** Of an elastic conveyor: an item is bytes, of any length. */
const ANY_LENGTH = null;

export class Backlog {
  /** Types of the arguments of a send, without the destination. */
  readonly #types: readonly (ItemType | typeof ANY_LENGTH)[];
  readonly #entries = new Fifo<Entry>();
  /** Largest number of entries since the last clear. */
  most = 0;

  /** @param item null for bytes of any length */
  constructor(item: ItemType | typeof ANY_LENGTH) {
    this.#types = item?.kind === "struct" ? item.fields.map(({ type }) => type) : [item];
  }

  /** Number of waiting entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** Whether {@link add} can store the values, and a push will accept them. */
  admits(values: readonly unknown[]): boolean {
    return values.length === this.#types.length && this.#types.every((type, i) => isOf(type, values[i]));
  }

  /** Stores a copy. @param values for which {@link admits} is true */
  add(dest: number, values: readonly unknown[]): void {
    this.#entries.add({ dest, values: this.#types.map((type, i) => copied(type, values[i])) });
    this.most = Math.max(this.most, this.length);
  }

  /** Pushes entries in order while there is room. */
  flush(to: Pushing): void {
    const entries = this.#entries;
    for (let entry = entries.first; entry !== undefined; entry = entries.first) {
      if (!to.push(entry.dest, ...entry.values)) return;
      entries.leave();
    }
  }

  clear(): void {
    this.#entries.clear();
    this.most = 0;
  }
}

const copied = (type: ItemType | typeof ANY_LENGTH, value: unknown): unknown =>
  type === ANY_LENGTH ? new Uint8Array(value as Uint8Array) : copyOf(type, value);

/** Whether a push accepts the value for an item or a field of this type. */
function isOf(type: ItemType | typeof ANY_LENGTH, value: unknown): boolean {
  if (type === ANY_LENGTH) return lengthOf(value) >= 0;
  if (type.kind === "bytes") return lengthOf(value) === type.bytes;
  if (type.kind === "scalar") {
    return typeof value === (type.name === "i64" || type.name === "u64" ? "bigint" : "number");
  }
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return type.fields.every(({ name, type }) => isOf(type, fields[name]));
}
