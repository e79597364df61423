/** Biconveyors of queries and replies of fixed types. */
import { UsageError } from "../errors.ts";
import {
  type ItemArguments,
  type ItemType,
  type ItemValue,
  roundUp,
  type Struct,
  struct,
  u32,
} from "../item/types.ts";
import { viewsOf } from "../item/views.ts";
import { BiBelt } from "./bi.ts";
import { type AnyPush, askCode, copierCode, readerCode } from "./code.ts";
import type { RigidBelt } from "./rigid.ts";

/** What answers queries: gets a view of one, and who asked; gives the reply, the fields of a struct as an object. */
export type Answer<Q, R> = (query: ItemValue<Q>, from: number) => ItemValue<R>;

/** What a rigid biconveyor sends: a token, and the query or the reply. */
export type Tokened<I extends ItemType> = Struct<{ readonly token: typeof u32; readonly body: I }>;

const TOKEN = u32;

/** The item that carries a token and a query or a reply. */
export const tokened = <I extends ItemType>(body: I): Tokened<I> => struct({ token: TOKEN, body });

/** A biconveyor of queries and replies of fixed types. */
export abstract class RigidBiBelt<Q extends ItemType, R extends ItemType> extends BiBelt {
  /**
   * Copies a query into the conveyor, for PE `dest`; arguments as for a conveyor of queries.
   * @returns false when there is no room for now, or too many replies are missing: advance and pull
   * @throws StateError, RankRangeError, UsageError
   */
  readonly push: (dest: number, ...values: ItemArguments<Q>) => boolean;
  /** @internal arguments of a push beside the destination */
  protected readonly arity: number;
  /** @internal */
  protected readonly items: { readonly query: Q; readonly reply: R };
  readonly #cursor = { at: 0 };
  readonly #read: () => unknown;
  readonly #stride: number;

  /** @internal see makeBiconveyor */
  constructor(
    queries: RigidBelt<Tokened<Q>>,
    replies: RigidBelt<Tokened<R>>,
    queryItem: Q,
    replyItem: R,
    answer: Answer<Q, R>,
    window: number,
  ) {
    if (typeof answer !== "function") {
      throw new UsageError("biconveyor: expected a function that answers queries: (query, from) => reply");
    }
    const stride = roundUp(replyItem.bytes, 8);
    const ring = viewsOf(new ArrayBuffer(window * stride));
    const copy = copierCode(replyItem, replies.views, ring);
    const offset = roundUp(TOKEN.bytes, replyItem.align);
    const ask = queries.push as unknown as AnyPush;
    const reply = replies.push as unknown as AnyPush;
    let dest = 0;
    let token = 0;
    let value: unknown;
    super(
      {
        queries,
        replies,
        answer() {
          if (!queries.pull()) return false;
          const item = queries.item as { readonly token: number; readonly body: ItemValue<Q> };
          dest = queries.from;
          token = item.token;
          try {
            value = answer(item.body, dest);
          } catch (error) {
            // nothing is lost: whoever lets this pass will be asked again
            queries.unpull();
            throw error;
          }
          return true;
        },
        reply() {
          if (reply(dest, token, value)) return true;
          // it has to wait, and what the answer returned may be used again meanwhile
          value = copyOf(replyItem, value);
          return false;
        },
        again: () => queries.unpull(),
        collect() {
          if (!replies.pull()) return -1;
          const { token: place } = replies.item as { readonly token: number };
          copy(replies.place + offset, place * stride);
          return place;
        },
      },
      window,
    );
    this.#stride = stride;
    this.#read = readerCode(replyItem, ring, this.#cursor).read;
    this.arity = queryItem.kind === "struct" ? queryItem.fields.length : 1;
    this.items = { query: queryItem, reply: replyItem };
    this.push = askCode(
      this.arity,
      (dest) => this.token(dest),
      ask,
      () => this.pushed(),
    ) as typeof this.push;
  }

  /**
   * Takes the next reply, in the order in which the queries were pushed: {@link item} shows it.
   * @returns false when it has not come yet
   * @throws StateError before begin
   */
  pull(): boolean {
    const place = this.next();
    if (place < 0) return false;
    this.#cursor.at = place * this.#stride;
    return true;
  }

  /** The reply that was pulled last, until the next one is pulled. */
  get item(): ItemValue<R> {
    return this.#read() as ItemValue<R>;
  }
}

/** @internal A value of an item of its own, whatever happens to the one that was given. */
export function copyOf(item: ItemType, value: unknown): unknown {
  if (item.kind === "scalar") return value;
  if (item.kind === "bytes") return (value as Uint8Array).slice();
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, copyOf(type, fields[name])]));
}
