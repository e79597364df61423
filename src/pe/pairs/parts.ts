/**
 * Parts of messages, as queue pairs send and receive them: a part is claimed, written where it lies, and published;
 * seen there, read, and released. Nothing here waits.
 *
 * There are two kinds of ends: within a node (node-pair.ts), and between nodes (remote-pair.ts).
 */
import type { Condition } from "../../ground/wait/condition.ts";

/** Sends parts. As a condition: there is room for one. */
export interface PartSender extends Condition {
  /** Whether the other PE has freed its end: it receives nothing more. */
  readonly isClosed: boolean;
  /** Bytes of the longest part. */
  readonly most: number;
  /** Byte offset in the heap, a multiple of 8, of the next part; -1 without room. @param bytes at most `most` */
  tryClaim(bytes: number): number;
  /** Hands over the part that was claimed last. @param isLast of its message */
  publish(bytes: number, isLast: boolean): void;
}

/** Receives parts, in the order in which they were published. As a condition: there is one. */
export interface PartReceiver extends Condition {
  /** Whether the other PE has freed its end: what is not there when this is looked at does not come any more. */
  readonly isOver: boolean;
  /** Byte offset in the heap, a multiple of 8, of the oldest part; -1 while there is none. */
  tryWait(): number;
  /** Of it. */
  readonly bytes: number;
  readonly isLast: boolean;
  /** Gives its room back. */
  release(): void;
}

/** Both directions between two PEs, as seen by one of them (Smelt's queue pair). */
export interface Pair {
  readonly sender: PartSender;
  readonly receiver: PartReceiver;
  /** Whether the other PE's program has freed its end: not so if it has returned, or is lost, with it in use. */
  readonly isPeerFreed: boolean;
  /** Ends sending and receiving. A second call has no effect. @param keepsMemory whether its memory stays */
  close(keepsMemory: boolean): void;
  /** Whether nothing is left to be done for it at this PE, once it is closed. */
  readonly isOver: boolean;
}
