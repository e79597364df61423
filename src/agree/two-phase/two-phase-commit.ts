/** Two-phase commit: what programs call. The protocol is in protocol.ts, and explained in docs/agreement.md. */
import { StateError } from "../../base/errors.ts";
import { callback, checkOptions, oneOf, optionsOf, positive, whole } from "../../base/options.ts";
import type { Members } from "../../point-to-point/members.ts";
import { type AsyncWaitLimits, type WaitLimits, Waits } from "../waits.ts";
import { Protocol } from "./protocol.ts";
import type { Outcome, Transaction } from "./transaction.ts";
import type { Participant, TransactionId, TwoPhaseOptions } from "./types.ts";

const OPTIONS = optionsOf<TwoPhaseOptions>({
  dissemination: oneOf(["tree", "sequential"]),
  treeFor: callback,
  voteWithin: positive("milliseconds"),
  window: whole(1, 2 ** 20),
});

export class TwoPhaseCommit {
  readonly rank: number;
  readonly size: number;
  readonly #protocol: Protocol;
  readonly #waits: Waits;
  #closed: Error | null = null;

  /** All members make one, with the same options. */
  constructor(members: Members, participant: Participant, options: TwoPhaseOptions = {}) {
    checkOptions("two-phase commit", OPTIONS, options);
    this.rank = members.rank;
    this.size = members.size;
    this.#protocol = new Protocol(members, participant, options);
    this.#waits = new Waits(members, this, "two-phase commit", "It may still be committed or aborted.");
  }

  /** Proposes a transaction: the bytes of any view, which are copied. It begins with the next {@link advance}. @throws UsageError */
  propose(transaction: ArrayBufferView): Transaction {
    this.#checkOpen();
    return this.#protocol.propose(transaction);
  }

  /** Whether some of this member's transactions are not decided everywhere yet. */
  get isBusy(): boolean {
    return this.#protocol.isBusy;
  }

  /** The transactions that this member has promised to carry out, and whose coordinator was lost without anybody who knows the decision. */
  get inDoubt(): readonly TransactionId[] {
    return this.#protocol.inDoubt;
  }

  /** Milliseconds until {@link advance} may have something to do even if no message comes. */
  get idleFor(): number {
    return this.#protocol.idleFor;
  }

  /** Receives, votes, decides, sends: call it often. It never waits. @returns whether something happened */
  advance(): boolean {
    this.#checkOpen();
    try {
      return this.#protocol.advance();
    } catch (error) {
      this.#end(error as Error);
      throw error;
    }
  }

  /** Advances, and blocks the thread, until it is decided. @throws its error; TimeoutError */
  wait(transaction: Transaction, limits?: WaitLimits): Outcome {
    this.#waits.wait(transaction, limits);
    return outcomeOf(transaction);
  }

  /** As {@link wait}, without blocking. @throws AbortedError too */
  async waitAsync(transaction: Transaction, limits?: AsyncWaitLimits): Promise<Outcome> {
    await this.#waits.waitAsync(transaction, limits);
    return outcomeOf(transaction);
  }

  /** Takes part in the others' transactions, blocking the thread, until `until` is true, which is asked after each advance, or it is closed. @throws TimeoutError */
  serve(until: () => boolean, limits?: WaitLimits): void {
    this.#waits.serve(until, limits);
  }

  /** As {@link serve}, without blocking. @throws AbortedError too */
  serveAsync(until: () => boolean, limits?: AsyncWaitLimits): Promise<void> {
    return this.#waits.serveAsync(until, limits);
  }

  /** Ends this member's part: what it has proposed and is not decided fails. To the others it must then be lost. */
  close(): void {
    this.#end(
      new StateError("two-phase commit: it was closed. What is not decided may be in doubt at others."),
    );
  }

  #end(error: Error): void {
    if (this.#closed !== null) return;
    this.#closed = error;
    this.#protocol.reject(error);
    this.#waits.end();
  }

  #checkOpen(): void {
    if (this.#closed !== null)
      throw new StateError("two-phase commit: it is closed.", { cause: this.#closed });
  }
}

function outcomeOf({ outcome, error }: Transaction): Outcome {
  if (error !== null) throw error;
  return outcome as Outcome;
}
