/**
 * The phases of an exchange at one PE: what all its forms share, whether they block, await, or run in virtual time.
 *
 *     dormant ──schedule, serviceQueue──▶ open ──finish──▶ closed ──▶ dormant
 *
 * A phase begins at each PE with the first call that needs it, and ends at all PEs when all have closed their lists and
 * everything was handed out. Packets of a PE that is in the next phase already wait (links/transport/session-word.ts).
 */
import { viewBytes } from "../../ground/base/byte-length.ts";
import { MismatchError, RankRangeError, StateError, UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { SideTask } from "../../ground/wait/side-work.ts";
import { DORMANT, ENDGAME, WORKING } from "../../links/status/state.ts";
import type { Site } from "../../links/transport/contract.ts";
import { SessionLimits } from "../../links/transport/session-limits.ts";
import type { Sessions, SessionWords, UnderWay } from "../../links/transport/underway.ts";
import type { DisciplineCounts } from "../../route/disciplines/discipline.ts";
import {
  type ExchangeContext,
  type ExchangeSites,
  exchangeSites,
  PHASE_WORDS,
} from "../../route/disciplines/exchange-sites.ts";
import type { ExchangeChoice, ExchangeOptions } from "../../route/disciplines/options.ts";
import { ExchangeEngine } from "./engine.ts";
import type { OnChunk } from "./incoming.ts";
import { AlltoallvParts } from "./parts.ts";

/** The state of an exchange at one PE. */
export type ExchangeState = "dormant" | "open" | "closed";

/** A PE's counts, of all phases. */
export interface ExchangeStats {
  /** Phases that were finished. */
  readonly phases: number;
  /** Packets to other PEs, and bytes of data in them. */
  readonly packets: number;
  readonly bytes: number;
  /** The counts of the discipline, by name. */
  readonly counts: DisciplineCounts;
}

/** The options, checked, and what they come to. */
export interface DecidedExchange {
  readonly options: Pick<ExchangeOptions, "name" | "timeout" | "signal">;
  readonly choice: ExchangeChoice;
  readonly explain: () => string;
}

/** Turns between two reads of the clock, as a mask. */
const CLOCK_MASK = 63;

/** An exchange at one PE, without its waits. */
export class Phases implements UnderWay, SideTask {
  /** This PE's rank among the PEs of the exchange. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  readonly title: string;
  readonly words: SessionWords = PHASE_WORDS;
  /** All choices: those given, those that a plan has made, and the defaults. */
  readonly choice: ExchangeChoice;
  readonly explain: () => string;
  /** Whether the last turn made progress */
  moved = false;
  readonly #sites: ExchangeSites;
  readonly #engine: ExchangeEngine;
  readonly #limits: SessionLimits;
  #state: ExchangeState = "dormant";
  /** Number of the phase, from 1 on. */
  #number = 0;
  /** Whether this phase begins with a vote that is not over. */
  #isVoting = false;
  /** Whether a turn runs. */
  #isBusy = false;
  /** Whether turns of this phase have blocked. */
  #isActive = false;
  #isFreed = false;
  #turns = 0;
  /** Pieces sent and handed out, as of the last turn; since when there were no more, -1 if that is not known. */
  #pieces = 0;
  #since = -1;

  constructor(context: ExchangeContext, { options, choice, explain }: DecidedExchange) {
    const { name, timeout = Number.POSITIVE_INFINITY, signal } = options;
    this.choice = choice;
    this.explain = explain;
    this.#sites = exchangeSites(context, choice, name);
    const { data, control } = this.#sites;
    this.rank = data.rank;
    this.size = data.size;
    this.title = name === undefined ? "exchange" : `exchange ${name}`;
    this.#engine = new ExchangeEngine(this.#sites, choice, this.title);
    this.#limits = new SessionLimits(data, { timeout, signal }, this);
    for (const site of [data, control]) site.session.onMismatch = () => this.#mismatch(site);
  }

  /** Whether a phase is open at this PE, and whether its list is closed. */
  get state(): ExchangeState {
    return this.#state;
  }

  get mayBlock(): boolean {
    return this.#sites.data.mayBlock;
  }

  get pollMs(): number | undefined {
    return this.#sites.data.pollMs;
  }

  /** This PE's counts, of all phases. */
  stats(): ExchangeStats {
    const { packets, bytes, discipline } = this.#engine;
    const phases = this.#state === "dormant" ? this.#number : this.#number - 1;
    return { phases, packets, bytes, counts: discipline.counts };
  }

  /** See Exchange.schedule. */
  schedule(dest: number, data: ArrayBufferView, tag: number): void {
    if (!(typeof dest === "number" && dest >>> 0 === dest && dest < this.size)) {
      throw new RankRangeError(`schedule: expected a rank from 0 to ${this.size - 1}, got ${shortText(dest)}`);
    }
    if (!ArrayBuffer.isView(data)) {
      throw new UsageError(`schedule: expected a typed array or a DataView, got ${shortText(data)}`);
    }
    if ((tag | 0) !== tag) {
      throw new UsageError(`schedule: expected a tag from -2^31 to 2^31 - 1, got ${shortText(tag)}`);
    }
    if (this.#state === "closed") {
      throw new StateError("schedule: this PE has called finish; schedule before, or when it is over.");
    }
    const bytes = bytesOf(data);
    this.begin("schedule");
    this.#engine.add(dest, tag, bytes);
  }

  /** Schedules the parts of an alltoallv. @throws UsageError, StateError */
  scheduleAll<T extends TypedArray>(call: string, parts: readonly (T | undefined)[]): AlltoallvParts<T> {
    const taken = new AlltoallvParts(parts, this.size);
    if (this.#state !== "dormant") {
      throw new StateError(`${call}: the exchange's phase is ${this.#state} at this PE; call finish first.`);
    }
    for (let step = 1; step <= this.size; step++) {
      const dest = (this.rank + step) % this.size;
      const part = parts[dest];
      if (part !== undefined) this.schedule(dest, part, taken.tag);
    }
    return taken;
  }

  /** Begins a phase, unless one is open */
  begin(call: string): void {
    if (this.#isFreed) throw new StateError(`${call}: this exchange was freed; make another.`);
    if (this.#state !== "dormant") return;
    const { data, control } = this.#sites;
    // a phase that never waits would not notice a signal that is aborted already
    this.#limits.begin();
    this.#number++;
    this.#state = "open";
    this.#isVoting = data.firstByVote && this.#number === 1;
    for (const site of [data, control]) {
      site.session.begin(this.#number, "");
      if (this.#isVoting) site.vote.cast(0);
    }
    this.#engine.begin();
    data.statusWriter.begin(this.#number);
    data.statusWriter.state(WORKING);
    data.sessions.add(this);
    data.sessions.sideWork.add(this);
  }

  /** This PE schedules nothing more in this phase */
  close(call: string): void {
    if (this.#isBusy) throw new StateError(`${call}: not allowed inside onChunk, as it waits.`);
    this.begin(call);
    this.#state = "closed";
    this.#since = -1;
    this.#engine.isClosed = true;
    this.#sites.data.statusWriter.state(ENDGAME);
  }

  /** Whether this PE has something to send */
  get hasBacklog(): boolean {
    return this.#state !== "dormant" && this.#engine.backlog > 0;
  }

  /**
   * One turn of progress in the open phase
   * @param waits whether it may block the thread
   * @returns whether the phase is over
   * @throws what `onChunk` throws: the packet is handed out again next time
   */
  turn(call: string, onChunk: OnChunk, waits: boolean): boolean {
    if (this.#isBusy) throw new StateError(`${call}: not allowed inside onChunk, as it waits.`);
    this.begin(call);
    const { data } = this.#sites;
    if (waits && !this.#isActive) {
      data.setActive(true);
      this.#isActive = true;
    }
    this.moved = this.#drive(onChunk);
    const { packets, received } = this.#engine;
    const hasMovedData = packets + received !== this.#pieces;
    this.#pieces = packets + received;
    data.statusWriter.advance(hasMovedData, received, 0, 0);
    if (this.#engine.discipline.isOver) {
      this.#complete();
      return true;
    }
    if (hasMovedData) this.#since = -1;
    if (!this.moved || (++this.#turns & CLOCK_MASK) === 0) this.#checkLimits();
    if (waits) data.turn(this.moved, this.#number);
    else data.look(this.moved, this.#number);
    return false;
  }

  /** Tokens and rounds go on and on in a phase that a PE does not close: a wait for data is a wait all the same. */
  #checkLimits(): void {
    this.#limits.check();
    if (this.#state !== "closed") return;
    if (this.#since < 0) this.#since = this.now();
    else this.#limits.checkWait(this.#since);
  }

  /** Makes progress. @param onChunk null where none can be handed out */
  #drive(onChunk: OnChunk | null): boolean {
    this.#isBusy = true;
    try {
      const engine = this.#engine;
      this.#sites.control.look(this.moved, this.#number);
      if (this.#isVoting && !this.#isAgreed()) return false;
      return onChunk === null ? engine.serve() : engine.progress(onChunk);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Whether all PEs have begun their first phase. */
  #isAgreed(): boolean {
    const { data, control } = this.#sites;
    if (data.vote.poll() < 0 || control.vote.poll() < 0) return false;
    this.#isVoting = false;
    return true;
  }

  /** Work of this PE for others while it waits elsewhere: it sends, and answers control messages */
  serve(): boolean {
    if (this.#isBusy) return false;
    const { data } = this.#sites;
    try {
      const moved = this.#drive(null);
      data.look(moved, this.#number);
      return moved;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #complete(): void {
    const { data, control } = this.#sites;
    this.#state = "dormant";
    data.statusWriter.state(DORMANT);
    // marks that this PE may leave, for the check for PEs that leave too early
    for (const site of [data, control]) site.mark(this.#number);
    if (this.#isActive) data.setActive(false);
    this.#isActive = false;
    data.sessions.delete(this);
    data.sessions.sideWork.delete(this);
  }

  /** Whether its phase cannot be completed any more */
  get isEnded(): boolean {
    return this.#sites.data.isEnded;
  }

  /** Ends the phase with an error at every PE; returns the error to be thrown */
  fail(error: unknown): unknown {
    return this.#sites.data.fail(error as Error);
  }

  #mismatch(site: Site): Error {
    return site.fail(
      new MismatchError(
        `PE ${this.rank} got data of another phase of the exchange. All PEs must make their exchanges in the same order.`,
      ),
    );
  }

  /** See Site.until */
  until(ready: () => boolean, pollMs?: number): Promise<void> {
    return this.#sites.data.until(ready, pollMs);
  }

  /** Ms */
  now(): number {
    return this.#sites.data.now();
  }

  /** See SessionLimits.checkWait */
  checkWait(began: number): void {
    this.#limits.checkWait(began);
  }

  /** The open sessions of this PE */
  get sessions(): Sessions {
    return this.#sites.data.sessions;
  }

  /** See Exchange.free. */
  free(): void {
    if (this.#isFreed) return;
    if (this.#state !== "dormant") {
      throw new StateError(`free: the exchange's phase is ${this.#state} at this PE; call finish first.`);
    }
    this.#isFreed = true;
    this.#sites.data.free();
    this.#sites.control.free();
  }
}

/** All bytes of a view. @throws UsageError if its memory has gone */
function bytesOf(data: ArrayBufferView): Uint8Array {
  if (viewBytes(data) >= 0) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new UsageError(
    `schedule: expected a view of memory, got ${shortText(data)}, whose memory was transferred or resized`,
  );
}
