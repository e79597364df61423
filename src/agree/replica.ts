/** One replica of a state machine: what programs call. The protocol is explained in docs/agreement.md. */
import { AbortedError, StateError, TimeoutError } from "../base/errors.ts";
import type { Members } from "../point-to-point/members.ts";
import { Core } from "./core.ts";
import { COMMAND, NOTHING } from "./entries.ts";
import { type ReplicaOptions, settingsOf } from "./options.ts";
import type { Proposal } from "./proposal.ts";
import type { StateMachine } from "./types.ts";

/** How long a call waits. */
export interface WaitLimits {
  /** Milliseconds; Infinity unless told. */
  readonly timeout?: number | undefined;
}

export interface AsyncWaitLimits extends WaitLimits {
  readonly signal?: AbortSignal | undefined;
}

/** An async call that waits. */
interface Waiting {
  readonly isDone: () => boolean;
  /** When it ends in any case. */
  readonly deadline: number;
  readonly wake: () => void;
}

/** How long async calls advance without letting others run, ms. */
const TURN = 2;
const EMPTY = new Uint8Array(0);

export class Replica {
  readonly rank: number;
  readonly size: number;
  readonly #members: Members;
  readonly #core: Core;
  readonly #closeLog: () => void;
  #closed: Error | null = null;
  /** What has ended it while nobody called. */
  #failure: Error | null = null;
  /** Async calls that wait share one loop that advances. */
  readonly #waiting: Set<Waiting> = new Set();
  #runs = false;
  #kicked = false;

  /** All members make one, with the same options. */
  constructor(members: Members, machine: StateMachine, options: ReplicaOptions = {}) {
    const settings = settingsOf(options, members.size);
    this.rank = members.rank;
    this.size = members.size;
    this.#members = members;
    this.#core = new Core(members, machine, settings);
    this.#closeLog = () => settings.log?.close();
  }

  /** The configuration that this replica knows: number, leader, acceptor. */
  get epoch(): number {
    return this.#core.shared.config.epoch;
  }

  get leader(): number {
    return this.#core.shared.config.leader;
  }

  get acceptor(): number {
    return this.#core.shared.config.acceptor;
  }

  get isLeader(): boolean {
    return this.leader === this.rank;
  }

  /** The highest index up to which this replica knows all that is committed. */
  get committed(): number {
    return this.#core.shared.learned;
  }

  /** The highest index up to which its state machine has applied all. */
  get applied(): number {
    return this.#core.state.applied;
  }

  /** How many more commands would be under way at once; 0: a further one waits in this replica. */
  get room(): number {
    return this.#core.own.room;
  }

  /** Whether none of its commands is without a reply, those included whose callers have stopped to wait. */
  get isIdle(): boolean {
    return this.#core.own.isIdle;
  }

  /** Why nothing can be committed, as far as this replica knows; null if nothing is known to prevent it. */
  get blocked(): Error | null {
    return this.#core.blocked;
  }

