/**
 * The medium of a team: what its PEs signal, send and show memory through. The algorithms (node/) know only this: on
 * real PEs it is the heap (heap-medium.ts), in the simulator messages in virtual time (src/running/virtual).
 */
import type { CollectivePlan } from "../../../trees/model/tree.ts";
import type { Receiver, Sender } from "../../ground/channel/queue-pair.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { DividedCopy } from "./divided-copy.ts";
import type { EagerBoard } from "./eager-board.ts";

/** The sending end of a channel; as a condition: there is room. */
export type SendingEnd = Pick<Sender, "claim" | "tryClaim" | "publish"> & Condition;

/** The receiving end of a channel; as a condition: there is a message. */
export type ReceivingEnd = Pick<Receiver, "wait" | "tryWait" | "tag" | "release"> & Condition;

/** The writer's end of a signal, see channel/signal.ts. */
export interface RaisingEnd {
  /** Lets one more wait pass; of `tag`, the low 24 bits go with it. */
  raise(tag: number): void;
}

/** The waiter's end of a signal; as a condition: it was raised once more than {@link pass} was called. */
export interface PassingEnd extends Condition {
  /** Goes on to the next raise; whether this one carried `tag`, or is not to be seen any more. Only when ready. */
  pass(tag: number): boolean;
}

/** The links of one PE, by rank in the team: each end is made at its first use and then kept. */
export interface TeamLinks {
  signalTo(peer: number): RaisingEnd;
  signalFrom(peer: number): PassingEnd;
  sender(peer: number): SendingEnd;
  receiver(peer: number): ReceivingEnd;
}

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

/** Memory of one PE from which others read data that is not in the heap itself; see staging.ts. */
export interface StagingMemory {
  /** Byte offset of a line for the elements of one message. */
  cell(index: 0 | 1): number;
  /** Byte offset of a segment. */
  segment(index: 0 | 1): number;
  /** Byte offset of at least `bytes` bytes; their former content is lost. @throws HeapError if the heap is full */
  whole(bytes: number): number;
  /** Returns the block of the heap that it has allocated, 0 for none; it must not be used afterwards. */
  leave(): number;
}

/** A team as its medium needs it. */
export interface TeamPlace {
  readonly plan: CollectivePlan;
  /** The PEs' ranks on the node, by rank in the team. */
  readonly members: readonly number[];
  /** This PE's rank in the team. */
  readonly rank: number;
}

/** The parts of a team that all calls may use. */
export interface TeamParts {
  readonly staging: StagingMemory;
  readonly links: TeamLinks;
}

/** The parts in which PEs show each other arrays and values. */
export interface TeamBoards {
  readonly board: Board;
  readonly eager: EagerBoard;
  /** Null if one PE's bytes are copied by one PE. */
  readonly division: DividedCopy | null;
}

/** Makes the parts of a PE's teams. */
export interface Medium {
  /** @param offset byte offset of their bytes in the team's block, zeroed, if they have any there */
  parts(place: TeamPlace, offset: number): TeamParts;
  /** As {@link parts}, at the first call on an array or a value. */
  boards(place: TeamPlace, offset: number): TeamBoards;
}
