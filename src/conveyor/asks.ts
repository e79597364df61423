/**
 * Asks: promises for the replies of a biconveyor. Replies come in the order of the queries, so those who wait for them
 * stand in a line.
 */
import { columnFor, columnsIn, lanesOf } from "../item/columns.ts";
import { rowsOf, rowWriter, treeOf } from "../item/rows.ts";
import type { ItemType } from "../item/types.ts";
import { Line } from "./line.ts";
import type { Pump } from "./pump.ts";

/** Who waits for one or more replies; `count` are missing. */
interface Asker {
  count: number;
  take(reply: unknown): void;
}

/** What the line needs of a biconveyor. */
export interface Asked {
  readonly push: (dest: number, ...values: readonly unknown[]) => boolean;
  pull(): boolean;
  readonly item: unknown;
}

/** Those who wait for replies, in order. */
export class Asks {
  readonly #c: Asked;
  readonly #pump: Pump;
  readonly #copy: (reply: unknown) => unknown;
  readonly #line = new Line<Asker>();

  /** @param copy of a reply that is kept */
  constructor(c: Asked, pump: Pump, copy: (reply: unknown) => unknown) {
    this.#c = c;
    this.#pump = pump;
    this.#copy = copy;
  }

  /** Asks one query. */
  one(dest: number, values: readonly unknown[]): Promise<unknown> {
    const c = this.#c;
    return new Promise((resolve, reject) => {
      const asker = { count: 1, take: (reply: unknown) => resolve(this.#copy(reply)) };
      const push = (): boolean => {
        if (!c.push(dest, ...values)) return false;
        this.#line.add(asker);
        return true;
      };
      if (this.#pump.isClear && push()) return;
      this.#pump.push("ask", push).catch(reject);
    });
  }

  /** Asks many queries; the replies are put into columns. */
  many(dests: Uint32Array, query: ItemType, given: unknown, reply: ItemType): Promise<unknown> {
    const c = this.#c;
    const { length } = dests;
    const row = rowsOf(query, columnsIn(lanesOf(query), given, length, "askAll"));
    const columns = lanesOf(reply).map((lane) => columnFor(lane, length));
    const put = rowWriter(reply, columns);
    return new Promise((resolve, reject) => {
      let got = 0;
      const whole = () => resolve(treeOf(reply, columns));
      if (length === 0) whole();
      const asker: Asker = {
        count: 0,
        take(value) {
          put(got++, value);
          if (got === length) whole();
        },
      };
      let sent = 0;
      const line = this.#line;
      this.#pump.add("askAll", {
        try() {
          try {
            for (; sent < length; sent++) {
              if (!c.push(dests[sent] as number, ...row(sent))) return false;
              if (asker.count++ === 0) line.add(asker);
            }
          } catch (error) {
            reject(error as Error);
          }
          return true;
        },
      });
    });
  }

  /** Hands out the replies that have come. */
  answer(): void {
    const c = this.#c;
    while (c.pull()) {
      const asker = this.#line.first as Asker;
      if (--asker.count === 0) this.#line.leave();
      asker.take(c.item);
    }
  }
}