  /** Milliseconds until {@link advance} has something to do even if no message comes: for {@link Members.wait}. */
  get idleFor(): number {
    return Math.max(0, this.#core.nextTick - this.#members.now);
  }

  /** Proposes a command; its bytes are copied. It goes out with the next {@link advance}. */
  propose(command: Uint8Array): Proposal {
    this.#checkOpen();
    return this.#core.own.propose(COMMAND, command);
  }

  /** Proposes nothing: when it is done, this replica's state includes all that was answered anywhere before the call. */
  sync(): Proposal {
    this.#checkOpen();
    return this.#core.own.propose(NOTHING, EMPTY);
  }

  /** Receives, answers, sends, watches: call it often. It never waits. @returns whether something happened */
  advance(): boolean {
    this.#checkOpen();
    try {
      return this.#core.advance();
    } catch (error) {
      // half of a command may be applied
      this.#end(error as Error);
      throw error;
    }
  }

  /** Advances, and blocks the thread, until the proposal is done. @throws its error; TimeoutError */
  wait(proposal: Proposal, { timeout = Infinity }: WaitLimits = {}): Uint8Array {
    const deadline = this.#members.now + timeout;
    while (!proposal.done) {
      if (this.advance()) continue;
      const left = deadline - this.#members.now;
      if (left <= 0) throw tooLate(timeout);
      this.#members.wait(Math.min(left, this.idleFor));
    }
    return resultOf(proposal);
  }

  /** As {@link wait}, without blocking. @throws AbortedError too */
  async waitAsync(
    proposal: Proposal,
    { timeout = Infinity, signal }: AsyncWaitLimits = {},
  ): Promise<Uint8Array> {
    const deadline = this.#members.now + timeout;
    const look = () => this.#look();
    signal?.addEventListener("abort", look);
    await this.#until(() => proposal.done || signal?.aborted === true, deadline);
    signal?.removeEventListener("abort", look);
    if (proposal.done) return resultOf(proposal);
    if (signal?.aborted !== true) throw tooLate(timeout);
    const message = "replica: the wait was aborted. The command may still be applied, once.";
    throw new AbortedError(message, { cause: signal.reason });
  }

  /** {@link propose} and {@link wait}. After a timeout the command may still be applied, once. */
  proposeAndWait(command: Uint8Array, limits?: WaitLimits): Uint8Array {
    return this.wait(this.propose(command), limits);
  }

  proposeAsync(command: Uint8Array, limits?: AsyncWaitLimits): Promise<Uint8Array> {
    return this.waitAsync(this.propose(command), limits);
  }

  /** {@link sync} and {@link wait}. */
  syncAndWait(limits?: WaitLimits): void {
    this.wait(this.sync(), limits);
  }

  async syncAsync(limits?: AsyncWaitLimits): Promise<void> {
    await this.waitAsync(this.sync(), limits);
  }

  /** Serves the others, blocking the thread, until `until` is true, which is asked after each advance, or this replica is closed. */
  serve(until: () => boolean): void {
    while (this.#closed === null && !until()) if (!this.advance()) this.#members.wait(this.idleFor);
  }

  /** As {@link serve}, without blocking. */
  async serveAsync(until: () => boolean): Promise<void> {
    await this.#until(until, Infinity);
    if (this.#failure !== null) throw this.#failure;
  }

  /** Ends this replica's part: what it has proposed fails. The log is closed too. */
  close(): void {
    if (this.#closed !== null) return;
    this.#end(
      new StateError("replica: it was closed. What it had proposed may be applied by the others, once."),
    );
  }

  #end(error: Error): void {
    if (this.#closed !== null) return;
    this.#closed = error;
    this.#core.own.reject(error);
    this.#look();
    this.#closeLog();
  }

  #checkOpen(): void {
    if (this.#closed !== null) throw new StateError("replica: it is closed.", { cause: this.#closed });
  }

  /** Resolves when it is done, which is asked after each advance, at the deadline, or when this replica is closed. */
  #until(isDone: () => boolean, deadline: number): Promise<void> {
    return new Promise((wake) => {
      this.#waiting.add({ isDone, deadline, wake });
      this.#kick();
      if (!this.#runs) void this.#run();
    });
  }

  /** Calls that begin in one turn send in one message: the loop may be waiting. */
  #kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    queueMicrotask(() => {
      this.#kicked = false;
      this.#turn();
    });
  }

  /** Advances as long as there is something to do, and not for long. @returns whether there is more */
  #turn(): boolean {
    const end = this.#members.now + TURN;
    let busy = true;
    try {
      while (busy && this.#closed === null && this.#waiting.size > 0) {
        busy = this.advance();
        this.#look();
        if (this.#members.now >= end) break;
      }
    } catch (error) {
      this.#failure = error as Error;
      this.#look();
    }
    return busy;
  }

  /** Wakes those that are done. */
  #look(): void {
    const { now } = this.#members;
    for (const waiting of this.#waiting) {
      if (this.#closed === null && now < waiting.deadline && !waiting.isDone()) continue;
      this.#waiting.delete(waiting);
      waiting.wake();
    }
  }

  async #run(): Promise<void> {
    this.#runs = true;
    while (this.#waiting.size > 0) {
      const busy = this.#turn();
      if (this.#waiting.size === 0) break;
      let next = this.#members.now + this.idleFor;
      for (const { deadline } of this.#waiting) next = Math.min(next, deadline);
      await this.#members.waitAsync(busy ? 0 : Math.max(0, next - this.#members.now));
      this.#look();
    }
    this.#runs = false;
  }
}

function resultOf({ reply, error }: Proposal): Uint8Array {
  if (error !== null) throw error;
  return reply as Uint8Array;
}

const tooLate = (timeout: number): TimeoutError =>
  new TimeoutError(`replica: no reply within ${timeout} ms. The command may still be applied, once.`);
