/** The sends and receives of one measuring thread, with one MPI_Testsome a turn, as a porter of conveyors does it. */
import { TimeoutError } from "../../src/errors.ts";
import type { Mpi } from "../../src/mpi/mpi.ts";
import type { Requests } from "../../src/mpi/requests.ts";
import { futex } from "../../src/wait/futex.ts";

/** Nobody waits longer for a message than this, ms: its sender is gone. */
const PATIENCE_MS = 30_000;
/** Turns without success between two looks at the clock, which also let others run. */
const IDLE_MASK = 1023;

/** Slots for sends and receives; each is free, or busy until a {@link turn} finds that it is over. */
export class Line {
  readonly #requests: Requests;
  readonly #busy: Uint8Array;
  /** The memory under way in each slot: MPI knows its address only, and nobody else may hold it. */
  readonly #held: Uint8Array[] = [];
  readonly #mask: number;
  #idle = 0;
  #since = 0;

  /** @param crowded whether there are more threads that spin than CPUs: each lets others run whenever it has nothing to do */
  constructor(mpi: Mpi, size: number, crowded: boolean) {
    this.#requests = mpi.requests(size);
    this.#busy = new Uint8Array(size);
    this.#mask = crowded ? 0 : IDLE_MASK;
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
      this.#wait();
      return 0;
    }
    this.#idle = 0;
    for (let i = 0; i < over; i++) this.#busy[this.#requests.slots[i] as number] = 0;
    return over;
  }

  /** Turns until all slots are free. */
  finish(): void {
    while (this.active > 0) this.turn();
  }

  #wait(): void {
    if ((this.#idle++ & this.#mask) !== this.#mask) return;
    futex()?.yield();
    const now = performance.now();
    if (this.#idle <= this.#mask + 1) this.#since = now;
    else if (now - this.#since > PATIENCE_MS) {
      throw new TimeoutError(`No message between nodes came or went for ${PATIENCE_MS / 1000} s.`);
    }
  }
}
