/**
 * The backlog of a mailbox: what handlers have sent to it while there was no room, in order. A handler must not wait,
 * so what it sends is copied here; everything else that is sent to the mailbox by this PE comes after it.
 *
 * Limits: memory is not bounded in here; mailbox.ts says what bounds it. An entry takes some hundred bytes.
 */

import { lengthOf } from "../base/byte-length.ts";
import { Fifo } from "../base/fifo.ts";
import { copyOf } from "../conveyor/belts/rigid-bi.ts";
import type { AnyPush } from "../conveyor/codegen/code.ts";
import type { ItemType } from "../item/types.ts";

interface Entry {
  readonly dest: number;
  readonly values: readonly unknown[];
}

export class Backlog {
  /** Types of the arguments of a send, but for the destination. */
  readonly #types: readonly ItemType[];
  readonly #entries = new Fifo<Entry>();
  /** Most entries at once since it was last cleared. */
  most = 0;

  constructor(item: ItemType) {
    this.#types = item.kind === "struct" ? item.fields.map(({ type }) => type) : [item];
  }

  /** Entries that wait. */
  get length(): number {
    return this.#entries.length;
  }

  /** Whether values are what {@link add} can keep, and a push will take. */
  admits(values: readonly unknown[]): boolean {
    return values.length === this.#types.length && this.#types.every((type, i) => isOf(type, values[i]));
  }

  /** Keeps a copy. @param values that are admitted */
  add(dest: number, values: readonly unknown[]): void {
    this.#entries.add({ dest, values: this.#types.map((type, i) => copyOf(type, values[i])) });
    this.most = Math.max(this.most, this.length);
  }

  /** Pushes what there is room for, in order. */
  flush(push: AnyPush): void {
    const entries = this.#entries;
    for (let entry = entries.first; entry !== undefined; entry = entries.first) {
      if (!push(entry.dest, ...entry.values)) return;
      entries.leave();
    }
  }

  clear(): void {
    this.#entries.clear();
    this.most = 0;
  }
}

/** Whether a push takes it for an item or a field of this type. */
function isOf(type: ItemType, value: unknown): boolean {
  if (type.kind === "bytes") return lengthOf(value) === type.bytes;
  if (type.kind === "scalar") {
    return typeof value === (type.name === "i64" || type.name === "u64" ? "bigint" : "number");
  }
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return type.fields.every(({ name, type }) => isOf(type, fields[name]));
}
