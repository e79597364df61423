/** The sends and receives of one measuring thread, with one MPI_Testsome per turn, as in a porter of conveyors. */
import type { Mpi } from "../../src/machine/mpi/mpi.ts";
import type { Requests } from "../../src/machine/mpi/requests.ts";
import { Idle } from "./idle.ts";

/** Slots for sends and receives; each is free, or busy until a {@link turn} finds that it has completed. */
export class PendingMessages {
  readonly #requests: Requests;
  readonly #busy: Uint8Array;
  /** The memory in use by each slot, referenced here, as MPI has its address only. */
  readonly #held: Uint8Array[] = [];
  readonly #idle: Idle;

  /** @param oversubscribed see {@link Idle} */
  constructor(mpi: Mpi, size: number, oversubscribed: boolean) {
    this.#requests = mpi.requests(size);
    this.#busy = new Uint8Array(size);
    this.#idle = new Idle("No message between nodes was sent or received", oversubscribed);
  }

  /** Slots in use. */
  get active(): number {
    return this.#requests.active;
  }

  /** The slots whose completion the last {@link turn} found. */
  get slots(): Int32Array {
    return this.#requests.slots;
  }

  isBusy(slot: number): boolean {
    return this.#busy[slot] !== 0;
  }

  send(slot: number, bytes: Uint8Array, dest: number, tag: number): void {
    this.#busy[slot] = 1;
    this.#held[slot] = bytes;
    this.#requests.send(slot, bytes, dest, tag);
  }

  /** @param source -1 for any */
  receive(slot: number, bytes: Uint8Array, source: number, tag: number): void {
    this.#busy[slot] = 1;
    this.#held[slot] = bytes;
    this.#requests.receive(slot, bytes, source, tag);
  }

  /** Number of slots that became free. @throws TimeoutError if none has for half a minute */
  turn(): number {
    const over = this.#requests.test();
    if (over === 0) {
      this.#idle.wait();
      return 0;
    }
    this.#idle.reset();
    for (let i = 0; i < over; i++) this.#busy[this.#requests.slots[i] as number] = 0;
    return over;
  }

  /** Runs turns until all slots are free. */
  finish(): void {
    while (this.active > 0) this.turn();
  }
}
