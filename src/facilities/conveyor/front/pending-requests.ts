/**
 * Pending requests: promises for the replies of a biconveyor. Replies arrive in the order of the queries, so the
 * requests are kept in a queue.
 */

import { Fifo } from "../../../ground/base/fifo.ts";
import {
  type ColumnArray,
  columnFor,
  columnKind,
  columnsIn,
  type ItemLane,
  lanesOf,
  treeOf,
} from "../../../ground/item/columns.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { ReplyBatch } from "../belts/batch.ts";
import type { EventLoopDriver } from "./event-loop-driver.ts";

/** A request for one reply, or for many. */
type PendingRequest = { readonly take: (reply: unknown) => void } | BatchRequest;

/** Replies to many queries, as columns. */
class BatchRequest {
  /** Queries that were pushed and not answered. */
  missing = 0;
  readonly #lanes: readonly ItemLane[];
  readonly #columns: readonly ColumnArray[];
  readonly #count: number;
  readonly #whole: () => void;
  #got = 0;

  /** @param whole is called when all `count` replies were received */
  constructor(lanes: readonly ItemLane[], columns: readonly ColumnArray[], count: number, whole: () => void) {
    this.#lanes = lanes;
    this.#columns = columns;
    this.#count = count;
    this.#whole = whole;
    if (count === 0) whole();
  }

  /** Stores the next replies. */
  add({ count, columns }: ReplyBatch): void {
    columnsIn(this.#lanes, columns, count, "askAll").forEach((column, i) => {
      const { each } = columnKind(this.#lanes[i]);
      (this.#columns[i] as Uint8Array).set(column as Uint8Array, this.#got * each);
    });
    this.missing -= count;
    this.#got += count;
    if (this.#got === this.#count) this.#whole();
  }
}

/** A biconveyor, as the queue needs it. */
export interface Answering {
  readonly push: (dest: number, ...values: readonly unknown[]) => boolean;
  pull(): boolean;
  readonly item: unknown;
  pushAll(dests: Uint32Array, columns: unknown, first: number, end: number): number;
  pullAll(most: number): ReplyBatch | null;
}

/** The requests without a complete reply, in order. */
export class PendingRequests {
  readonly #c: Answering;
  readonly #loopDriver: EventLoopDriver;
  readonly #copy: (reply: unknown) => unknown;
  readonly #fifo = new Fifo<PendingRequest>();

  /** @param copy copies a reply */
  constructor(c: Answering, loopDriver: EventLoopDriver, copy: (reply: unknown) => unknown) {
    this.#c = c;
    this.#loopDriver = loopDriver;
    this.#copy = copy;
  }

  /** Whether there are pending requests. */
  get isOwed(): boolean {
    return this.#fifo.length > 0;
  }

  /** Asks one query. */
  one(dest: number, values: readonly unknown[]): Promise<unknown> {
    const c = this.#c;
    return new Promise((resolve, reject) => {
      const asker = { take: (reply: unknown) => resolve(this.#copy(reply)) };
      const push = (): boolean => {
        if (!c.push(dest, ...values)) return false;
        this.#fifo.add(asker);
        return true;
      };
      if (this.#loopDriver.isClear && push()) return;
      this.#loopDriver.push("ask", push).catch(reject);
    });
  }

  /** Asks many queries; the replies are put into columns. */
  many(dests: Uint32Array, query: ItemType, given: unknown, reply: ItemType): Promise<unknown> {
    const c = this.#c;
    const { length } = dests;
    columnsIn(lanesOf(query), given, length, "askAll");
    const lanes = lanesOf(reply);
    const columns = lanes.map((lane) => columnFor(lane, length));
    return new Promise((resolve, reject) => {
      const many = new BatchRequest(lanes, columns, length, () => resolve(treeOf(reply, columns)));
      let sent = 0;
      this.#loopDriver.add("askAll", {
        try: () => {
          try {
            const next = c.pushAll(dests, given, sent, length);
            if (many.missing === 0 && next > sent) this.#fifo.add(many);
            many.missing += next - sent;
            sent = next;
            return sent === length;
          } catch (error) {
            reject(error as Error);
            return true;
          }
        },
      });
    });
  }

  /** Hands out received replies. */
  answer(): void {
    const c = this.#c;
    const fifo = this.#fifo;
    for (let asker = fifo.first; asker !== undefined; asker = fifo.first) {
      if (asker instanceof BatchRequest) {
        const batch = c.pullAll(asker.missing);
        if (batch === null) return;
        asker.add(batch);
        if (asker.missing === 0) fifo.leave();
      } else {
        if (!c.pull()) return;
        fifo.leave();
        asker.take(c.item);
      }
    }
  }
}
