/**
 * What a conveyor needs of the place where its PEs run. Three make it: the shared heap of a node (heap/), several nodes
 * (mpi/), and the virtual machine (src/simulate). Nothing in src/conveyor knows which it has.
 */
import type { Views } from "../item/views.ts";
import type { Sessions } from "./underway.ts";

/**
 * The links of one PE for one hop: whole buffers go out over them and come in, each link in order. Links
 * are numbered by the friends of the hop, the same at both ends: over link i goes what is for friend i, and
 * over link i comes what friend i has sent.
 *
 * A link has `buffersPerLink` buffers. One that has been sent is the receiver's until it releases it; then
 * the sender can open it once more. So memory is bounded, and nobody waits in here.
 */
export interface Porter {
  /** Number of friends. */
  readonly links: number;
  /**
   * A buffer to fill and send over a link: its byte offset in the memory, a multiple of 128. -1 while all
   * buffers of the link are under way. At most one is open per link.
   */
  open(link: number): number;
  /**
   * Sends the open buffer of a link: `bytes` bytes from byte offset `start` on, within the buffer.
   * @param count for the receiver
   * @param items in it, for whoever counts them
   * @param stamp for the receiver. @default 0
   */
  send(link: number, start: number, bytes: number, count: number, items: number, stamp?: number): void;
  /** Takes the next buffer that has come, if there is one; it stays until {@link release}. */
  borrow(): boolean;
  /** Of the borrowed buffer: the link that it came over, and what its sender said of it. */
  readonly source: number;
  readonly start: number;
  readonly bytes: number;
  readonly count: number;
  readonly stamp: number;
  /** The borrowed buffer has been read to its end. It is kept, as it may be looked at again. */
  finish(): void;
  /** Gives the borrowed buffer back to its sender. */
  release(): void;
  /** Whether all that was sent has been finished. */
  settled(): boolean;
}

/** What is told of a porter when somebody asks why nothing moves. */
export interface Arrivals {
  /** Buffers that have come and have not been borrowed. */
  readonly arrived: number;
}

/** The links of one PE in one hop. */
export interface Hop {
  /** By link: the friend's rank in the conveyor; -1 where there is none. */
  readonly friends: Int32Array;
  /** This PE's number among the friends of its friends: over their link `self` they send to it. */
  readonly self: number;
}

/** How much memory the links have. */
export interface Buffers {
  /** Bytes of one buffer, its tags included; a multiple of 128. */
  readonly bytes: number;
  /** Buffers of one link: 1, 2 or 4. */
  readonly perLink: number;
}

/**
 * Votes of all PEs, one after the other, that nobody waits for: cast, then ask until the result is there.
 * The result is the OR of what all have cast, so it also says that all have.
 */
export interface Vote {
  /** @param bits 0 to 2^24 - 1 */
  cast(bits: number): void;
  /** The result of what was cast last; -1 as long as somebody is missing. */
  poll(): number;
}

/** What a PE says of its conveyor, for whoever asks why nothing moves (src/diagnose). */
export interface StatusWriter {
  /** A number of status/state.ts. */
  state(state: number): void;
  /** After an advance: items pulled and not put back, items put back, items of the buffer at hand that wait. */
  advance(moved: boolean, pulled: number, unpulls: number, waiting: number): void;
  /** Buffers that have come and have not been looked at. */
  arrived(buffers: number): void;
  /** What of the user's runs from now on: a number of status/layout.ts. */
  place(place: number): void;
  /** The conveyor is no more. */
  free(): void;
}

/** The place, seen from one PE of a conveyor. */
export interface Site {
  readonly rank: number;
  readonly size: number;
  /** Of the memory that all buffers lie in. */
  readonly views: Views;
  readonly vote: Vote;
  /** One porter for each hop, in order. */
  readonly porters: readonly Porter[];
  readonly oversized: Oversized;
  readonly statusWriter: StatusWriter;
  /** Of this PE, in all its conveyors: whoever begins one enters it, and takes it out when it is complete. */
  readonly sessions: Sessions;
  /** What the conveyor's items are, in words. */
  readonly name: string;
  /** Byte offset of memory of this PE's own: {@link SitePlan.scratch} buffers. */
  readonly scratch: number;
  /** Longest time that one wait for other PEs may take, ms; Infinity for no limit. {@link turn} keeps to it by itself. */
  readonly waitTimeout: number;
  /** Time, ms since 1970, or since the virtual machine began; the same clock at all PEs, within some µs. */
  now(): number;
  /**
   * Ends a turn: throws what has ended the world, and may wait a little when nothing has moved.
   * @param moved whether this PE has done anything since the last turn
   * @param needed what all others must {@link mark} before they may leave the world
   * @param alone nothing else is done at this PE until this has moved
   */
  turn(moved: boolean, needed: number, alone?: boolean): void;
  /** As {@link turn}, but does not wait. */
  look(moved: boolean, needed: number): void;
  /**
   * Resolves when `ready` is true, which is asked now and then, and whenever something has come for this PE. It
   * does not block the thread. @throws what has ended the world, and what `ready` throws
   */
  until(ready: () => boolean): Promise<void>;
  /** Says how far this PE has come; marks only grow. */
  mark(reached: number): void;
  /** An error that ends the session at every PE; gives what is to be thrown. */
  fail(error: Error): Error;
  /** From now on advance is called, or no more: who waits for several conveyors waits for all that are active. */
  setActive(active: boolean): void;
  /** This PE is done with the conveyor; the memory goes back when all are. */
  free(): void;
}

/** What a site is made for; the same at all PEs. */
export interface SitePlan {
  readonly hops: readonly Hop[];
  /** Those of another PE, by its rank in the conveyor. */
  hopsOf(rank: number): readonly Hop[];
  readonly buffers: Buffers;
  /** Buffers' worth of memory that each PE has for itself. */
  readonly scratch: number;
  /** What its items are, in words. */
  readonly name: string;
  /** Wraps the porter of a hop, for whoever observes it. @default as it is */
  readonly wrap?: ((porter: Porter, hop: number) => Porter) | undefined;
  /** Of all that PEs must agree about, in words, to be compared. */
  readonly terms: string;
}

/** Items that are too large for a buffer: bytes that lie apart, and references for them that fit everywhere. */
export interface Oversized {
  /** Copies `length` bytes, all that there are, to where PE `dest` can get them; a reference from 1 to 2^32 - 1, or 0 when there is no room now. */
  leave(dest: number, bytes: Uint8Array, length: number): number;
  /** Where the bytes of a reference from PE `source` lie in this PE's memory; -1 while they are on their way. */
  find(source: number, reference: number, bytes: number): number;
  /** The receiver is done with them. */
  drop(source: number, reference: number): void;
  /** Gives back what the receivers have done with. */
  sweep(): void;
  /** This PE leaves nothing more; what is not dropped yet is given back when it is. */
  abandon(): void;
}
