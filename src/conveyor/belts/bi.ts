/**
 * Biconveyors: each query that is pushed is answered once, where it was sent to, and the replies are pulled in
 * the order in which the queries were pushed, whatever way they took.
 *
 * What: two conveyors, one for queries and one for replies, both steady, and a ring in which the replies wait for their turn
 * (ring.ts). When there is no room for a reply, it is kept, and no further query is taken until it has left.
 *
 *     push ─▶ queries ═▶ answer ─▶ replies ═▶ ring ─▶ pull
 *
 * Source: biconvey.h and bitensor.c of bale 3, where a token goes with each query and reply.
 */

import { StateError } from "../../base/errors.ts";
import { noInline } from "../../base/no-inline.ts";
import { IN_ANSWER, IN_OWN_CODE } from "../../status/layout.ts";
import { type ConveyorState, DONE, NEAR, OK, type Status } from "../../status/state.ts";
import type { UnderWay } from "../../transport/underway.ts";
import { underWayError } from "../engine/refusal.ts";
import { ANSWERING, OPEN, type Ring, SHUT } from "../engine/ring.ts";
import type { ConveyorFeatures, Session, Waiting } from "../engine/session.ts";
import type { ConveyorStats } from "../engine/stats.ts";

/** What differs with the kind of items. */
export interface BiParts {
  readonly queries: Session;
  readonly replies: Session;
  readonly ring: Ring;
  /**
   * Has queries answered that have come, a buffer of them or all. When an answer throws, or gives what is no reply, its query is put back.
   * @returns whether all replies are sent: one may have no room, and is kept
   */
  serve(): boolean;
  /** Takes the replies that have come into the ring; whether there were any. */
  collect(): boolean;
}

/** What one PE of a biconveyor has counted. */
export interface BiconveyorStats {
  /** Of the conveyor of queries: its pushes are this PE's, its pulls are those that this PE has answered. */
  readonly queries: ConveyorStats;
  /** Of the conveyor of replies: its pushes are this PE's answers, its pulls the replies that have come here. */
  readonly replies: ConveyorStats;
}

/** Where a biconveyor is in its own session. */
type Phase = "dormant" | "begin" | "open" | "complete" | "reset";

/** A biconveyor without its items. */
export abstract class BiBelt implements UnderWay {
  /** This PE's rank among the PEs of the biconveyor. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** Queries that may be without a pulled reply at once. */
  readonly window: number;
  /** @internal */
  protected readonly parts: BiParts;
  #phase: Phase = "dormant";
  /** A reply had no room. */
  #owed = false;
  /** The last advance has brought replies. */
  #collected = false;
  #freed = false;

  protected constructor(parts: BiParts) {
    this.parts = parts;
    this.window = parts.ring.window;
    this.rank = parts.queries.rank;
    this.size = parts.queries.size;
  }

