/** One transaction: what its coordinator's program sees, and what a member knows of it. */
import type { TransactionId } from "./participant.ts";

export type Outcome = "committed" | "aborted";

/** A transaction that was proposed at this member. */
export interface Transaction {
  /** Whether it has an outcome or an error. */
  readonly done: boolean;
  /** The decision; null before. It is decided here; others learn it after. */
  readonly outcome: Outcome | null;
  /** Why there will be no decision; null if there is none. */
  readonly error: Error | null;
}

/** One that ends once: with an outcome or an error. */
export class OpenTransaction implements Transaction {
  outcome: Outcome | null = null;
  error: Error | null = null;

  get done(): boolean {
    return this.outcome !== null || this.error !== null;
  }

  resolve(outcome: Outcome): void {
    if (!this.done) this.outcome = outcome;
  }

  reject(error: Error): void {
    if (!this.done) this.error = error;
  }
}

/**
 * A member's stage in a transaction:
 *
 *     collecting   it has voted, and waits for the votes of its children
 *     promised     all of them have voted yes, and its parent knows: only the coordinator can decide
 *     refused      somebody here has voted no, and its parent knows: it cannot commit
 *     committed, aborted
 */
export type Stage = "collecting" | "promised" | "refused" | Outcome;

export interface TransactionPart {
  readonly id: TransactionId;
  readonly bytes: Uint8Array;
  stage: Stage;
  /** Whether this member's program was asked to vote, and so gets the decision. */
  readonly voted: boolean;
  /** Who has sent it; this member itself at the coordinator. */
  readonly parent: number;
  /** Those that have told its decision and wait until all below have it. */
  readonly tellers: Set<number>;
  /** Those it was sent to, or the decision, that have not answered. */
  readonly waits: Set<number>;
  /** Votes of yes below, this member's included. */
  yes: number;
  /** Those that asked for the decision while it was not known here. */
  readonly askers: Set<number>;
  /** Those that were asked for the decision; null: nobody was. */
  asked: Set<number> | null;
  isDoubtTold: boolean;
  /** At the coordinator: how many votes it needs, when it ends, and what its program holds. */
  readonly needs: number;
  readonly deadline: number;
  readonly transaction: OpenTransaction | null;
}

/** Whether a member knows the decision. */
export const isDecided = ({ stage }: TransactionPart): boolean => stage === "committed" || stage === "aborted";

/** A member's knowledge of a transaction that it will refuse. */
export const refusal = (id: TransactionId): TransactionPart => ({
  id,
  bytes: new Uint8Array(0),
  stage: "aborted",
  voted: false,
  parent: id.coordinator,
  tellers: new Set(),
  waits: new Set(),
  yes: 0,
  askers: new Set(),
  asked: null,
  isDoubtTold: false,
  needs: 0,
  deadline: Infinity,
  transaction: null,
});
