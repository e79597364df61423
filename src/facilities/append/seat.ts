/** What an append buffer needs of the platform that its PEs run on. There are two: the heap of a node, and the virtual machine. */
import type { Heap } from "../../ground/memory/heap.ts";
import type { AsyncWaits } from "../../ground/wait/async.ts";
import type { SideWork } from "../../ground/wait/side-work.ts";
import type { TeamWaiter } from "../../ground/wait/waiter.ts";
import type { Window } from "../../machine/mpi/window.ts";
import type { Remote } from "./remote.ts";

/** The window over the heaps of all nodes of the world, until it is made. */
export interface WantedWindow {
  /** Asks for it; it is made once, whoever asks. */
  want(): void;
  /** Whether it is made, or cannot be. */
  readonly isSettled: boolean;
  /** Its handle in this process, once it is settled; null if there is none. */
  readonly handle: number | null;
  /** Why there is none. */
  readonly reason: string;
}

/** It, in which PEs reach memory that they have not mapped. A node's rank in it is its number in the world. */
export interface AppendWindow {
  readonly wanted: WantedWindow;
  /** It, for this PE. @param slots accesses that may be under way at the same time */
  open(handle: number, slots: number): Window;
  /** Ends the world with an error. @returns it */
  fail(error: unknown): unknown;
}

/** What a PE has of append buffers, of all its groups. */
export class OwnAppends {
  /** Those over nodes that may still be pushed into, in the order in which they were made. */
  readonly remotes: Set<Remote> = new Set();
  /** One for each that is being made without blocking, in the order of the calls. */
  readonly makings: Set<object> = new Set();

  /** Frees all. Resolves when nobody pushes into any, however long that takes. @throws the error that ended the world */
  async close(): Promise<void> {
    // others may wait for any of them first
    for (const remote of this.remotes) remote.close();
    for (const remote of this.remotes) await remote.over();
  }
}

/** A PE of a group. */
export interface AppendSeat {
  /** Its rank in the group, and the number of PEs. */
  readonly rank: number;
  readonly size: number;
  /** The node of each PE, by rank. */
  readonly nodeOf: readonly number[];
  /** The ranks of the PEs on this PE's node, in order. */
  readonly here: readonly number[];
  /** Those whose memory this PE has: of its node, and of nodes whose heaps it has mapped and they its own; in order. */
  readonly mapped: readonly number[];
  /** Byte offset in this memory of the heap of a node that is among them. */
  heapOf(node: number): number;
  /** Frees a block of such a heap. @param offset of the block in that heap */
  release(node: number, offset: number): void;
  /** The PEs of the group by rank in the world, for messages and for what has departed. */
  readonly members: readonly number[];
  readonly heap: Heap;
  readonly waiter: TeamWaiter;
  readonly waits: AsyncWaits;
  /** What this PE does for others while it waits. */
  readonly sideWork: SideWork;
  /** Of this PE. */
  readonly appends: OwnAppends;
  /** Null where there is none. */
  readonly window: AppendWindow | null;
  /** Whether misuse that takes time to detect is detected. */
  readonly checks: boolean;
  /**
   * Wakes a PE that waits for what was stored before, if it is on this node; others poll.
   * @param rank in the group @param awaited word of the heap that is 1 while it waits
   */
  posted(rank: number, awaited: number): void;
  /** Whether a PE of this node has left the world. @param rank in the group */
  departed(rank: number): boolean;
  /** @throws the error that ended the world */
  checkRunning(): void;
  /**
   * Lets other PEs go on between two steps of an asynchronous push, so that steps of several PEs mix as they do on threads.
   * @param bytes that the step before has copied. @default nothing is done
   */
  readonly step?: ((bytes: number) => Promise<void>) | undefined;
}
