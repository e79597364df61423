/** The wire: all MPI requests of one PE for one conveyor, so that one MPI call tests all of them. */
import type { Mpi } from "../../../machine/mpi/mpi.ts";
import type { Requests } from "../../../machine/mpi/requests.ts";

/** A part of the site that owns slots of the wire. */
export interface Party {
  /** The request of a slot has completed. */
  over(slot: number): void;
}

/** Turns with progress between two calls of MPI: each call costs as much as some turns. */
const SKIPPED = 3;
/** Polls that find nothing, in a turn without progress: Open MPI finds in a call what the one before has taken. */
const VAIN = 2;

/** One PE's requests of one conveyor. */
export class Wire {
  /** By slot. */
  readonly #parties: Party[] = [];
  /** By slot: whether it is a posted receive. */
  #receiving: Uint8Array = new Uint8Array(0);
  /** Number of posted receives. */
  #posted = 0;
  #isCancelled = false;
  #requests: Requests | null = null;
  #skipped = 0;
  /** Number of completed receives, ever. */
  #received = 0;

  /** Reserves `count` consecutive slots for a part, before {@link begin}. @returns the first */
  reserve(party: Party, count: number): number {
    const first = this.#parties.length;
    for (let slot = 0; slot < count; slot++) this.#parties.push(party);
    return first;
  }

  begin(mpi: Mpi): void {
    this.#requests = mpi.requests(this.#parties.length);
    this.#receiving = new Uint8Array(this.#parties.length);
  }

  /** See {@link Requests.send}. @throws MpiError, as the others do */
  send(slot: number, bytes: Uint8Array, node: number, tag: number, length: number = bytes.length, start = 0): void {
    (this.#requests as Requests).send(slot, bytes, node, tag, length, start);
  }

  sendSynchronously(slot: number, bytes: Uint8Array, node: number, tag: number): void {
    (this.#requests as Requests).sendSynchronously(slot, bytes, node, tag);
  }

  receive(slot: number, into: Uint8Array, node: number, tag: number): void {
    (this.#requests as Requests).receive(slot, into, node, tag);
    this.#receiving[slot] = 1;
    this.#posted++;
  }

  /** Prepares a receive that is started again and again. @throws MpiError */
  prepare(slot: number, into: Uint8Array, node: number, tag: number): void {
    (this.#requests as Requests).prepare(slot, into, node, tag);
  }

  /** Posts a prepared receive. @throws MpiError */
  start(slot: number): void {
    (this.#requests as Requests).start(slot);
    this.#receiving[slot] = 1;
    this.#posted++;
  }

  /** Whether MPI still needs calls for something that was sent. */
  get isSending(): boolean {
    return (this.#requests as Requests).active > this.#posted;
  }

  /** As {@link poll}: only sometimes while there is other work, else until a message has come, or nothing is found. */
  glance(isBusy: boolean): boolean {
    if (isBusy && ++this.#skipped <= SKIPPED) return false;
    this.#skipped = 0;
    if (isBusy) return this.poll();
    const received = this.#received;
    let isAny = false;
    for (let vain = 0; vain < VAIN && this.#received === received; ) {
      if (this.poll()) isAny = true;
      else vain++;
    }
    return isAny;
  }

  /** Handles completed requests; returns whether there was any. @throws MpiError */
  poll(): boolean {
    const requests = this.#requests as Requests;
    const count = requests.test();
    for (let i = 0; i < count; i++) {
      const slot = requests.slots[i];
      this.#posted -= this.#receiving[slot];
      this.#received += this.#receiving[slot];
      this.#receiving[slot] = 0;
      this.#parties[slot].over(slot);
    }
    return count > 0;
  }

  /**
   * Completes the sends, and cancels the receives. It may be called again if it was not finished.
   * @returns false if `inVain` became true first: MPI may then still use the memory
   */
  close(inVain: () => boolean): boolean {
    const requests = this.#requests as Requests;
    if (!this.#isCancelled) {
      while (requests.active > this.#posted) if (!this.poll() && inVain()) return false;
      this.#isCancelled = true;
      this.#receiving.forEach((receiving, slot) => {
        if (receiving !== 0) requests.cancel(slot);
      });
    }
    // messages received now are discarded; one that a dead process has begun to send never completes
    while (requests.active > 0) if (requests.test() === 0 && inVain()) return false;
    requests.unprepare();
    return true;
  }
}
