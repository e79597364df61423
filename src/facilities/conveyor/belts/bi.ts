/**
 * Biconveyors: each query is answered once, at its destination, and the replies are pulled in the order in which the
 * queries were pushed, whichever routes they took.
 *
 * A biconveyor consists of two steady conveyors, one for queries and one for replies, and a ring in which replies wait
 * for their turn (ring.ts). When there is no room for a reply, it is kept, and no further query is taken until it was
 * sent.
 *
 *     push ─▶ queries ═▶ answer ─▶ replies ═▶ ring ─▶ pull
 *
 * Source: biconvey.h and bitensor.c of bale 3, where a token travels with each query and reply.
 */

import { StateError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/for-v8.ts";
import { checkBlocking } from "../../../ground/wait/blocking.ts";
import { IN_ANSWER, IN_OWN_CODE } from "../../../links/status/layout.ts";
import { type ConveyorState, DONE, NEAR, OK, type Status, WORKING } from "../../../links/status/state.ts";
import { CONVEYOR_WORDS, type SessionWords } from "../../../links/transport/underway.ts";
import { underWayError } from "../engine/refusal.ts";
import { Refusals } from "../engine/refusals.ts";
import { ANSWERING, OPEN, type Ring, SHUT } from "../engine/ring.ts";
import type { Session, Waiting } from "../engine/session.ts";
import type { ConveyorStats } from "../engine/stats.ts";

/** The parts that depend on the kind of items. */
export interface BiParts {
  readonly queries: Session;
  readonly replies: Session;
  readonly ring: Ring;
  /**
   * Answers received queries: a buffer of them, or all. When an answer throws or returns an invalid reply, its query is
   * put back.
   * @returns whether all replies were sent: one without room is kept
   */
  serve(): boolean;
  /** Moves received replies into the ring; returns whether there were any. */
  collect(): boolean;
}

/** The counts of a biconveyor at one PE. */
export interface BiconveyorStats {
  /** Of the conveyor of queries: pushes are this PE's queries, pulls are the queries that this PE has answered. */
  readonly queries: ConveyorStats;
  /** Of the conveyor of replies: pushes are this PE's answers, pulls are the replies received here. */
  readonly replies: ConveyorStats;
}

/** The state of a biconveyor in its own session. */
type Phase = "dormant" | "begin" | "open" | "complete";

/** A biconveyor without its items. */
export abstract class BiBelt {
  /** This PE's rank among the PEs of the biconveyor. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** Largest number of this PE's queries without a pulled reply. */
  readonly window: number;
  readonly parts: BiParts;
  readonly mayBlock: boolean;
  #phase: Phase = "dormant";
  /** A reply is kept because there was no room for it. */
  #owed = false;
  /** Whether the last advance received replies. */
  #collected = false;
  #freed = false;
  /** Queries for which the window was full. */
  readonly #refusals = new Refusals();

  protected constructor(parts: BiParts) {
    this.parts = parts;
    this.mayBlock = parts.queries.mayBlock;
    this.window = parts.ring.window;
    this.rank = parts.queries.rank;
    this.size = parts.queries.size;
    // an answer without room is given again
    parts.replies.beginPatience();
  }

  get words(): SessionWords {
    return CONVEYOR_WORDS;
  }

  /** `cleanup` when only replies are left to pull. */
  get state(): ConveyorState {
    const { queries, replies } = this.parts;
    if (this.#phase !== "open") return this.#phase;
    if (queries.state === "working") return "working";
    return replies.state === "complete" ? "cleanup" : "endgame";
  }

  get title(): string {
    return `bi${this.parts.queries.title}`;
  }

  /**
   * For a query without room: its conveyor has none, and has said so, or the window is full. @returns false
   * @throws StateError, RankRangeError
   */
  full(dest: unknown): boolean {
    if (this.parts.ring.free > 0) return false;
    if (this.state !== "working") throw this.#refusal("push");
    this.parts.queries.checkRank(dest);
    return this.refused(dest as number);
  }

  /** The window is full for a query: see {@link Refusals.add}. @returns false */
  refused(dest: number, rest?: number): boolean {
    this.#refusals.add(dest, this, rest);
    return false;
  }

  /** Queries pushed in this session. */
  pushed(): number {
    const { ring } = this.parts;
    return ring.pulled + ring.window - ring.free;
  }

  /** @throws StateError for a call that the state does not allow */
  refuse(call: string): never {
    this.#guard(call);
    throw this.#refusal(call);
  }

  /** Ends the session with an error at every PE; returns the error to be thrown. */
  fail(error: unknown): unknown {
    return this.parts.queries.fail(error);
  }

  /** As Session.now. */
  now(): number {
    return this.parts.queries.now();
  }

  /** As {@link Session.beginPatience}, for queries. */
  beginPatience(): void {
    this.parts.queries.beginPatience();
  }

  /** As Session.checkWait: of the conveyor that this PE waits in. */
  checkWait(began: number): void {
    const { queries, replies } = this.parts;
    (queries.state === "complete" ? replies : queries).checkWait(began);
  }

  /** Whether the last advance made progress. */
  get moved(): boolean {
    const { queries, replies } = this.parts;
    return this.#collected || queries.moved || replies.moved;
  }

  /** As Session.hasRoomAgain. */
  hasRoomAgain(): boolean {
    return this.parts.queries.hasRoomAgain();
  }

  /** As Site.until. */
  until(ready: () => boolean, pollMs?: number): Promise<void> {
    return this.parts.queries.until(ready, pollMs);
  }

  /** Sends what is in this PE's buffers, as Session.flush: of queries, and of replies. */
  flushQueries(): void {
    this.parts.queries.flush();
  }

  flushReplies(): void {
    this.parts.replies.flush();
  }

  /** Whether its session cannot be completed any more. */
  get isEnded(): boolean {
    return this.parts.queries.isEnded;
  }

  /**
   * The caller that has begun the session ends it, also when the PE's main has returned: a PE may return in the middle
   *   of it
   */
  outliveMain(): void {
    const { queries, replies } = this.parts;
    for (const session of [this, queries, replies]) queries.sessions.delete(session);
    for (const { machinery } of [queries, replies]) machinery.site.outlivesMain = true;
  }

  /** Begins a session, and waits until it has begun. */
  begin(): void {
    checkBlocking(this, "begin");
    const waiting = this.beginning();
    while (!waiting.next().done);
  }

  /** The turns of begin, see Session.beginning. */
  *beginning(waits = true): Waiting {
    this.#guard("begin");
    if (this.#phase !== "dormant" || this.#freed) throw this.#refusal("begin");
    // checked first: if one of the two cannot begin, neither may
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
    this.#refusals.clear();
    this.#owed = false;
    this.#phase = "open";
  }

  /** As Biconveyor.advance. */
  proceed(done: boolean): Status {
    this.#guard("advance");
    if (this.#phase === "complete") return DONE;
    if (this.#phase !== "open") throw this.#refusal("advance");
    const { queries, replies } = this.parts;
    if (done && queries.phase === WORKING && !queries.machinery.choice.lossy) this.#refusals.check(this);
    this.#refusals.turn();
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
    // set until serve reports that no reply is kept
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

  /** As Session.reportPlace: in a run, the sink of replies runs. */
  reportPlace(place: number): void {
    this.parts.replies.reportPlace(place);
  }

  /** As Biconveyor.reset. */
  endSession(): void {
    this.#guard("reset");
    if (this.#phase === "dormant" && !this.#freed) return;
    if (this.#phase !== "complete") throw this.#refusal("reset");
    this.parts.ring.state = SHUT;
    this.parts.queries.endSession();
    this.parts.replies.endSession();
    this.#phase = "dormant";
  }

  /** @throws StateError in the middle of a session */
  free(): void {
    this.#guard("free");
    if (this.#phase !== "dormant" && this.#phase !== "complete") throw this.#refusal("free");
    this.parts.queries.free();
    this.parts.replies.free();
    this.#freed = true;
    this.#phase = "dormant";
    this.parts.ring.state = SHUT;
  }

  /** As {@link free}; in the middle of a session it does nothing. */
  [Symbol.dispose](): void {
    if (this.#phase === "dormant" || this.#phase === "complete") this.free();
  }

  #guard(call: string): void {
    if (this.parts.ring.state !== ANSWERING) return;
    throw new StateError(
      `${call}: not allowed inside the answer of this biconveyor. An answer computes a reply from its query and must not call the biconveyor.`,
    );
  }

  #refusal(call: string): StateError {
    if (this.#freed) return new StateError(`${call}: this biconveyor was freed; make another.`);
    if (this.#phase === "begin") return underWayError(call);
    return new StateError(
      `${call}: the biconveyor is ${this.state} at this PE; ${
        this.#phase === "dormant"
          ? "call begin first."
          : "keep calling pull and advance(true) until advance returns DONE."
      }`,
    );
  }
}
