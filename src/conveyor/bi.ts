/**
 * Biconveyors: each query that is pushed is answered once, where it was sent to, and the replies are pulled in
 * the order in which the queries were pushed, whatever way they took.
 *
 * What: two conveyors, one for queries and one for replies, both steady. A query carries a token: its place
 * in a ring in which the replies wait for their turn. When there is no room for a reply, it is kept, and no
 * further query is taken until it has left.
 *
 *     push ─▶ queries ═▶ answer ─▶ replies ═▶ ring: ┌───┬───┬───┬───┬───┐ ─▶ pull
 *                                                   │ ✓ │   │ ✓ │ ✓ │   │
 *                                                   └───┴───┴───┴───┴───┘
 *                                                    head: pulled next   tail: pushed next
 *
 * Source: biconvey.h and bitensor.c of bale 3.
 */
import { StateError, UsageError } from "../errors.ts";
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
import { copierCode, readerCode } from "./code.ts";
import type { ElasticBelt } from "./elastic.ts";
import type { RigidBelt } from "./rigid.ts";
import type { ConveyorFeatures, Session, Waiting } from "./session.ts";
import { type ConveyorState, DONE, NEAR, OK, type Status } from "./state.ts";
import type { ConveyorStats } from "./stats.ts";

/** What differs with the kind of items. */
export interface BiParts {
  readonly queries: Session;
  readonly replies: Session;
  /** Takes the next query and has it answered; false when there is none. */
  answer(): boolean;
  /** Sends the answer; false when there is no room for it. */
  reply(): boolean;
  /** Puts the query back that was taken last; false when it cannot be. */
  again(): boolean;
  /** Takes the next reply into the ring; its token, or -1 when there is none. */
  collect(): number;
}

/** What one PE of a biconveyor has counted. */
export interface BiconveyorStats {
  /** Of the conveyor of queries: its pushes are this PE's, its pulls are those that this PE has answered. */
  readonly queries: ConveyorStats;
  /** Of the conveyor of replies: its pushes are this PE's answers, its pulls the replies that have come here. */
  readonly replies: ConveyorStats;
}

/** Where a biconveyor is in its own session. */
type Phase = "dormant" | "open" | "complete";

/** A biconveyor without its items. */
export abstract class BiBelt {
  /** This PE's rank among the PEs of the biconveyor. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** Queries that may be without a pulled reply at once. */
  readonly window: number;
  /** @internal */
  protected readonly parts: BiParts;
  #phase: Phase = "dormant";
  /** Queries pushed and replies pulled in this session; a token is the first modulo the window. */
  #tail = 0;
  #head = 0;
  /** By token: the reply has come. */
  readonly #present: Uint8Array;
  /** A reply that had no room. */
  #owed = false;
  #answering = false;

  protected constructor(parts: BiParts, window: number) {
    this.parts = parts;
    this.window = window;
    this.rank = parts.queries.rank;
    this.size = parts.queries.size;
    this.#present = new Uint8Array(window);
  }