  /** Where this PE is; `cleanup` when all that is left is to pull replies. */
  get state(): ConveyorState {
    const { queries, replies } = this.parts;
    if (this.#phase !== "open") return this.#phase;
    if (queries.state === "working") return "working";
    return replies.state === "complete" ? "cleanup" : "endgame";
  }

  /** @internal */
  get title(): string {
    return `bi${this.parts.queries.title}`;
  }

  /** A biconveyor is always steady: every reply comes as long as all PEs call advance. */
  get features(): ConveyorFeatures {
    return this.parts.queries.features;
  }

  /** What was chosen for the conveyors of queries and of replies, and with `load` why. Lines of text. */
  explain(): string {
    const { queries, replies } = this.parts;
    return `queries: ${queries.explain()}\nreplies: ${replies.explain()}`;
  }

  /** What this PE has counted: of the queries, and of the replies to all. */
  stats(): BiconveyorStats {
    return { queries: this.parts.queries.stats(), replies: this.parts.replies.stats() };
  }

  /** @internal there is no place for a query: false. @throws StateError, RankRangeError */
  full(dest: unknown): boolean {
    if (this.state !== "working") throw this.#refusal("push");
    this.parts.queries.checkRank(dest);
    return false;
  }

  /** @internal throws what a call throws that cannot be made now */
  refuse(call: string): never {
    this.#guard(call);
    throw this.#refusal(call);
  }

  /** @internal ends the session with an error, at every PE; gives what is to be thrown */
  fail(error: unknown): unknown {
    return this.parts.queries.fail(error);
  }

  /** @internal see Session.now */
  now(): number {
    return this.parts.queries.now();
  }

  /** @internal see Session.checkWait: of the conveyor that this PE waits in */
  checkWait(began: number): void {
    const { queries, replies } = this.parts;
    (queries.state === "complete" ? replies : queries).checkWait(began);
  }

  /** @internal of the last advance */
  get moved(): boolean {
    return this.#collected || this.parts.queries.moved || this.parts.replies.moved;
  }

  /** @internal see Site.until */
  until(ready: () => boolean): Promise<void> {
    return this.parts.queries.until(ready);
  }

  /** @internal the turns of begin, see Session.beginning */
  *beginning(waits = true): Waiting {
    this.#guard("begin");
    if (this.#phase !== "dormant" || this.#freed) throw this.#refusal("begin");
    // where one cannot begin the other must not
    this.parts.replies.rehearse();
    this.#phase = "begin";
    const { sessions } = this.parts.queries;
    sessions.add(this);
    try {
      yield* this.parts.queries.beginning(waits);
      yield* this.parts.replies.beginning(waits);
    } catch (error) {
      this.#phase = "dormant";
      sessions.delete(this);
      throw error;
    }
    this.parts.ring.begin();
    this.#owed = false;
    this.#phase = "open";
  }

  /** @internal advance; see Biconveyor.advance */
  proceed(done: boolean): Status {
    this.#guard("advance");
    if (this.#phase === "complete") return DONE;
    if (this.#phase !== "open") throw this.#refusal("advance");
    const { queries, replies } = this.parts;
    const asked = queries.proceed(done);
    this.#serve();
    const answered = replies.proceed(asked === DONE && !this.#owed);
    this.#collected = noInline(this.parts.collect, this.parts);
    if (answered !== DONE) return OK;
    if (this.parts.ring.free < this.window) return NEAR;
    this.#phase = "complete";
    queries.sessions.delete(this);
    return DONE;
  }

  #serve(): void {
    const { parts } = this;
    const { ring, queries } = parts;
    // as long as it is not known to be over
    this.#owed = true;
    ring.state = ANSWERING;
    queries.reportPlace(IN_ANSWER);
    try {
      this.#owed = !noInline(parts.serve, parts);
    } finally {
      ring.state = OPEN;
      queries.reportPlace(IN_OWN_CODE);
    }
  }

  /** @internal see Session.tellPlace: in a run, what runs is the sink of replies */
  reportPlace(place: number): void {
    this.parts.replies.reportPlace(place);
  }

  /** @internal the turns of reset */
  *resetting(): Waiting {
    this.#guard("reset");
    if (this.#phase === "dormant" && !this.#freed) return;
    if (this.#phase !== "complete") throw this.#refusal("reset");
    this.#phase = "reset";
    this.parts.ring.state = SHUT;
    try {
      yield* this.parts.queries.resetting();
      yield* this.parts.replies.resetting();
    } catch (error) {
      this.#phase = "complete";
      throw error;
    }
    this.#phase = "dormant";
  }

  /** Gives the memory back; when all PEs have done so, the heap has it. @throws StateError in the middle of a session */
  free(): void {
    this.#guard("free");
    if (this.#phase !== "dormant" && this.#phase !== "complete") throw this.#refusal("free");
    this.parts.queries.free();
    this.parts.replies.free();
    this.#freed = true;
    this.#phase = "dormant";
    this.parts.ring.state = SHUT;
  }

  /** As {@link free}, unless in the middle of a session. */
  [Symbol.dispose](): void {
    if (this.#phase === "dormant" || this.#phase === "complete") this.free();
  }

  #guard(call: string): void {
    if (this.parts.ring.state !== ANSWERING) return;
    throw new StateError(
      `${call}: inside the answer of this biconveyor; an answer makes a reply out of a query, and calls it no further.`,
    );
  }

  #refusal(call: string): StateError {
    if (this.#freed) return new StateError(`${call}: this biconveyor has been freed; make another.`);
    if (this.#phase === "begin" || this.#phase === "reset") return underWayError(call, this.#phase);
    return new StateError(
      `${call}: the biconveyor is ${this.state} at this PE; ${
        this.#phase === "dormant"
          ? "call begin first."
          : "go on calling pull and advance(true) until advance returns DONE."
      }`,
    );
  }
}
