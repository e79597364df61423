/** The interface between two-phase commit and the program at each member. */
import type { RankLostError } from "../../../ground/base/errors.ts";
import type { Dissemination } from "../state-machine.ts";

/** A transaction: the `sequence`-th of the member that coordinates it. */
export interface TransactionId {
  readonly coordinator: number;
  readonly sequence: number;
}

/** A member's handling of transactions. None of its calls may throw, or advance the member: then the member ends. */
export interface Participant {
  /**
   * Whether it can carry the transaction out; after `true` it must be able to, whenever the decision comes. Called
   * once. Anything but true and false is a UsageError that ends the member. The bytes are valid during the call.
   */
  vote(transaction: Uint8Array, id: TransactionId): boolean;
  /** The decision, called once for each vote. The bytes are those of {@link vote}. */
  decide(transaction: Uint8Array, committed: boolean, id: TransactionId): void;
  /**
   * It has voted `true`, the coordinator is lost, and nobody who is left knows the decision or can still refuse: this
   * member must keep what the transaction needs. {@link decide} may never be called.
   */
  doubt?(transaction: Uint8Array, error: RankLostError, id: TransactionId): void;
}

export interface TwoPhaseOptions {
  /** How messages go: along `treeFor`, votes combined on the way back, or between the coordinator and each other. */
  readonly dissemination?: Dissemination | undefined;
  /** The children of each member, by rank, in a tree with this root. The same at all members. */
  readonly treeFor?: ((root: number) => readonly (readonly number[])[]) | undefined;
  /** Milliseconds after which a transaction whose votes are not all there is aborted; 5000 unless told. */
  readonly voteWithin?: number | undefined;
  /** How many transactions of this member may be under way; others wait. 256 unless told. */
  readonly window?: number | undefined;
}
