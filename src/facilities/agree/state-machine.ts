/** What agreement is about: commands, applied in one order to a state that each replica has. */

/** A deterministic state: the same commands in the same order give the same state and the same replies at each replica. */
export interface StateMachine {
  /** Applies a command, whose bytes are valid during the call only. It may propose, but must not advance the replica or wait for it. @param index 1, 2, 3 … @returns the reply to whom proposed it: kept, so nobody writes to it later */
  apply(command: Uint8Array, index: number): Uint8Array;
  /** The state as bytes. */
  snapshot(): Uint8Array;
  /** Replaces the state by one that was given by {@link StateMachine.snapshot}. */
  restore(snapshot: Uint8Array): void;
}

/** How messages to all replicas go: along the machine's tree, or one after the other by their sender (the control of Smelt's evaluation). */
export type Dissemination = "tree" | "sequential";

/** Where a replica keeps what must survive a restart of its process; all calls return when the data is as safe as its fsync policy says. */
export interface DurableLog {
  /** What was kept: the last snapshot, and the records after it, in order. */
  readonly recovered: Recovered;
  /** Appends records, in order; one call for a batch. */
  append(records: readonly LogRecord[]): void;
  /** Replaces all records up to `index` by a snapshot of the state after it. */
  truncate(index: number, snapshot: Uint8Array): void;
  close(): void;
}

/** A command that is agreed on, and its number in the order. */
export interface LogRecord {
  readonly index: number;
  readonly command: Uint8Array;
}

/** What a log gives back when it is opened. */
export interface Recovered {
  /** 0 and no snapshot for an empty log. */
  readonly snapshotIndex: number;
  readonly snapshot: Uint8Array | null;
  readonly records: readonly LogRecord[];
}
