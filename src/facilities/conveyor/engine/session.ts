/**
 * The session: what all conveyors share, whatever their items: the states, the collective calls, the limits, and the
 * counts. The rules are in docs/contract.md.
 *
 * Most sessions begin at once (links/transport/session-word.ts), others with a vote. That is a wait: a first step and
 * turns, each of which says whether the wait is over. The blocking calls take turns until it is; an event loop, and the
 * virtual machine, have it as a generator that yields after each.
 */

import { RankRangeError, type StateError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import { checkBlocking } from "../../../ground/wait/blocking.ts";
import {
  BEGIN,
  CLEANUP,
  COMPLETE,
  type ConveyorState,
  DONE,
  DORMANT,
  ENDGAME,
  isBegun,
  NEAR,
  STATE_NAMES,
  type Status,
  WORKING,
} from "../../../links/status/state.ts";
import { type PartialLimits, SessionLimits } from "../../../links/transport/session-limits.ts";
import { CONVEYOR_WORDS, type Sessions, type SessionWords } from "../../../links/transport/underway.ts";
import type { Machinery } from "./assembly.ts";
import { areSessionsWanted } from "./observe.ts";
import { publishEnd } from "./published.ts";
import { stateError, warnOfAdvance } from "./refusal.ts";
import { Refusals } from "./refusals.ts";
import { type ConveyorStats, Counts } from "./stats.ts";
import type { Engine } from "./tensor.ts";
import { mismatchError, TermsVotes } from "./terms.ts";

/** A wait, one turn at a time. */
export type Waiting = Generator<void, void, void>;

/** Properties of a conveyor beyond the contract. */
export interface ConveyorFeatures {
  /** Items have lengths of their own. */
  readonly elastic: boolean;
  /** Pushed items arrive even if no PE ever calls advance(true). */
  readonly steady: boolean;
  /** Buffers between groups are compressed. */
  readonly compressed: boolean;
}

/** Turns between two reads of the clock, as a mask. */
const CLOCK_MASK = 63;

/** A conveyor at one PE, without its items. */
export abstract class Session {
  /** This PE's rank among the PEs of the conveyor. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  readonly machinery: Machinery;
  /** What moves the buffers; it may change between two sessions. */
  engine: Engine;
  readonly mayBlock: boolean;
  /** A number of state.ts. */
  phase: number = DORMANT;
  /** How sessions end, if not as usual: {@link BY_QUIESCENCE}, a term of each session. */
  ending = "";
  /** Whether the turns of this session may block the thread: not in an event loop. */
  #waits = true;
  /** Whether who calls advance has other work, so that it does not wait. */
  works = false;
  #freed = false;
  /** The session was complete before the last advance. */
  #isStill = false;
  #number = 0;
  #advances = 0;
  readonly #limits: SessionLimits;
  #warned = false;
  #votes = 0;
  /** When this session began, if its end will be published; else -1. */
  #began = -1;
  /**
   * The terms that all PEs have agreed about. Initially those that the conveyor was made with, which were compared
   * then.
   */
  protected agreed = "";
  readonly #terms: TermsVotes;
  /** Whether this session begins with a vote. */
  #isVoting = false;
  protected unpulls = 0;
  readonly #refusals = new Refusals();
  /** Of this session, or of the last one; and of those before. */
  readonly #counts = new Counts();
  readonly #before = new Counts();

  constructor(machinery: Machinery) {
    this.machinery = machinery;
    this.engine = machinery.engine;
    this.mayBlock = machinery.site.mayBlock;
    this.#terms = new TermsVotes(machinery.site.vote);
    this.#limits = new SessionLimits(machinery.site, machinery.choice, this);
    machinery.site.session.onMismatch = (isOfEnds) => this.#mismatch(isOfEnds);
    this.rank = machinery.site.rank;
    this.size = machinery.site.size;
  }

  /** The state at this PE. */
  get state(): ConveyorState {
    return STATE_NAMES[this.phase];
  }

  get title(): string {
    return `conveyor of ${this.machinery.site.name}`;
  }

  get words(): SessionWords {
    return CONVEYOR_WORDS;
  }

  /** The open sessions of all conveyors of this PE. */
  get sessions(): Sessions {
    return this.machinery.site.sessions;
  }

  abstract get features(): ConveyorFeatures;

  /** Whether a session has begun and was not reset. */
  protected get isBegun(): boolean {
    return isBegun(this.phase);
  }

  /** Items in the current buffer that are not pulled yet, a lower bound; -1 if a pull has to end what it shows. */
  protected get waiting(): number {
    const { inbox } = this.machinery;
    return inbox.isKept ? -1 : inbox.waiting;
  }

  /** Prepares a session; returns, as text, the terms that all PEs must agree about. Nothing changes if it throws. */
  protected abstract prepare(): string;
  /** Items pushed and pulled in this session. */
  protected abstract tally(): { readonly pushes: number; readonly pulls: number };

  /** Whether it cannot be completed any more. */
  get isEnded(): boolean {
    return this.machinery.site.isEnded;
  }

  /** Ends the session with an error at every PE; returns the error to be thrown. */
  fail(error: unknown): unknown {
    return this.machinery.site.fail(error as Error);
  }

  /** @throws what begin would throw before it waits */
  rehearse(): void {
    this.#check("begin", DORMANT);
    this.prepare();
  }

  /** Sets the limits of the sessions that begin from now on, instead of those of the options. */
  limitNext(limits: PartialLimits): void {
    this.#limits.change(limits);
  }

  /**
   * Begins a session, and waits until it has begun.
   * @param item for those that have an item type
   * @throws as startBegin
   */
  begin(item?: ItemType): void {
    checkBlocking(this, "begin");
    this.startBegin(true, item);
    while (!this.turnBegin());
  }

  /**
   * The turns of begin, where the thread must not block or takes them itself.
   * @param waits whether these turns, and those of the session, may block the thread
   */
  *beginning(waits = true, item?: ItemType): Waiting {
    this.startBegin(waits, item);
    while (!this.turnBegin()) yield;
  }

  /** The first step of begin, see {@link beginning}. @param item for those that have an item type */
  startBegin(waits: boolean, _item?: ItemType): void {
    this.#check("begin", DORMANT);
    const terms = this.prepare() + this.ending;
    const isQuiet = this.ending !== "";
    this.#waits = waits;
    this.phase = BEGIN;
    const { site, beginsByVote, adapting } = this.machinery;
    adapting?.costs(waits ? 0 : site.turnCost);
    site.sessions.add(this);
    try {
      this.#number++;
      // a session that never waits would not notice a signal that is aborted already
      if (this.#limits.any) this.#limits.begin();
      if (waits) site.setActive(true);
      this.#votes = 0;
      site.session.begin(this.#number, terms, isQuiet);
      site.statusWriter.begin(this.#number);
      this.#isVoting = beginsByVote || (site.firstByVote && this.#number === 1);
      if (!this.#isVoting) return;
      this.#enter(BEGIN);
      this.#terms.begin(terms, this.agreed, isQuiet);
    } catch (error) {
      this.refuseBegin();
      throw error;
    }
  }

  /** A turn of begin; whether the session has begun. */
  turnBegin(): boolean {
    try {
      if (this.#isVoting && !this.#agree()) return false;
    } catch (error) {
      this.refuseBegin();
      throw error;
    }
    const { site, squeezer, observer } = this.machinery;
    this.#advances = 0;
    this.#isStill = false;
    this.unpulls = 0;
    this.#counts.moveTo(this.#before);
    this.engine.begin();
    this.#refusals.clear();
    observer?.begin();
    this.#began = areSessionsWanted() ? site.now() : -1;
    if (squeezer !== null) squeezer.saved = 0;
    this.#enter(WORKING);
    return true;
  }

  /** Called when begin has failed: nothing has changed. */
  protected refuseBegin(): void {
    this.phase = DORMANT;
    this.machinery.site.sessions.delete(this);
  }

  /** Whether all PEs have begun, with the same terms. */
  #agree(): boolean {
    for (;;) {
      const result = this.#voted();
      if (result < 0) return false;
      const verdict = this.#terms.take(result);
      if (verdict === "more") continue;
      if (verdict !== "agree") throw this.#mismatch(verdict === "ends");
      this.agreed = this.#terms.terms as string;
      return true;
    }
  }

  /** @param isOfEnds whether the PEs differ in how sessions end, and perhaps in more */
  #mismatch(isOfEnds: boolean): Error {
    const { site } = this.machinery;
    return site.fail(mismatchError(site, isOfEnds));
  }

  #enter(phase: number): void {
    this.phase = phase;
    this.machinery.site.statusWriter.state(phase);
  }

  /** @throws RankRangeError unless `dest` is a rank */
  checkRank(dest: unknown, call = "push"): void {
    if (typeof dest === "number" && dest >>> 0 === dest && dest < this.size) return;
    throw new RankRangeError(`${call}: expected a rank from 0 to ${this.size - 1}, got ${shortText(dest)}`);
  }

  /** The result of the vote that was cast; -1 after a turn of waiting for it. */
  #voted(): number {
    const { site } = this.machinery;
    const result = site.vote.poll();
    if (result >= 0) {
      // one wait has ended; the next turn belongs to another wait
      site.turn(true, this.#number);
      this.#votes++;
      return result;
    }
    this.#limits.check();
    if (this.#waits) site.turn(false, this.#number, true);
    else site.look(false, this.#number);
    return -1;
  }

  /** As Conveyor.advance. */
  proceed(done: boolean): Status {
    if (this.phase === COMPLETE) {
      this.#isStill = true;
      return DONE;
    }
    if (!isBegun(this.phase) || this.#freed) throw this.refusal("advance");
    if (done) this.declareDone();
    else if (this.phase !== WORKING) this.#warn();
    const { engine } = this;
    this.#refusals.turn();
    return this.endTurn(done, engine.advance(this.phase !== WORKING), engine.moved);
  }

  /** This PE pushes nothing more. */
  declareDone(): void {
    if (this.phase !== WORKING) return;
    if (!this.machinery.choice.lossy) this.#refusals.check(this.machinery.entry);
    this.phase = ENDGAME;
  }

  /** The end of a turn of {@link proceed}: reports, looks at limits, and waits if nothing has moved. */
  endTurn(done: boolean, status: Status, moved: boolean): Status {
    this.#advances++;
    const { site, inbox } = this.machinery;
    const { statusWriter } = site;
    // what is complete is told at once
    if (done && status !== DONE) statusWriter.state(status === NEAR ? CLEANUP : ENDGAME);
    statusWriter.advance(moved, inbox.pulled, this.unpulls, this.waiting);
    if (status === DONE) {
      this.#complete(moved);
      return DONE;
    }
    if (status === NEAR) this.phase = CLEANUP;
    if (this.#limits.any && (!moved || (this.#advances & CLOCK_MASK) === 0)) this.#limits.check();
    if (this.#waits && !this.works) site.turn(moved, this.#number);
    else site.look(moved, this.#number, this.works);
    return status;
  }

  /** The push that was refused throws when it is repeated: it is not lost without a word. */
  protected settleRefusals(): void {
    this.#refusals.settle();
  }

  /** From now on the pushes of the program wait for room, as those of a run do: see {@link Outbox.isPatient}. */
  beginPatience(): void {
    for (const outbox of this.machinery.outboxes) outbox.isPatient = true;
  }

  /** A push by the program finds no room: see {@link Refusals.add}. @returns false */
  refused(dest: number, rest?: number): boolean {
    this.#refusals.add(dest, this.machinery.entry, rest);
    return false;
  }

  /** Reports progress in another part of the biconveyor or selector that this is part of, see StatusWriter. */
  reportMoved(): void {
    const { site, inbox } = this.machinery;
    site.statusWriter.advance(true, inbox.pulled, this.unpulls, this.waiting);
  }

  /** Counts a vote cast for the end of the session by quiescence. */
  countVote(): void {
    this.#votes++;
  }

  /** The time that {@link checkWait} takes, ms */
  now(): number {
    return this.machinery.site.now();
  }

  /** As SessionLimits.checkWait. */
  checkWait(began: number): void {
    this.#limits.checkWait(began);
  }

  /** Whether the last advance made progress. */
  get moved(): boolean {
    return !this.#isStill && this.engine.moved;
  }

  /** Whether a push that found no room would find some now; see Outbox.hasRoomAgain. */
  hasRoomAgain(): boolean {
    return this.machinery.outboxes.some((outbox) => outbox.hasRoomAgain());
  }

  /** Sets which of the user's functions runs from now on, see StatusWriter. */
  reportPlace(place: number): void {
    this.machinery.site.statusWriter.place(place);
  }

  /** As Site.until. */
  until(ready: () => boolean, pollMs?: number): Promise<void> {
    return this.machinery.site.until(ready, pollMs);
  }

  #complete(moved: boolean): void {
    const { site } = this.machinery;
    this.#enter(COMPLETE);
    // marks that this PE may leave, for the check for PEs that leave too early
    site.mark(this.#number);
    site.turn(moved, this.#number);
    site.setActive(false);
    site.sessions.delete(this);
  }

  /** As Conveyor.reset. */
  endSession(): void {
    if (this.phase === DORMANT && !this.#freed) return;
    this.#check("reset", COMPLETE);
    this.release();
    this.#end();
  }

  #end(): void {
    this.#count();
    this.#enter(DORMANT);
    this.ended();
    if (this.#began >= 0) publishEnd(this.machinery, this.features.elastic, this.#began, this.#counts.read());
  }

  /** Called when the session is over at this PE: others may be in it still. */
  protected ended(): void {}

  /** Releases other PEs' memory: nothing is pulled any more. */
  protected release(): void {
    this.machinery.inbox.drop();
  }

  /** Sends what is in this PE's buffers. @param dest only what shares a link with items for this PE. @default all */
  flush(dest?: number): void {
    if (!this.isBegun) throw this.refusal("flush");
    if (dest !== undefined) this.checkRank(dest, "flush");
    // afterwards nothing waits
    if (this.phase !== WORKING) return;
    const { entry, ways } = this.machinery;
    if (dest === undefined) entry.urgeAll();
    else entry.urge(ways.link[dest]);
  }

  free(): void {
    if (this.#freed) return;
    if (this.phase !== DORMANT && this.phase !== COMPLETE) throw this.refusal("free");
    this.release();
    if (this.phase === COMPLETE) this.#end();
    this.#freed = true;
    this.machinery.site.oversized.abandon();
    this.machinery.engine.free?.();
    this.machinery.site.free();
  }

  /** As {@link free}; in the middle of a session it does nothing. */
  [Symbol.dispose](): void {
    if (this.phase === DORMANT || this.phase === COMPLETE) this.free();
  }

  stats(): ConveyorStats {
    if (this.phase !== DORMANT && this.phase !== BEGIN) this.#count();
    return this.#counts.readWith(this.#before, this.machinery.adapting?.read() ?? null);
  }

  /** Counts what this session has done so far. */
  #count(): void {
    const { outboxes, squeezer } = this.machinery;
    const { pushes, pulls } = this.tally();
    const votes = this.#votes + this.engine.votes;
    this.#counts.set(pushes, pulls, this.unpulls, this.#advances, squeezer?.saved ?? 0, votes, outboxes);
  }

  #check(call: string, legal: number): void {
    if (this.#freed || this.phase !== legal) throw this.refusal(call);
  }

  /** @throws StateError for a call that this state does not allow */
  refuse(call: string): never {
    throw this.refusal(call);
  }

  /** The error for a call that this state does not allow. */
  protected refusal(call: string): StateError {
    return stateError(call, this.#freed ? "freed" : this.state);
  }

  /** A warning is enough: an error could leave the other PEs waiting for ever. */
  #warn(): void {
    if (this.#warned) return;
    this.#warned = true;
    warnOfAdvance(this.rank);
  }
}
