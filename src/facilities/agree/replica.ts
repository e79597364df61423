/** One replica of a state machine: what programs call. The protocol is explained in docs/agreement.md. */
import { StateError } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import type { Members } from "../messages/members.ts";
import { Core } from "./core.ts";
import { MACHINE, type ReplicaOptions, settingsOf } from "./options.ts";
import type { Proposal } from "./proposal.ts";
import type { StateMachine } from "./state-machine.ts";
import {
  type AsyncWaitLimits,
  CallWaits,
  checkLimits,
  type Pending,
  pendingOf,
  SERVING,
  servingUntil,
  type WaitLimits,
  wordsOf,
} from "./waits.ts";
import { COMMAND, NOTHING } from "./wire/entries.ts";

const EMPTY = new Uint8Array(0);

export class Replica {
  readonly rank: number;
  readonly size: number;
  readonly #members: Members;
  readonly #core: Core;
  readonly #closeLog: () => void;
  #closed: Error | null = null;
  #isAdvancing = false;
  readonly #waits: CallWaits;

  /** All members make one, with the same options. */
  constructor(members: Members, machine: StateMachine, options: ReplicaOptions = {}) {
    const settings = settingsOf(options, members.size);
    checkOptions("machine", MACHINE, machine);
    this.rank = members.rank;
    this.size = members.size;
    this.#members = members;
    this.#core = new Core(members, machine, settings);
    this.#waits = new CallWaits(members, this, wordsOf("replica", "What it has proposed may still be applied, once."));
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

  /** The others that were not heard for `suspectAfter`, the lost ones included. */
  get silent(): readonly number[] {
    const { watch } = this.#core.shared;
    const { now } = this.#members;
    return Array.from({ length: this.size }, (_, member) => member).filter((m) => watch.isSuspected(m, now));
  }

  /** The others of whom an answer is due before what this replica proposes is committed, as far as it knows. */
  get awaited(): readonly number[] {
    const { leader, acceptor, rank } = this;
    return [...new Set([leader, acceptor])].filter((one) => one !== rank);
  }

  /** Milliseconds until {@link advance} has something to do even if no message comes: for a wait. */
  get idleFor(): number {
    return Math.max(0, this.#core.nextTick - this.#members.now);
  }

  /** Proposes a command: a copy of any view's bytes. It goes out with the next {@link advance}. @throws UsageError */
  propose(command: ArrayBufferView): Proposal {
    this.#checkOpen();
    return this.#core.own.propose(COMMAND, command);
  }

  /** Proposes nothing: when it is done, this replica's state includes all that was answered before the call. */
  sync(): Proposal {
    this.#checkOpen();
    return this.#core.own.propose(NOTHING, EMPTY);
  }

  /** Receives, answers, sends, watches: call it often. It never waits. @returns whether something happened */
  advance(): boolean {
    this.#checkOpen();
    if (this.#isAdvancing) {
      throw new StateError("replica: its state machine called it while it advances. Call it when apply has returned.");
    }
    this.#isAdvancing = true;
    try {
      return this.#core.advance();
    } catch (error) {
      // half of a command may be applied
      this.#end(error as Error);
      throw error;
    } finally {
      this.#isAdvancing = false;
      if (this.#closed !== null) this.#free();
    }
  }

  /** Advances, and blocks the thread, until the proposal is done. @throws its error; TimeoutError */
  wait(proposal: Proposal, limits?: WaitLimits): Uint8Array {
    checkLimits(limits);
    return this.#waits.block("wait", pendingOn(proposal), limits?.timeout);
  }

  /** As {@link wait}, without blocking. @throws AbortedError too */
  async waitAsync(proposal: Proposal, limits?: AsyncWaitLimits): Promise<Uint8Array> {
    checkLimits(limits);
    return this.#waits.until("wait", pendingOn(proposal), limits);
  }

  /** {@link propose} and {@link wait}. After a timeout the command may still be applied, once. */
  proposeAndWait(command: ArrayBufferView, limits?: WaitLimits): Uint8Array {
    checkLimits(limits);
    return this.wait(this.propose(command), limits);
  }

  async proposeAsync(command: ArrayBufferView, limits?: AsyncWaitLimits): Promise<Uint8Array> {
    checkLimits(limits);
    return this.waitAsync(this.propose(command), limits);
  }

  /** {@link sync} and {@link wait}. */
  syncAndWait(limits?: WaitLimits): void {
    checkLimits(limits);
    this.wait(this.sync(), limits);
  }

  async syncAsync(limits?: AsyncWaitLimits): Promise<void> {
    checkLimits(limits);
    await this.waitAsync(this.sync(), limits);
  }

  /**
   * Serves the others, blocking the thread, until `until` is true, which is asked after each advance, or this replica
   * is closed.
   * @throws TimeoutError
   */
  serve(until: () => boolean, limits?: WaitLimits): void {
    this.#waits.block("serve", this.#serving(until, limits), limits?.timeout, SERVING);
  }

  /** As {@link serve}, without blocking. @throws AbortedError too */
  async serveAsync(until: () => boolean, limits?: AsyncWaitLimits): Promise<void> {
    await this.#waits.until("serve", this.#serving(until, limits), limits, SERVING);
  }

  #serving(until: () => boolean, limits: AsyncWaitLimits | undefined): Pending<void> {
    return servingUntil(until, limits, () => this.#closed !== null);
  }

  /** Ends this replica's part: what it has proposed fails. The log is closed too, and the members are freed. */
  close(): void {
    if (this.#closed !== null) return;
    this.#end(new StateError("replica: it was closed. What it had proposed may be applied by the others, once."));
  }

  /** {@link close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  #end(error: Error): void {
    if (this.#closed !== null) return;
    this.#closed = error;
    this.#core.own.reject(error);
    this.#waits.end();
    // what advances may still keep and send something
    if (!this.#isAdvancing) this.#free();
  }

  #free(): void {
    try {
      this.#closeLog();
    } finally {
      this.#members.free?.();
    }
  }

  #checkOpen(): void {
    if (this.#closed !== null) throw new StateError("replica: it is closed.", { cause: this.#closed });
  }
}

const pendingOn = (proposal: Proposal): Pending<Uint8Array> =>
  pendingOf(
    () => proposal.done,
    () => {
      const { error, reply } = proposal;
      if (error !== null) throw error;
      return reply as Uint8Array;
    },
  );
