/**
 * Headers of messages that all PEs of a team see, and buffers for short ones: the base of gather, scatter, alltoall and
 * their kin. A short message is copied to a buffer, and its sender goes on at once (eager, in the terms of MPI). A long
 * one is read where it is, and its sender waits until it has been read (rendezvous); that is told on the address board.
 *
 * Each call takes one phase of the headers, at each PE. A PE moves to it when it begins the call, so it has finished
 * the calls before. It has headers and buffers of the last two phases. Before it overwrites those of the call before
 * the last one, their readers must have begun the last call.
 *
 * Source: eager and rendezvous protocol, as in MPI libraries; MPI 4.0, section 3.4, allows both.
 */
import type { Condition } from "../../ground/wait/condition.ts";
import type { Board, StagingMemory } from "./medium.ts";
import { EAGER_BYTES } from "./staging.ts";

/** In place of a PE: all others read it. */
export const ALL_READ = -1;

/** Whether so many bytes are read where they are. */
export const isRendezvous = (bytes: number): boolean => bytes > EAGER_BYTES;

/** The headers of a team, as seen by one PE. PEs are ranks in the team. */
export class EagerBoard {
  readonly headers: Board;
  readonly #staging: StagingMemory;
  readonly #rank: number;
  readonly #size: number;
  /** The PEs that read this PE's header of even and of odd phases: one, or {@link ALL_READ}. */
  readonly #readers: [number, number];

  constructor(headers: Board, staging: StagingMemory, rank: number, size: number) {
    this.headers = headers;
    this.#staging = staging;
    this.#rank = rank;
    this.#size = size;
    this.#readers = [rank, rank];
  }

  /** The condition that the next header and its buffer may be written; null if it is fulfilled. Perhaps one of several. */
  unread(): Condition | null {
    const { headers } = this;
    const { phase } = headers;
    const reader = this.#readers[(phase + 1) & 1];
    if (reader === this.#rank) return null;
    if (reader !== ALL_READ) return pending(headers.reached(reader, phase));
    for (let peer = 0; peer < this.#size; peer++) {
      const wait = peer === this.#rank ? null : pending(headers.reached(peer, phase));
      if (wait !== null) return wait;
    }
    return null;
  }

  /** Byte offset of the buffer for a short message in the next phase. */
  get buffer(): number {
    return this.#staging.eager(((this.headers.phase + 1) & 1) as 0 | 1);
  }

  /** Begins the next phase with a header. @param reader the PE that reads it, or {@link ALL_READ} */
  show(tag: number, address: number, bytes: number, extra: number, reader: number): void {
    const { headers } = this;
    headers.show(tag, address, bytes, extra);
    this.#readers[headers.phase & 1] = reader;
  }

  /** Begins the next phase; nobody reads anything of this PE. */
  join(tag: number): void {
    this.headers.next(tag);
    this.#readers[this.headers.phase & 1] = this.#rank;
  }

  /** The condition that PE `peer` has begun this phase. */
  begun(peer: number): Condition {
    return this.headers.reached(peer, this.headers.phase);
  }

  /** The header of a PE in this phase, as in {@link Board}. */
  address(peer: number): number {
    return this.headers.address(peer, this.headers.phase);
  }

  bytes(peer: number): number {
    return this.headers.bytes(peer, this.headers.phase);
  }

  extra(peer: number): number {
    return this.headers.extra(peer, this.headers.phase);
  }
}

const pending = (condition: Condition): Condition | null => (condition.ready() ? null : condition);
