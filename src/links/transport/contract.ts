/**
 * The platform that its PEs run on, as a conveyor needs it. There are three implementations: the shared heap of a node
 * (heap/), several nodes (mpi/), and the virtual machine (src/running/simulate). No code in src/facilities/conveyor
 * depends on which one it has.
 */

import type { Views } from "../../ground/item/views.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import type { MayBlock } from "../../ground/wait/blocking.ts";
import type { SessionWord } from "./session-word.ts";
import type { Sessions, SessionWords } from "./underway.ts";

/**
 * The links of one PE for one hop: whole buffers are sent and received over them, each link in order. Links are
 * numbered by the friends of the hop, the same at both ends: buffers for friend i are sent over link i, and those of
 * friend i are received over link i.
 *
 * A link has `buffersPerLink` buffers. A sent buffer belongs to the receiver until the receiver releases it; then the
 * sender can open it again. So memory is bounded, and no call blocks.
 */
export interface Porter {
  /** Number of friends. */
  readonly links: number;
  /**
   * Opens a buffer to fill and send over a link; returns its byte offset in the memory, a multiple of 128, or -1 while
   * all buffers of the link are in flight. At most one is open per link.
   */
  open(link: number): number;
  /** Of a link with an open buffer: whether another one could be opened when that is sent. */
  hasAnother(link: number): boolean;
  /**
   * Sends the open buffer of a link: `bytes` bytes from byte offset `start` on, within the buffer.
   * @param count a number for the receiver
   * @param items number of items in it, for statistics
   * @param stamp a time stamp for the receiver. @default 0
   */
  send(link: number, start: number, bytes: number, count: number, items: number, stamp?: number): void;
  /**
   * Takes the next received buffer of the open session, if there is one; it stays valid until {@link release}. Those of
   * the next session wait (session-word.ts). @throws MismatchError for one that was filled under other terms
   */
  borrow(): boolean;
  /** Of the borrowed buffer: its link, and the numbers that its sender passed to {@link send}. */
  readonly source: number;
  readonly start: number;
  readonly bytes: number;
  readonly count: number;
  readonly stamp: number;
  /** Marks the borrowed buffer as read to its end. It is kept, as it may be read again. */
  finish(): void;
  /** Returns the borrowed buffer to its sender. */
  release(): void;
  /**
   * Whether all sent buffers were finished, and the friends know which of theirs were. Of short {@link LAST} buffers
   * that go by MPI nobody says so: they count as finished.
   */
  settled(): boolean;
  /**
   * Whether this PE has nothing more to do for what it has sent: it gets to its receivers even if this PE makes no call
   * for a while, or frees the conveyor. For a PE that has sent the {@link LAST} buffer of each link.
   */
  handedOver(): boolean;
  /**
   * Whether the receiver of a link reads this PE's memory in place, with the same distances: what is sent may name
   * bytes outside its buffer by their distance from it.
   */
  reads(link: number): boolean;
  /** Whether something that was sent over a link has not left this PE's node yet. Nothing leaves it within a node. */
  isSending(link: number): boolean;
  /** Where a loop in compiled code moves its buffers as well, of all links. @default it cannot */
  readonly compiled?: CompiledLinks | undefined;
}

/** The links of a porter, for a loop in compiled code (heap/link-counters.ts). */
export interface CompiledLinks {
  /** Byte offset of the head. */
  readonly head: number;
  /** The loop has borrowed a buffer of a link: it counts as borrowed here. */
  hold(link: number): void;
  /** The loop returns the borrowed buffer. */
  part(): void;
  /** Wakes the friend of a link, if it sleeps: after something was sent to it, or given back. */
  wake(link: number): void;
}

/** Bit of a buffer's count: it is the last one of its link in the session (engine/receiver.ts). */
export const LAST: number = 2 ** 30;

/** The state of a porter for diagnoses. */
export interface Arrivals {
  /** Number of received buffers of the open session that were not borrowed yet. */
  readonly arrived: number;
}

