/**
 * Synchronises the main threads of an MPI job: each sleeps until all have arrived, then they exchange numbers.
 *
 * MPI's own barrier spins, and would use the CPUs of processes that are still measuring on the same machine; a process
 * may arrive half a minute before another.
 */
import { monotonic, sleep } from "../../src/ground/base/event-loop/timers.ts";
import type { Mpi } from "../../src/machine/mpi/mpi.ts";
import type { Requests } from "../../src/machine/mpi/requests.ts";

const TAG = 900;
/** The sleeps between polls grow up to this, ms. */
const LONGEST_MS = 20;

/** The main thread's part in the job. */
export class Meeting {
  readonly #mpi: Mpi;
  readonly #requests: Requests;
  readonly #signal: AbortSignal | undefined;
  /** Buffers for sending and receiving: referenced here, as MPI has their addresses only. */
  readonly #empty = new Uint8Array(new SharedArrayBuffer(8));
  readonly #room: readonly Uint8Array[];

  constructor(mpi: Mpi, signal?: AbortSignal) {
    this.#mpi = mpi;
    this.#requests = mpi.requests(2 * mpi.size);
    this.#signal = signal;
    this.#room = Array.from({ length: mpi.size }, () => new Uint8Array(new SharedArrayBuffer(8)));
  }

  /** Waits for all; the numbers of each, by rank. All pass the same count. @throws the signal's reason, MpiError */
  async exchange(numbers: readonly number[]): Promise<number[][]> {
    await this.#come();
    const mine = Float64Array.from(numbers);
    const all = this.#mpi.allgather(new Uint8Array(mine.buffer));
    const count = mine.length;
    const found = new Float64Array(all.buffer, all.byteOffset, count * this.#mpi.size);
    return Array.from({ length: this.#mpi.size }, (_, rank) => [...found.subarray(rank * count, (rank + 1) * count)]);
  }

  /** A message of each to rank 0, and back. */
  async #come(): Promise<void> {
    const { rank, size } = this.#mpi;
    const others = rank === 0 ? Array.from({ length: size - 1 }, (_, i) => i + 1) : [0];
    const receive = () => {
      for (const peer of others) this.#requests.receive(peer, this.#room[peer], peer, TAG);
    };
    const send = () => {
      for (const peer of others) this.#requests.send(size + peer, this.#empty, peer, TAG);
    };
    if (rank !== 0) send();
    receive();
    await this.#settle();
    if (rank === 0) send();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const started = monotonic();
    while (this.#requests.active > 0) {
      this.#signal?.throwIfAborted();
      if (this.#requests.test() > 0) continue;
      await sleep(Math.min(LONGEST_MS, 1 + (monotonic() - started) / 50));
    }
  }
}
