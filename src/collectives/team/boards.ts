/** Where the PEs of a team show each other memory and messages. */
import type { Condition } from "../../ground/wait/condition.ts";

/** Where the PEs of a team show each other memory, as seen by one of them; see address-board.ts. */
export interface Board {
  /** The phase that this PE has reached. */
  readonly phase: number;
  /** Shows `bytes` bytes at `address`, and moves to the next phase; `to` as in {@link next}. */
  show(tag: number, address: number, bytes: number, extra: number, to?: number): void;
  /** Moves to the next phase; `to` is the only PE that may wait for it, -1 (the default) for all PEs. */
  next(tag: number, to?: number): void;
  /** Moves to the next phase, which no PE waits for. */
  skip(): void;
  /** The condition that PE `rank` has reached `phase`. The same object each time: one wait at a time. */
  reached(rank: number, phase: number): Condition;
  /** Whether the entry that a PE showed in `phase` belongs to the call `tag`; false also if it was overwritten. */
  isOf(rank: number, phase: number, tag: number): boolean;
  /** The entry of a PE in `phase`: byte offset in the heap, number of bytes, and an extra word. */
  address(rank: number, phase: number): number;
  bytes(rank: number, phase: number): number;
  extra(rank: number, phase: number): number;
}

/** Where the messages of an eager board are (eager-board.ts), as seen by one PE. */
export interface EagerHeaders extends Pick<Board, "phase" | "reached" | "isOf" | "address" | "bytes" | "extra"> {
  /** Byte offset of room for a short message of this PE in its next phase. */
  buffer(bytes: number): number;
  /** Shows `bytes` bytes, at `address` if they are long and else in the {@link buffer}, and moves to the next phase. */
  show(tag: number, address: number, bytes: number, extra: number): void;
}