/** The links of one PE in one hop. */
export interface Hop {
  /** By link: the friend's rank in the conveyor; -1 if there is none. */
  readonly friends: Int32Array;
  /** This PE's number among the friends of its friends: they send to it over their link `self`. */
  readonly self: number;
  /** Whether no PE has a link to itself: friend `self` is -1, at every PE, and takes no memory. @default false */
  readonly skipsSelf?: boolean;
}

/** The memory of the links. */
export interface Buffers {
  /** Bytes of one buffer, its tags included; a multiple of 128. */
  readonly bytes: number;
  /** Buffers of one link: 1, 2 or 4. */
  readonly perLink: number;
}

/**
 * Votes of all PEs, one after another, without waiting: cast, then poll until the result is there. The result is the OR
 * of the bits of all PEs, so it also shows that all have cast theirs.
 */
export interface Vote {
  /** @param bits 0 to 2^24 - 1 */
  cast(bits: number): void;
  /** The result of the last cast; -1 while any PE's bits are missing. */
  poll(): number;
}

/** Reports a conveyor's state at one PE, for diagnoses (src/links/diagnose). */
export interface StatusWriter {
  /** A session begins. @param number from 1 on */
  begin(number: number): void;
  /** The state as a number of status/state.ts. */
  state(state: number): void;
  /** After an advance: items pulled and not put back, items put back, unpulled items of the current buffer. */
  advance(moved: boolean, pulled: number, unpulls: number, waiting: number): void;
  /** Number of received buffers that were not borrowed yet. */
  arrived(buffers: number): void;
  /** Which of the user's functions runs from now on: a number of status/layout.ts. */
  place(place: number): void;
  /** The conveyor was freed. */
  free(): void;
}

/** The site: the connection of a conveyor to its platform, as seen by one PE. */
export interface Site extends MayBlock {
  readonly rank: number;
  readonly size: number;
  /** The memory of all buffers, and views of it. */
  readonly memory: WasmMemory;
  readonly views: Views;
  readonly vote: Vote;
  /** The word that the porters of this PE send with every buffer, and compare. */
  readonly session: SessionWord;
  /** Whether the first session begins with a vote: before it not all PEs can receive. */
  readonly firstByVote: boolean;
  /** One porter for each hop, in order. */
  readonly porters: readonly Porter[];
  readonly oversized: Oversized;
  readonly statusWriter: StatusWriter;
  /** The open sessions of all conveyors of this PE: each adds itself at its begin and removes itself when complete. */
  readonly sessions: Sessions;
  /** Whether its session is served between two runs of an open world, too: a PE that has returned is not missing. */
  outlivesMain: boolean;
  /** A description of the conveyor's items. */
  readonly name: string;
  /** Where the other memory of this PE is. */
  readonly places: Places;
  /** Longest sleep while messages may come that no waker notifies for, ms. @default as the waiter does */
  readonly pollMs?: number | undefined;
  /** The time of a turn of the event loop, ns: a PE that awaits its session has one for each buffer, more or less. */
  readonly turnCost: number;
  /**
   * Whether the first buffers of a conveyor are short: where a message costs little
   * (facilities/conveyor/engine/slow-start.ts).
   */
  readonly startsSlowly: boolean;
  /** Limit of one wait for other PEs, ms; Infinity for no limit. {@link turn} enforces it. */
  readonly waitTimeout: number;
  /** Whether its group has lost a PE, or the world has ended. */
  readonly isEnded: boolean;
  /** Time of a clock that never steps, ms; with one origin for all PEs that {@link sharesClock} names, to some µs. */
  now(): number;
  /** Whether another PE's {@link now} has the origin of this one: it is on the same machine. */
  sharesClock(rank: number): boolean;
  /**
   * Ends a turn: throws the error that ended the world, and may wait a little if there was no progress.
   * @param moved whether this PE has made progress since the last turn
   * @param needed the {@link mark} that all others must reach before they may leave the world
   * @param alone whether this PE does nothing else until this conveyor makes progress
   */
  turn(moved: boolean, needed: number, alone?: boolean): void;
  /** As {@link turn}, without waiting. @param works whether this PE has other work, which ends its wait so far */
  look(moved: boolean, needed: number, works?: boolean): void;
  /**
   * Resolves when `ready` is true. It is polled periodically, and whenever something was received for this PE. Does not
   * block the thread. @param pollMs longest time between two polls, ms; a virtual machine needs none. @default as the
   * waiter does
   * @throws the error that ended the world, and what `ready` throws
   */
  until(ready: () => boolean, pollMs?: number): Promise<void>;
  /** Publishes how far this PE has got; marks only grow. */
  mark(reached: number): void;
  /** Ends the session at every PE with an error; returns the error to be thrown. */
  fail(error: Error): Error;
  /** This PE has something to do at a time ({@link now}), even if nothing comes for it: its next sleep ends then. */
  alarm(at: number): void;
  /** Sets whether advance is being called: a PE with several conveyors sleeps only when all active ones are idle. */
  setActive(active: boolean): void;
  /** This PE is done with the conveyor; its memory is freed when all PEs are. */
  free(): void;
}

