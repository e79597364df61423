/** Two-phase commit: what programs call. The protocol is in protocol.ts, and explained in docs/agreement.md. */
import { StateError } from "../../../ground/base/errors.ts";
import {
  callback,
  checkOptions,
  type OptionField,
  oneOf,
  optionsOf,
  positive,
  whole,
} from "../../../ground/base/options.ts";
import type { Members } from "../../messages/members.ts";
import { withFunctions } from "../options.ts";
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
} from "../waits.ts";
import type { Participant, TransactionId, TwoPhaseOptions } from "./participant.ts";
import { Protocol } from "./protocol.ts";
import type { Outcome, Transaction } from "./transaction.ts";

const OPTIONS = optionsOf<TwoPhaseOptions>({
  dissemination: oneOf(["tree", "sequential"]),
  treeFor: callback,
  voteWithin: positive("milliseconds"),
  window: whole(1, 2 ** 20),
});
const PARTICIPANT: OptionField = withFunctions("vote", "decide");

export class TwoPhaseCommit {
  readonly rank: number;
  readonly size: number;
  readonly #members: Members;
  readonly #protocol: Protocol;
  readonly #waits: CallWaits;
  #closed: Error | null = null;
  #isAdvancing = false;

  /** All members make one, with the same options. */
  constructor(members: Members, participant: Participant, options: TwoPhaseOptions = {}) {
    checkOptions("two-phase commit", OPTIONS, options);
    checkOptions("participant", PARTICIPANT, participant);
    this.#members = members;
    this.rank = members.rank;
    this.size = members.size;
    this.#protocol = new Protocol(members, participant, options);
    this.#waits = new CallWaits(members, this, wordsOf("two-phase commit", "It may still be committed or aborted."));
  }

  /** Proposes a copy of a transaction, any view. It begins with the next {@link advance}. @throws UsageError */
  propose(transaction: ArrayBufferView): Transaction {
    this.#checkOpen();
    return this.#protocol.propose(transaction);
  }

  /** Whether some of this member's transactions are not decided everywhere yet. */
  get isBusy(): boolean {
    return this.#protocol.isBusy;
  }

  /** The transactions that this member has promised, whose coordinator was lost with nobody who knows the decision. */
  get inDoubt(): readonly TransactionId[] {
    return this.#protocol.inDoubt;
  }

  /** The members of whom an answer is due before the first of this member's transactions is decided. */
  get awaited(): readonly number[] {
    return this.#protocol.awaited;
  }

  /** Milliseconds until {@link advance} may have something to do even if no message comes. */
  get idleFor(): number {
    return this.#protocol.idleFor;
  }

  /** Receives, votes, decides, sends: call it often. It never waits. @returns whether something happened */
  advance(): boolean {
    this.#checkOpen();
    if (this.#isAdvancing) {
      throw new StateError(
        "two-phase commit: its participant called it while it advances. Call it when vote or decide has returned.",
      );
    }
    this.#isAdvancing = true;
    try {
      return this.#protocol.advance();
    } catch (error) {
      this.#end(error as Error);
      throw error;
    } finally {
      this.#isAdvancing = false;
      if (this.#closed !== null) this.#members.free?.();
    }
  }

  /** Advances, and blocks the thread, until it is decided. @throws its error; TimeoutError */
  wait(transaction: Transaction, limits?: WaitLimits): Outcome {
    checkLimits(limits);
    return this.#waits.block("wait", pendingOn(transaction), limits?.timeout);
  }

  /** As {@link wait}, without blocking. @throws AbortedError too */
  async waitAsync(transaction: Transaction, limits?: AsyncWaitLimits): Promise<Outcome> {
    checkLimits(limits);
    return this.#waits.until("wait", pendingOn(transaction), limits);
  }

  /**
   * Takes part in the others' transactions, blocking the thread, until `until` is true, which is asked after each
   * advance, or it is closed.
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

  /** Ends this member's part: undecided proposals fail; to the others it must then be lost. Frees the members. */
  close(): void {
    this.#end(new StateError("two-phase commit: it was closed. What is not decided may be in doubt at others."));
  }

  /** {@link close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  #end(error: Error): void {
    if (this.#closed !== null) return;
    this.#closed = error;
    this.#protocol.reject(error);
    this.#waits.end();
    // what advances may still send something
    if (!this.#isAdvancing) this.#members.free?.();
  }

  #checkOpen(): void {
    if (this.#closed !== null) throw new StateError("two-phase commit: it is closed.", { cause: this.#closed });
  }
}

const pendingOn = (transaction: Transaction): Pending<Outcome> =>
  pendingOf(
    () => transaction.done,
    () => {
      const { error, outcome } = transaction;
      if (error !== null) throw error;
      return outcome as Outcome;
    },
  );
