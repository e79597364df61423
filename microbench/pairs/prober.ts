/** Two threads that are only there to tell near from far, between the turns of those that are measured. */

import { probe } from "./pass.ts";
import { Crew } from "./workers.ts";

/** Probes the first two of some CPUs whenever asked. */
export class Prober implements AsyncDisposable {
  readonly #crew: Crew;
  readonly #pes: number;

  private constructor(crew: Crew, pes: number) {
    this.#crew = crew;
    this.#pes = pes;
  }

  /** Starts the threads; resolves when they are ready and warm. */
  static async start(cpus: readonly number[]): Promise<Prober> {
    const pair = cpus.slice(0, 2);
    const prober = new Prober(await Crew.start(pair), pair.length);
    for (let warm = 0; warm < 10; warm++) await prober.probe();
    return prober;
  }

  /** Cache-line round trip, ns; 0 when there is one CPU only. */
  probe(): Promise<number> {
    return probe(this.#crew, this.#pes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#crew[Symbol.asyncDispose]();
  }
}
