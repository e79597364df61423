/**
 * Receives posted side by side for messages of one tag from any sender, read in the order in which they were sent.
 *
 * Messages from one rank match the receives in the order of posting, but MPI may report their completion in any order.
 * So they are read, and posted again, strictly in turn; a look tests the next one only.
 *
 * Source: MPI 3.1, sections 3.5 (order), 3.7.5 (MPI_Test) and 3.9 (persistent requests).
 */
import type { Mpi } from "../../../machine/mpi/mpi.ts";
import type { Requests } from "../../../machine/mpi/requests.ts";

/** Polls of cancelled receives; one suffices with all libraries that we know. */
const MOST_LOOKS = 1000;

/** The receives of one thread for one tag. */
export class ReceiveRing {
  readonly #requests: Requests;
  readonly #size: number;
  #next = 0;
  /** Whether the message at {@link #next} has been received and not been read. */
  #isHeld = false;

  /** Posts a receive into each of `views`. */
  constructor(mpi: Mpi, views: readonly Uint8Array[], tag: number) {
    const requests = mpi.requests(views.length);
    this.#requests = requests;
    this.#size = views.length;
    for (const [slot, view] of views.entries()) {
      requests.prepare(slot, view, -1, tag);
      requests.start(slot);
    }
  }

  /** The index of the next message, if it has been received; else -1. Then call {@link again}. @throws MpiError */
  look(): number {
    if (!this.#isHeld) this.#isHeld = this.#requests.testOne(this.#next);
    return this.#isHeld ? this.#next : -1;
  }

  /** Length of the message of {@link look}, bytes. */
  get bytes(): number {
    return this.#requests.bytes[0] as number;
  }

  /** The message of {@link look} was read; posts its receive again. */
  again(): void {
    const slot = this.#next;
    this.#isHeld = false;
    this.#requests.start(slot);
    this.#next = slot + 1 === this.#size ? 0 : slot + 1;
  }

  /** Cancels all receives. A cancelled receive may be written to until MPI reports it as finished. */
  close(): void {
    const requests = this.#requests;
    for (let slot = 0; slot < this.#size; slot++) {
      if (!(this.#isHeld && slot === this.#next)) requests.cancel(slot);
    }
    for (let look = 0; look < MOST_LOOKS && requests.active > 0; look++) requests.test();
    if (requests.active === 0) requests.unprepare();
  }
}
