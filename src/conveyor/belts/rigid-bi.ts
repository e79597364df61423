/** Biconveyors of queries and replies of fixed types. */

import { sentenceOf, UsageError } from "../../base/errors.ts";
import type { Columns } from "../../item/columns.ts";
import {
  describeItem,
  type ItemArguments,
  type ItemType,
  type ItemValue,
  roundUp,
} from "../../item/types.ts";
import { viewsOf } from "../../item/views.ts";
import { askCode, collectCode, replyCode, takeCode } from "../codegen/bi-code.ts";
import type { AnyPush } from "../codegen/code.ts";
import { type ItemView, viewItems, viewOf } from "../codegen/item-view.ts";
import { INSTEAD, isPromise, promiseError } from "../engine/returned.ts";
import { OPEN, Ring } from "../engine/ring.ts";
import { type ReplyBatch, ReplyBatches } from "./batch.ts";
import { BiBelt } from "./bi.ts";
import type { RigidBelt } from "./rigid.ts";

/** What answers queries: gets a view of one, and who asked; gives the reply, the fields of a struct as an object. */
export type Answer<Q, R> = (query: ItemValue<Q>, from: number) => ItemValue<R>;

/** A biconveyor of queries and replies of fixed types. */
export abstract class RigidBiBelt<Q extends ItemType, R extends ItemType> extends BiBelt implements ItemView {
  /**
   * Copies a query into the conveyor, for PE `dest`; arguments as for a conveyor of queries.
   * @returns false when there is no room for now, or too many replies are missing: advance and pull
   * @throws StateError, RankRangeError, UsageError
   */
  readonly push: (dest: number, ...values: ItemArguments<Q>) => boolean;
  /**
   * Takes the next reply, in the order in which the queries were pushed: {@link item} shows it.
   * @returns false when it has not come yet
   * @throws StateError before begin
   */
  readonly pull: () => boolean;
  /** @internal arguments of a push beside the destination */
  protected readonly arity: number;
  /** @internal */
  protected readonly items: { readonly query: Q; readonly reply: R };
  /** The reply that was pulled last by {@link pull}, until the next one is pulled. */
  declare readonly item: ItemValue<R>;
  /** @internal */
  readonly cursor = { at: 0 };
  /** @internal */
  readonly view: object | null;
  readonly #batch: ReplyBatches<R>;
  readonly #queries: RigidBelt<Q>;
  readonly #ring: Ring;
  readonly #stride: number;

  /** @internal see makeBiconveyor */
  constructor(
    queries: RigidBelt<Q>,
    replies: RigidBelt<R>,
    queryItem: Q,
    replyItem: R,
    answer: Answer<Q, R>,
    window: number,
  ) {
    const ring = new Ring(window, queries.size);
    const stride = roundUp(replyItem.bytes, 8);
    const store = viewsOf(new ArrayBuffer(ring.places * stride));
    super({
      ring,
      queries,
      replies,
      serve: serving(queries, replies, replyItem, answer),
      collect: collectCode(replyItem, replies.route, replies, replies.views, store, stride, ring),
    });
    this.#queries = queries;
    this.#ring = ring;
    this.#stride = stride;
    this.#batch = new ReplyBatches(replyItem, store, stride);
    this.view = viewOf(replyItem, store, this.cursor);
    viewItems(this, replyItem, store);
    this.arity = queryItem.kind === "struct" ? queryItem.fields.length : 1;
    this.items = { query: queryItem, reply: replyItem };
    this.push = askCode(this.arity, ring, queries.push as AnyPush, this) as typeof this.push;
    this.pull = takeCode(ring, stride, this.cursor, this);
  }

  /**
   * Copies many queries into the conveyor, in order, as `Conveyor.pushAll`.
   * @returns the number of the first one that was not pushed: `end`, or where there is no room for now, or too many replies are missing
   * @throws as there
   */
  pushAll(dests: Uint32Array, columns: Columns<Q>, first = 0, end: number = dests?.length): number {
    const ring = this.#ring;
    if (ring.state !== OPEN) this.refuse("pushAll");
    // what are no such numbers is refused there
    const next = this.#queries.pushAll(dests, columns, first, Math.min(end, first + ring.free));
    if (next === first && first < end) this.full(dests[first]);
    ring.addAll(dests, first, next);
    return next;
  }

  /**
   * Takes the replies that come next and are there, in the order of the queries: all, or those up to the end of the memory that they
   * lie in.
   * @param most that are taken
   * @returns null when the next one has not come yet; else one object, which always shows those that were pulled last
   * @throws StateError before begin
   */
  pullAll(most: number = Number.POSITIVE_INFINITY): ReplyBatch<R> | null {
    const ring = this.#ring;
    if (ring.state !== OPEN) this.refuse("pullAll");
    const { head, pulled } = ring;
    const count = ring.takeAll(most);
    if (count === 0) return null;
    const batch = this.#batch;
    batch.show(head * this.#stride, count);
    batch.first = pulled;
    return batch;
  }
}

/** What has queries answered, see {@link BiParts.serve}. */
function serving<Q extends ItemType, R extends ItemType>(
  queries: RigidBelt<Q>,
  replies: RigidBelt<R>,
  replyItem: R,
  answer: Answer<Q, R>,
): () => boolean {
  const { drain } = queries;
  const reply = replyCode(replyItem, replies.push as AnyPush);
  /** A reply that had no room. */
  let owed: { readonly dest: number; readonly value: unknown } | null = null;
  let stage = DRAINING;
  /** The last answer that is an object: it may be a promise. */
  let object: unknown = null;
  // small, so that V8 puts it into the loop that calls it: what is thrown is caught outside
  const sink = (query: ItemValue<Q>, from: number): boolean => {
    stage = ASKING;
    const value = answer(query, from);
    stage = REPLYING;
    if (typeof value === "object") object = value;
    const isSent = reply(from, value);
    // it has to wait, and what the answer has returned may be used again meanwhile
    if (!isSent) owed = { dest: from, value: copyOf(replyItem, value) };
    stage = DRAINING;
    return isSent;
  };
  const failure = (error: unknown): unknown => {
    // nothing is lost: whoever lets this pass will be asked again
    if (stage !== DRAINING) queries.unpull();
    const isMisfit = stage === REPLYING;
    stage = DRAINING;
    if (!isMisfit) return error;
    if (isPromise(object)) return promiseError("biconveyor: the answer", INSTEAD.answer);
    return new UsageError(
      `biconveyor: expected the answer to be ${describeItem(replyItem)}; sending it: ${sentenceOf(error as Error)}`,
      { cause: error },
    );
  };
  return () => {
    if (owed !== null) {
      if (!reply(owed.dest, owed.value)) return false;
      owed = null;
    }
    try {
      return drain(sink as never);
    } catch (error) {
      throw failure(error);
    }
  };
}

/** What goes on: nothing of the user's, an answer, or sending what it has returned. */
const DRAINING = 0;
const ASKING = 1;
const REPLYING = 2;

/** @internal A value of an item of its own, whatever happens to the one that was given. */
export function copyOf(item: ItemType, value: unknown): unknown {
  if (item.kind === "scalar") return value;
  // not by slice, which gives a view where it is a Buffer
  if (item.kind === "bytes") return new Uint8Array(value as Uint8Array);
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, copyOf(type, fields[name])]));
}