  /** Where this PE is; `cleanup` when all that is left is to pull replies. */
  get state(): ConveyorState {
    const { queries, replies } = this.parts;
    if (this.#phase !== "open") return this.#phase;
    if (queries.state === "working") return "working";
    return replies.state === "complete" ? "cleanup" : "endgame";
  }

  /** A biconveyor is always steady: every reply comes as long as all PEs call advance. */
  get features(): ConveyorFeatures {
    return this.parts.queries.features;
  }

  /** What this PE has counted: of the queries, and of the replies to all. */
  stats(): BiconveyorStats {
    return { queries: this.parts.queries.stats(), replies: this.parts.replies.stats() };
  }

  /** The token for the next query; -1 when there is no room in the ring. @throws StateError, RankRangeError */
  protected token(dest: unknown): number {
    this.#guard("push");
    if (this.#tail - this.#head < this.window) return this.#tail % this.window;
    if (this.parts.queries.state !== "working") throw this.#refusal("push");
    this.parts.queries.checkRank(dest);
    return -1;
  }

  /** The query has been pushed. */
  protected pushed(): void {
    this.#tail++;
  }

  /** The place of the next reply in order, which is taken; -1 when it has not come. @throws StateError */
  protected next(): number {
    this.#guard("pull");
    if (this.#phase === "dormant") throw this.#refusal("pull");
    const place = this.#head % this.window;
    if (this.#head === this.#tail || this.#present[place] === 0) return -1;
    this.#present[place] = 0;
    this.#head++;
    return place;
  }

  /** @internal the turns of begin */
  *beginning(): Waiting {
    this.#guard("begin");
    // where one cannot begin the other must not
    this.parts.replies.rehearse();
    yield* this.parts.queries.beginning();
    yield* this.parts.replies.beginning();
    this.#head = 0;
    this.#tail = 0;
    this.#owed = false;
    this.#present.fill(0);
    this.#phase = "open";
  }

  /** @internal advance; see Biconveyor.advance */
  proceed(done: boolean): Status {
    this.#guard("advance");
    if (this.#phase === "complete") return DONE;
    if (this.#phase === "dormant") throw this.#refusal("advance");
    const { queries, replies } = this.parts;
    const asked = queries.proceed(done);
    this.#serve();
    const answered = replies.proceed(asked === DONE && !this.#owed);
    for (let token = this.parts.collect(); token >= 0; token = this.parts.collect()) this.#present[token] = 1;
    if (answered !== DONE) return OK;
    if (this.#head < this.#tail) return NEAR;
    this.#phase = "complete";
    return DONE;
  }

  #serve(): void {
    const { parts } = this;
    this.#answering = true;
    try {
      do {
        if (this.#owed && !this.#reply()) return;
        this.#owed = false;
        this.#owed = parts.answer();
      } while (this.#owed);
    } finally {
      this.#answering = false;
    }
  }

  /** What is no reply is asked for again, where that is possible. */
  #reply(): boolean {
    try {
      return this.parts.reply();
    } catch (error) {
      this.#owed = !this.parts.again();
      throw error;
    }
  }

  /** @internal the turns of reset */
  *resetting(): Waiting {
    this.#guard("reset");
    if (this.#phase === "open") throw this.#refusal("reset");
    yield* this.parts.queries.resetting();
    yield* this.parts.replies.resetting();
    this.#phase = "dormant";
  }

  /** Gives the memory back; when all PEs have done so, the heap has it. @throws StateError in the middle of a session */
  free(): void {
    this.#guard("free");
    if (this.#phase === "open") throw this.#refusal("free");
    this.parts.queries.free();
    this.parts.replies.free();
    this.#phase = "dormant";
  }

  /** As {@link free}, unless in the middle of a session. */
  [Symbol.dispose](): void {
    if (this.#phase !== "open") this.free();
  }

  #guard(call: string): void {
    if (!this.#answering) return;
    throw new StateError(
      `${call}: inside the answer of this biconveyor; an answer makes a reply out of a query, and calls it no further.`,
    );
  }

  #refusal(call: string): StateError {
    return new StateError(
      `${call}: the biconveyor is ${this.state} at this PE; ${
        this.#phase === "dormant"
          ? "call begin first."
          : "go on calling pull and advance(true) until advance returns DONE."
      }`,
    );
  }
}

/** What answers queries: gets a view of one, and who asked; gives the reply, the fields of a struct as an object. */
export type Answer<Q, R> = (query: ItemValue<Q>, from: number) => ItemValue<R>;

/** What a rigid biconveyor sends: a token, and the query or the reply. */
export type Tokened<I extends ItemType> = Struct<{ readonly token: typeof u32; readonly body: I }>;

const TOKEN = u32;

/** The item that carries a token and a query or a reply. */
export const tokened = <I extends ItemType>(body: I): Tokened<I> => struct({ token: TOKEN, body });

/** Push, whatever the items are. */
type AnyPush = (dest: number, ...values: readonly unknown[]) => boolean;

/** A biconveyor of queries and replies of fixed types. */
export abstract class RigidBiBelt<Q extends ItemType, R extends ItemType> extends BiBelt {
  /**
   * Copies a query into the conveyor, for PE `dest`; arguments as for a conveyor of queries.
   * @returns false when there is no room for now, or too many replies are missing: advance and pull
   * @throws StateError, RankRangeError, UsageError
   */
  readonly push: (dest: number, ...values: ItemArguments<Q>) => boolean;
  readonly #cursor = { at: 0 };
  readonly #read: () => unknown;
  readonly #stride: number;

  /** @internal see makeBiconveyor */
  constructor(
    queries: RigidBelt<Tokened<Q>>,
    replies: RigidBelt<Tokened<R>>,
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
    this.push = (dest, ...values: readonly unknown[]) => {
      const place = this.token(dest);
      if (place < 0 || !ask(dest, place, ...values)) return false;
      this.pushed();
      return true;
    };
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

/** A value of an item of its own, whatever happens to the one that was given. */
function copyOf(item: ItemType, value: unknown): unknown {
  if (item.kind === "scalar") return value;
  if (item.kind === "bytes") return (value as Uint8Array).slice();
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(item.fields.map(({ name, type }) => [name, copyOf(type, fields[name])]));
}

/** Answers queries of any length: gets a view of one, and who asked; gives the bytes of the reply. */
export type ElasticAnswer = (query: Uint8Array, from: number) => Uint8Array;

/** Bytes of a token before an elastic query or reply: padded, so that what follows is aligned to 8. */
const TOKEN_BYTES = 8;

/** A biconveyor of queries and replies of any length. */
export abstract class ElasticBiBelt extends BiBelt {
  readonly #ring: Uint8Array[];
  readonly #asked: ElasticBelt;
  readonly #wrap: (token: number, bytes: Uint8Array) => Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);

  /** @internal see makeElasticBiconveyor */
  constructor(queries: ElasticBelt, replies: ElasticBelt, answer: ElasticAnswer, window: number) {
    if (typeof answer !== "function") {
      throw new UsageError(
        "elasticBiconveyor: expected a function that answers queries: (bytes, from) => bytes",
      );
    }
    const ring: Uint8Array[] = new Array(window);
    const wrap = wrapper();
    let dest = 0;
    let reply: Uint8Array = new Uint8Array(0);
    super(
      {
        queries,
        replies,
        answer() {
          if (!queries.pull()) return false;
          const { bytes, from } = queries;
          try {
            const value = answer(bytes.subarray(TOKEN_BYTES), from);
            if (!(value instanceof Uint8Array)) {
              throw new UsageError("elasticBiconveyor: expected the answer to be a Uint8Array");
            }
            // a copy, as it may have to wait
            reply = wrap(tokenOf(bytes), value).slice();
          } catch (error) {
            queries.unpull();
            throw error;
          }
          dest = from;
          return true;
        },
        reply: () => replies.push(dest, reply),
        again: () => queries.unpull(),
        collect() {
          if (!replies.pull()) return -1;
          const { bytes } = replies;
          const token = tokenOf(bytes);
          ring[token] = bytes.slice(TOKEN_BYTES);
          return token;
        },
      },
      window,
    );
    this.#ring = ring;
    this.#asked = queries;
    this.#wrap = wrap;
  }

  /**
   * Copies a query into the conveyor, for PE `dest`.
   * @returns false when there is no room for now, or too many replies are missing: advance and pull
   * @throws StateError, RankRangeError, UsageError, OverflowError
   */
  push(dest: number, bytes: Uint8Array): boolean {
    const token = this.token(dest);
    if (token < 0) return false;
    const query = bytes instanceof Uint8Array ? this.#wrap(token, bytes) : bytes;
    if (!this.#asked.push(dest, query)) return false;
    this.pushed();
    return true;
  }

  /**
   * Takes the next reply, in the order in which the queries were pushed: {@link bytes} shows it.
   * @returns false when it has not come yet
   * @throws StateError before begin
   */
  pull(): boolean {
    const place = this.next();
    if (place < 0) return false;
    this.#bytes = this.#ring[place];
    return true;
  }

  /** The bytes of the reply that was pulled last; they are the caller's to keep. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }
}

const tokenOf = (bytes: Uint8Array): number =>
  (bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (bytes[3] << 24)) >>> 0;

/** Puts a token before bytes, in memory that is used again for the next ones. */
function wrapper(): (token: number, bytes: Uint8Array) => Uint8Array {
  let memory = new Uint8Array(256);
  return (token, bytes) => {
    const { length } = bytes;
    if (memory.length < TOKEN_BYTES + length) memory = new Uint8Array(2 * (TOKEN_BYTES + length));
    memory[0] = token;
    memory[1] = token >>> 8;
    memory[2] = token >>> 16;
    memory[3] = token >>> 24;
    memory.set(bytes, TOKEN_BYTES);
    return memory.subarray(0, TOKEN_BYTES + length);
  };
}
