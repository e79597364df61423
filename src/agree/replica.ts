/** One replica of a state machine: what programs call. The protocol is explained in docs/agreement.md. */
import type { Members } from "../point-to-point/members.ts";
import type { ReplicaOptions } from "./options.ts";
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

export declare class Replica {
  /** All members make one, with the same options. */
  constructor(members: Members, machine: StateMachine, options?: ReplicaOptions);
  readonly rank: number;
  readonly size: number;
  /** The configuration that this replica knows: number, leader, acceptor. */
  readonly epoch: number;
  readonly leader: number;
  readonly acceptor: number;
  readonly isLeader: boolean;
  /** The highest index up to which this replica knows all that is committed, and up to which its state machine has applied it. */
  readonly committed: number;
  readonly applied: number;
  /** How many more commands would be under way at once; 0: a further one waits in this replica. */
  readonly room: number;
  /** Why nothing can be committed, as far as this replica knows for certain; null if nothing is known to prevent it. */
  readonly blocked: Error | null;

  /** Proposes a command; its bytes are copied. It goes out with the next {@link advance}. */
  propose(command: Uint8Array): Proposal;
  /** Proposes nothing: when it is done, this replica's state includes all that was answered anywhere before the call. */
  sync(): Proposal;
  /** Receives, answers, sends, watches: call it often. It never waits. @returns whether something happened */
  advance(): boolean;
  /** Milliseconds until {@link advance} has something to do even if no message comes: for {@link Members.wait}. */
  readonly idleFor: number;

  /** Advances, and blocks the thread, until the proposal is done. @throws its error; TimeoutError */
  wait(proposal: Proposal, limits?: WaitLimits): Uint8Array;
  waitAsync(proposal: Proposal, limits?: AsyncWaitLimits): Promise<Uint8Array>;
  /** {@link propose} and {@link wait}. After a timeout the command may still be applied, once. */
  proposeAndWait(command: Uint8Array, limits?: WaitLimits): Uint8Array;
  proposeAsync(command: Uint8Array, limits?: AsyncWaitLimits): Promise<Uint8Array>;
  /** {@link sync} and {@link wait}. */
  syncAndWait(limits?: WaitLimits): void;
  syncAsync(limits?: AsyncWaitLimits): Promise<void>;
  /** Serves the others, blocking the thread, until `until` is true (asked after each advance) or this replica is closed. */
  serve(until: () => boolean): void;
  /** As {@link serve}, without blocking. */
  serveAsync(until: () => boolean): Promise<void>;
  /** Ends this replica's part: open proposals fail. The log is closed too. */
  close(): void;
}
