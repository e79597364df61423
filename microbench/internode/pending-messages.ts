/** The sends and receives of one measuring thread, with one MPI_Testsome a turn, as a porter of conveyors does it. */
import type { Mpi } from "../../src/mpi/mpi.ts";
import type { Requests } from "../../src/mpi/requests.ts";
import { Idle } from "./idle.ts";

/** Slots for sends and receives; each is free, or busy until a {@link turn} finds that it is over. */
export class PendingMessages {
  readonly #requests: Requests;
  readonly #busy: Uint8Array;
  /** The memory under way in each slot: MPI knows its address only, and nobody else may hold it. */
  readonly #held: Uint8Array[] = [];
  readonly #idle: Idle;

  /** @param oversubscribed see {@link Idle} */
  constructor(mpi: Mpi, size: number, oversubscribed: boolean) {
    this.#requests = mpi.requests(size);
    this.#busy = new Uint8Array(size);
    this.#idle = new Idle("No message between nodes came or went", oversubscribed);
  }

  /** Slots in use. */
  get active(): number {
    return this.#requests.active;
  }

  /** The slots that the last {@link turn} found to be over. */
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

  /** How many slots have become free. @throws TimeoutError when none has for half a minute */
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

  /** Turns until all slots are free. */
  finish(): void {
    while (this.active > 0) this.turn();
  }
}
