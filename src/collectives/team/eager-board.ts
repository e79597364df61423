/**
 * Messages that all PEs of a team see: the base of gather, scatter, alltoall and their kin. A short message is copied
 * to a slot, and its sender goes on at once (eager, in the terms of MPI). A long one is read where it is, and its
 * sender waits until it has been read (rendezvous); that is told on the address board.
 *
 * Each call takes one phase, at each PE. A PE moves to it when it begins the call, so it has finished the calls before.
 * It has slots for the last four phases. Before it writes a slot anew, those who read it must have begun the phase
 * after it: a PE runs ahead of slower ones by some calls, and of none that it needs.
 *
 * Source: eager and rendezvous protocol, as in MPI libraries; MPI 4.0, section 3.4, allows both.
 */
import type { Condition } from "../../ground/wait/condition.ts";
import type { EagerHeaders } from "./boards.ts";
import { EAGER_SLOTS, LONGEST_EAGER } from "./team-block.ts";

/** In place of a PE: all others. */
export const ALL = -1;

/** Whether so many bytes are read where they are. */
export const isRendezvous = (bytes: number): boolean => bytes > LONGEST_EAGER;

/** The messages of a team, as seen by one PE. PEs are ranks in the team. */
export class EagerBoard {
  readonly headers: EagerHeaders;
  readonly #rank: number;
  readonly #size: number;
  /** Who reads each slot of this PE: a PE, {@link ALL}, or itself for nobody. */
  readonly #readers: number[];
  /** What this PE shows. Others poll the header, so that loading it there takes long. */
  #bytes = 0;
  #extra = 0;

  constructor(headers: EagerHeaders, rank: number, size: number) {
    this.headers = headers;
    this.#rank = rank;
    this.#size = size;
    this.#readers = new Array<number>(EAGER_SLOTS).fill(rank);
  }

  /** The condition that the next slot may be written, or one of several; null if it may. */
  unread(): Condition | null {
    const { headers } = this;
    const next = headers.phase + 1;
    const reader = this.#readers[next & (EAGER_SLOTS - 1)];
    const rank = this.#rank;
    if (reader === rank) return null;
    const after = (next - EAGER_SLOTS + 1) | 0;
    for (let peer = reader === ALL ? 0 : reader; peer < (reader === ALL ? this.#size : reader + 1); peer++) {
      const wait = headers.reached(peer, after);
      if (peer !== rank && !wait.ready()) return wait;
    }
    return null;
  }

  /** Begins the next phase with a message. @param reader the PE that reads it, or {@link ALL} */
  show(tag: number, address: number, bytes: number, extra: number, reader: number): void {
    const { headers } = this;
    headers.show(tag, address, bytes, extra);
    this.#bytes = bytes;
    this.#extra = extra;
    this.#readers[headers.phase & (EAGER_SLOTS - 1)] = reader;
  }

  /** The condition that PE `peer` has begun this phase. */
  begun(peer: number): Condition {
    return this.headers.reached(peer, this.headers.phase);
  }

  /** The message of a PE in this phase: byte offset in the heap, number of bytes, and an extra word. */
  address(peer: number): number {
    return this.headers.address(peer, this.headers.phase);
  }

  bytes(peer: number): number {
    return peer === this.#rank ? this.#bytes : this.headers.bytes(peer, this.headers.phase);
  }

  extra(peer: number): number {
    return peer === this.#rank ? this.#extra : this.headers.extra(peer, this.headers.phase);
  }
}
