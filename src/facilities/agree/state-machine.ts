/** The subject of agreement: commands, applied in one order to a state that each replica has. */

/** A deterministic state: the same commands in the same order give the same state and replies at each replica. */
export interface StateMachine {
  /**
   * Applies a command, whose bytes are valid during the call only. It may propose, but must not advance the replica or
   * wait for it.
   * @param index 1, 2, 3 …
   * @returns the reply to whom proposed it: kept, so nobody writes to it later
   */
  apply(command: Uint8Array, index: number): Uint8Array;
  /** The state as bytes. */
  snapshot(): Uint8Array;
  /** Replaces the state by one that was given by {@link StateMachine.snapshot}. */
  restore(snapshot: Uint8Array): void;
}

/** How messages to all replicas go: along the machine's tree, or one after the other (Smelt's control). */
export type Dissemination = "tree" | "sequential";

/** A replica's store of what must survive a restart; calls return when data is as safe as its fsync policy says. */
export interface DurableLog {
  /** The kept state: the last snapshot, and the records after it, in order. */
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

/** The result of opening a log. */
export interface Recovered {
  /** 0 and no snapshot for an empty log. */
  readonly snapshotIndex: number;
  readonly snapshot: Uint8Array | null;
  readonly records: readonly LogRecord[];
}
