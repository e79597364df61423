/** Two threads that only distinguish near from far, between the turns of the measured ones. */

import { probe } from "./pass.ts";
import { PairWorkers } from "./workers.ts";

/** Probes the first two of some CPUs on request. */
export class Prober implements AsyncDisposable {
  readonly #pairWorkers: PairWorkers;
  readonly #pes: number;

  private constructor(pairWorkers: PairWorkers, pes: number) {
    this.#pairWorkers = pairWorkers;
    this.#pes = pes;
  }

  /** Starts the threads; resolves when they are ready and warm. */
  static async start(cpus: readonly number[]): Promise<Prober> {
    const pair = cpus.slice(0, 2);
    const prober = new Prober(await PairWorkers.start(pair), pair.length);
    for (let warm = 0; warm < 10; warm++) await prober.probe();
    return prober;
  }

  /** Cache-line round trip, ns; 0 if there is one CPU only. */
  probe(): Promise<number> {
    return probe(this.#pairWorkers, this.#pes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pairWorkers[Symbol.asyncDispose]();
  }
}
