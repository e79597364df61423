/**
 * The medium of a team: what its PEs signal, send and show memory through. The algorithms (node/) know only this: on
 * real PEs it is the heap (heap-medium.ts), in the simulator messages in virtual time (src/running/virtual).
 */
import type { CollectivePlan } from "../../../trees/model/tree.ts";
import type { Receiver, Sender } from "../../ground/channel/queue-pair.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import type { Board } from "./boards.ts";
import type { DividedCopy } from "./divided-copy.ts";
import type { EagerBoard } from "./eager-board.ts";
import type { Payload } from "./payload.ts";

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

/** The parts for elements in the heap. */
export interface ElementParts {
  readonly Payload: new (heap: Heap) => Payload;
  heapBoards(seat: { readonly heap: Heap; readonly wakers: Wakers }, place: TeamPlace, offset: number): TeamBoards;
}
