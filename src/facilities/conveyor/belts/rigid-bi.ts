/** Biconveyors of queries and replies of fixed types. serving-all.ts has answers to many queries at once. */

import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Pushes } from "../../../ground/item/arguments.ts";
import type { Columns } from "../../../ground/item/columns.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { type BiSeat, biMembers } from "../codegen/bi-code.ts";
import { typesOf } from "../codegen/generate.ts";
import { type Base, type ClassParts, itemClass, newFace } from "../codegen/item-class.ts";
import { viewOf } from "../codegen/item-view.ts";
import { argumentsOf } from "../codegen/parts.ts";
import type { SendMaker } from "../codegen/run-code.ts";
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

/** The parts of the class of a biconveyor of queries and replies of some types. */
function partsOf(store: Views, query: ItemType, reply: ItemType): ClassParts {
  const form = argumentsOf(query).count + typesOf(query);
  return [reply, store, form, () => biMembers(query, reply)];
}

/** A biconveyor of queries and replies of fixed types; it is made by {@link newBiBelt}. */
export class RigidBiBelt<Q extends ItemType, R extends ItemType> extends BiBelt implements BiSeat {
  /**
   * Generated, as what follows: copies a query into the conveyor; false if there is no room, or no place in the window.
   */
  declare readonly push: Pushes<Q, boolean>;
  /** Pulls the next reply; false if it has not been received yet. */
  declare readonly pull: () => boolean;
  /** Makes a push that waits for room. */
  declare readonly sender: SendMaker;
  /** The last reply pulled by {@link pull}. */
  declare readonly item: ItemValue<R>;
  readonly items: { readonly query: Q; readonly reply: R };
  readonly cursor = { at: 0 };
  readonly view: object | null;
  readonly queries: RigidBelt<Q>;
  readonly ring: ItemRing;
  readonly #batch: ReplyBatches<R>;

  /** Of a class that {@link newBiBelt} makes. */
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

  /** Makes what shows it to a program, with this push, pull and item. */
  face<Face>(of: Base<Face>): Face {
    const { query, reply } = this.items;
    return newFace(of, this, ...partsOf(this.queries.store, query, reply));
  }

  /**
   * Copies many queries into the conveyor; gives the index of the first one that was not pushed.
   * @throws as RigidBelt.pushMost
   */
  pushAll(dests: Uint32Array, columns: Columns<Q>, first: number, end: number): number {
    const { ring } = this;
    if (ring.state !== OPEN) this.refuse("pushAll");
    const most = ring.free;
    const next = this.queries.pushMost(dests, columns, first, end, most);
    if (next < end && next - first === most) this.refused(dests[next], end - next);
    return next;
  }

  /** Pulls the next replies, at most so many; null if the next one has not been received yet. */
  pullAll(most: number): ReplyBatch<R> | null {
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

/** Makes a biconveyor of the class for its items. */
export const newBiBelt = <Q extends ItemType, R extends ItemType>(
  ...parts: ConstructorParameters<typeof RigidBiBelt<Q, R>>
): RigidBiBelt<Q, R> => {
  const [queries, , query, reply] = parts;
  return new (itemClass(RigidBiBelt<Q, R>, ...partsOf(queries.store, query, reply)))(...parts);
};

/** An independent copy of an item's value. */
export function copyOf(item: ItemType, value: unknown): unknown {
  if (item.kind === "scalar") return value;
  // not slice, which returns a view for a Buffer
  if (item.kind === "bytes") return new Uint8Array(value as Uint8Array);
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, copyOf(type, fields[name])]));
}
