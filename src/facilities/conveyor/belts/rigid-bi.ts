/** Biconveyors of queries and replies of fixed types. serving-all.ts has answers to many queries at once. */

import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Pushes } from "../../../ground/item/arguments.ts";
import type { Columns } from "../../../ground/item/columns.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { type BiSeat, biMembers } from "../codegen/bi-code.ts";
import { detached } from "../codegen/code.ts";
import { typesOf } from "../codegen/generate.ts";
import { itemClass } from "../codegen/item-class.ts";
import { type ItemView, viewOf } from "../codegen/item-view.ts";
import { argumentsOf } from "../codegen/parts.ts";
import type { Sender } from "../codegen/run-code.ts";
import { ItemRing, ringAt } from "../engine/item-ring.ts";
import { OPEN } from "../engine/ring.ts";
import { type ReplyBatch, ReplyBatches } from "./batch.ts";
import { BiBelt } from "./bi.ts";
import type { RigidBelt } from "./rigid.ts";

/**
 * Answers queries: takes a view of the query and the rank of its sender, returns the reply; a struct's fields as an
 * object.
 */
export type Answer<Q, R> = (query: ItemValue<Q>, from: number) => ItemValue<R>;

/** The class of biconveyors of queries and replies of some types, with the methods that are generated for them. */
export function rigidBiClass<Class extends abstract new (...args: never[]) => ItemView & BiSeat>(
  base: Class,
  store: Views,
  query: ItemType,
  reply: ItemType,
): Class {
  const form = argumentsOf(query).count + typesOf(query);
  return itemClass(base, reply, store, form, () => biMembers(query, reply));
}

/** A biconveyor of queries and replies of fixed types; it is made of a {@link rigidBiClass}. */
export abstract class RigidBiBelt<Q extends ItemType, R extends ItemType> extends BiBelt {
  /**
   * Copies a query into the conveyor, for PE `dest`; arguments as for a conveyor of queries.
   * @returns false if there is no room now, or the window is full: advance and pull
   * @throws StateError, RankRangeError, UsageError
   */
  declare readonly push: Pushes<Q, boolean>;
  /**
   * Pulls the next reply, in the order in which the queries were pushed; read it with {@link item}.
   * @returns false if it has not been received yet
   * @throws StateError before begin
   */
  declare readonly pull: () => boolean;
  /** @internal makes a push that waits for room */
  declare readonly sender: Sender;
  /** @internal */
  protected readonly items: { readonly query: Q; readonly reply: R };
  /** The last reply pulled by {@link pull}, valid until the next pull. */
  declare readonly item: ItemValue<R>;
  /** @internal */
  readonly cursor = { at: 0 };
  /** @internal */
  readonly view: object | null;
  /** @internal */
  readonly queries: RigidBelt<Q>;
  /** @internal */
  readonly ring: ItemRing;
  readonly #batch: ReplyBatches<R>;

  /** @internal see makeBiconveyor */
  constructor(
    queries: RigidBelt<Q>,
    replies: RigidBelt<R>,
    queryItem: Q,
    replyItem: R,
    serve: () => boolean,
    window: number,
  ) {
    const { site, choice } = replies.frame;
    const address = site.places.table + ringAt(choice.route);
    const ring = new ItemRing(window, site, address, replyItem.bytes, choice.route);
    super({
      ring,
      queries,
      replies,
      serve,
      collect: () => ring.collect(replies),
    });
    queries.pushed = (dests, first, end) => ring.enlist(dests, first, end);
    this.queries = queries;
    this.ring = ring;
    this.#batch = new ReplyBatches(replyItem, replies.frame);
    this.view = viewOf(replyItem, site.views, this.cursor);
    this.items = { query: queryItem, reply: replyItem };
  }

  /**
   * Copies many queries into the conveyor, in order, as `Conveyor.pushAll`.
   * @returns the index of the first query that was not pushed: `end`, or less if there is no room now or the window is
   *   full
   * @throws as there; nothing changes then
   */
  pushAll(dests: Uint32Array, columns: Columns<Q>, first = 0, end: number = dests?.length): number {
    if (this === undefined) detached("pushAll");
    const { ring } = this;
    if (ring.state !== OPEN) this.refuse("pushAll");
    const most = ring.free;
    const next = this.queries.pushMost(dests, columns, first, end, most);
    if (next < end && next - first === most) this.refused(dests[next], end - next);
    if (next === first && first < end) this.full(dests[first]);
    return next;
  }

  /**
   * Pulls the next replies, in the order of the queries: all received ones, or as many of them as lie together; of structs
   * as many as a buffer holds.
   * @param most largest number of replies, a whole number. @default any number
   * @returns null if the next reply has not been received yet, or `most` is 0; else one object, which always shows the last
   *   batch
   * @throws StateError before begin; UsageError for another `most`; nothing changes then
   */
  pullAll(most: number = Number.POSITIVE_INFINITY): ReplyBatch<R> | null {
    if (this === undefined) detached("pullAll");
    const { ring } = this;
    if (ring.state !== OPEN) this.refuse("pullAll");
    if (!(most === Number.POSITIVE_INFINITY || (Number.isInteger(most) && most >= 0))) {
      throw new UsageError(`pullAll: most: expected a whole number >= 0, got ${shortText(most)}`);
    }
    const { head, pulled } = ring;
    const batch = this.#batch;
    const count = ring.takeAll(Math.min(most, batch.most));
    if (count === 0) return null;
    batch.show(ring.slots + head * ring.stride, count);
    batch.first = pulled;
    return batch;
  }
}

/** @internal An independent copy of an item's value. */
export function copyOf(item: ItemType, value: unknown): unknown {
  if (item.kind === "scalar") return value;
  // not slice, which returns a view for a Buffer
  if (item.kind === "bytes") return new Uint8Array(value as Uint8Array);
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, copyOf(type, fields[name])]));
}
