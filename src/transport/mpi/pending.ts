/**
 * The wire: everything that one PE sends and receives for one conveyor over MPI, so that one call asks about all of it.
 */
import type { Mpi } from "../../mpi/mpi.ts";
import type { Requests } from "../../mpi/requests.ts";

/** Somebody who has slots of the wire. */
export interface Party {
  /** What was under way in a slot is over. */
  over(slot: number): void;
}

/** Turns with something done between two calls of MPI: each costs as much as some turns. */
const SKIPPED = 3;

/** One PE's requests of one conveyor. */
export class Wire {
  /** By slot. */
  readonly #parties: Party[] = [];
  /** By slot: whether a receive is under way. */
  #receiving: Uint8Array = new Uint8Array(0);
  /** Receives under way. */
  #posted = 0;
  #isCancelled = false;
  #requests: Requests | null = null;
  #skipped = 0;

  /** Gives somebody `count` slots, one after the other: before {@link begin}. @returns the first */
  reserve(party: Party, count: number): number {
    const first = this.#parties.length;
    for (let slot = 0; slot < count; slot++) this.#parties.push(party);
    return first;
  }

  begin(mpi: Mpi): void {
    this.#requests = mpi.requests(this.#parties.length);
    this.#receiving = new Uint8Array(this.#parties.length);
  }

  /** @throws MpiError, as the other two do */
  send(slot: number, bytes: Uint8Array, node: number, tag: number): void {
    (this.#requests as Requests).send(slot, bytes, node, tag);
  }

  sendSynchronously(slot: number, bytes: Uint8Array, node: number, tag: number): void {
    (this.#requests as Requests).sendSynchronously(slot, bytes, node, tag);
  }

  receive(slot: number, into: Uint8Array, node: number, tag: number): void {
    (this.#requests as Requests).receive(slot, into, node, tag);
    this.#receiving[slot] = 1;
    this.#posted++;
  }

  /** As {@link poll}, and now and then only, as long as there is other work. */
  glance(isBusy: boolean): boolean {
    if (isBusy && ++this.#skipped <= SKIPPED) return false;
    this.#skipped = 0;
    return this.poll();
  }

  /** Sees what is over; whether anything was. @throws MpiError */
  poll(): boolean {
    const requests = this.#requests as Requests;
    const count = requests.test();
    for (let i = 0; i < count; i++) {
      const slot = requests.slots[i];
      this.#posted -= this.#receiving[slot];
      this.#receiving[slot] = 0;
      this.#parties[slot].over(slot);
    }
    return count > 0;
  }

  /**
   * Sees the sends to their end, and ends the receives. It may be called again where it has not come to its end.
   * @returns false when `inVain` came first: MPI has not let go of the memory then
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
    // what comes now is nobody's; one that has begun to come from a process that is no more never ends
    while (requests.active > 0) if (requests.test() === 0 && inVain()) return false;
    return true;
  }
}
