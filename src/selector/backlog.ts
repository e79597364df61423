/**
 * The backlog of a mailbox: items that handlers sent while the conveyor had no room, in order. A handler must not wait,
 * so its items are copied here. Later items that this PE sends to the mailbox queue up behind them.
 *
 * Limits: this file does not bound the memory; mailbox.ts says what bounds it. An entry takes some hundred bytes.
 */

import { lengthOf } from "../base/byte-length.ts";
import { Fifo } from "../base/fifo.ts";
import { copyOf } from "../conveyor/belts/rigid-bi.ts";
import type { Pushing } from "../conveyor/codegen/parts.ts";
import type { ItemType } from "../item/types.ts";

interface Entry {
  readonly dest: number;
  readonly values: readonly unknown[];
}

export class Backlog {
  /** Types of the arguments of a send, without the destination. */
  readonly #types: readonly ItemType[];
  readonly #entries = new Fifo<Entry>();
  /** Largest number of entries since the last clear. */
  most = 0;

  constructor(item: ItemType) {
    this.#types = item.kind === "struct" ? item.fields.map(({ type }) => type) : [item];
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
    this.#entries.add({ dest, values: this.#types.map((type, i) => copyOf(type, values[i])) });
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

/** Whether a push accepts the value for an item or a field of this type. */
function isOf(type: ItemType, value: unknown): boolean {
  if (type.kind === "bytes") return lengthOf(value) === type.bytes;
  if (type.kind === "scalar") {
    return typeof value === (type.name === "i64" || type.name === "u64" ? "bigint" : "number");
  }
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return type.fields.every(({ name, type }) => isOf(type, fields[name]));
}
