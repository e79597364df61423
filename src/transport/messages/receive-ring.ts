/**
 * Receives posted side by side for messages of one tag from any sender, read in the order in which they were sent.
 *
 * Messages from one rank match the receives in the order of posting, but MPI may report their completion in any order.
 * So they are read, and posted again, strictly in turn.
 *
 * Source: MPI 3.1, sections 3.5 (order) and 3.7.5 (MPI_Testsome).
 */
import type { Requests } from "../../mpi/requests.ts";

/** The first slots of some requests. */
export class ReceiveRing {
  readonly #requests: Requests;
  readonly #views: readonly Uint8Array[];
  readonly #tag: number;
  readonly #came: boolean[];
  #next = 0;

  /** Posts a receive into each of `views`, at slots 0, 1, … */
  constructor(requests: Requests, views: readonly Uint8Array[], tag: number) {
    this.#requests = requests;
    this.#views = views;
    this.#tag = tag;
    this.#came = views.map(() => false);
    views.forEach((view, slot) => {
      requests.receive(slot, view, -1, tag);
    });
  }

  /** The receive of a slot has completed. */
  came(slot: number): void {
    this.#came[slot] = true;
  }

  /** The slot to be read next, if its receive has completed; else -1. Then call {@link again}. */
  next(): number {
    return this.#came[this.#next] ? this.#next : -1;
  }

  /** The slot of {@link next} was read; posts its receive again. */
  again(): void {
    const slot = this.#next;
    this.#came[slot] = false;
    this.#requests.receive(slot, this.#views[slot], -1, this.#tag);
    this.#next = slot + 1 === this.#views.length ? 0 : slot + 1;
  }

  /** Cancels all receives. */
  cancel(): void {
    this.#came.forEach((came, slot) => {
      if (!came) this.#requests.cancel(slot);
    });
  }
}