/** Byte offsets of the memory that a PE has beside its links. */
export interface Places {
  /** Its own memory: {@link SitePlan.scratch} buffers. */
  readonly scratch: number;
  /** Memory whose content is lost when a call ends, and its bytes. */
  readonly staging: number;
  readonly stagingBytes: number;
  /** Its own memory: {@link SitePlan.tableBytes} bytes. */
  readonly table: number;
  /** {@link SitePlan.routes}, in place; 0 if there are none. */
  readonly routes: number;
}

/** The parameters of a site; the same at all PEs. */
export interface SitePlan {
  readonly hops: readonly Hop[];
  /** The hops of another PE, by its rank in the conveyor. */
  hopsOf(rank: number): readonly Hop[];
  readonly buffers: Buffers;
  /** Whether its links have control messages only, which may pass others. @default false */
  readonly isControl?: boolean | undefined;
  /** Scratch memory of each PE: in buffers; in bytes whose content need not outlive a call, a multiple of a line. */
  readonly scratch: number;
  readonly stagingBytes: number;
  /** Bytes of each PE's link table. */
  readonly tableBytes: number;
  /** Offset in the link table where the porter of the only hop may have its counters. @default it keeps them itself */
  readonly countersAt?: number | undefined;
  /** Memory for all PEs of a node: the same at all of them. Null if there is none. */
  readonly routes: Uint32Array | null;
  /**
   * The option that {@link buffers} follow from, the bytes that a buffer has beside it, whose it is, and bytes of what
   * is made after it; for errors. @default none
   */
  readonly bufferOption?:
    | { readonly name: string; readonly beside: number; readonly of: string; readonly after: number }
    | undefined;
  /** A description of its items. */
  readonly name: string;
  /** Words of messages about its sessions. */
  readonly words: SessionWords;
  /** Wraps the porter of a hop, for an observer. @default not wrapped */
  readonly wrap?: ((porter: Porter, hop: number) => Porter) | undefined;
  /** All terms that PEs must agree about, as text, to be compared. */
  readonly terms: string;
}

/** Oversized items: their bytes are stored outside the buffers, and a reference of fixed size travels in the buffer. */
export interface Oversized {
  /** Copies `length` bytes, a whole item, for PE `dest`; returns a reference from 1 to 2^32 - 1, or 0 without room. */
  leave(dest: number, bytes: Uint8Array, length: number): number;
  /** Position in this PE's memory of the bytes of a reference from PE `source`; -1 while they are in transit. */
  find(source: number, reference: number, bytes: number): number;
  /** Releases the bytes: the receiver has finished with them. */
  drop(source: number, reference: number): void;
  /** Frees items that their receivers have released. */
  sweep(): void;
  /** Whether none of this PE's items occupies memory any more. */
  readonly isEmpty: boolean;
  /** This PE sends no more oversized items; those not released yet are freed when they are. */
  abandon(): void;
}
