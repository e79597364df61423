/** Two threads that only distinguish near from far, between the turns of the measured ones. */

import { probe } from "./pass.ts";
import { PairWorkers } from "./workers.ts";

/** Probes before those that count: V8 compiles. */
const WARM = 10;
const QUICK_WARM = 3;

/** Probes the first two of some CPUs on request: by messages, as a profile does, or by a cache line alone. */
export class Prober implements AsyncDisposable {
  readonly #pairWorkers: PairWorkers;
  readonly #pes: number;

  private constructor(pairWorkers: PairWorkers, pes: number) {
    this.#pairWorkers = pairWorkers;
    this.#pes = pes;
  }

  /** Starts the threads; resolves when they are ready and warm, less so when quick. */
  static async start(cpus: readonly number[], quick = false): Promise<Prober> {
    const pair = cpus.slice(0, 2);
    const prober = new Prober(await PairWorkers.start(pair), pair.length);
    for (let i = 0; i < (quick ? QUICK_WARM : WARM); i++) {
      await prober.probe();
      await prober.line();
    }
    return prober;
  }

  /** Round trip of a message of one cache line, ns; 0 if there is one CPU only. */
  probe(): Promise<number> {
    return probe(this.#pairWorkers, this.#pes);
  }

  /** Round trip of a cache line, ns; the same for one CPU. */
  async line(): Promise<number> {
    if (this.#pes < 2) return 0;
    const [lead] = await this.#pairWorkers.pair(0, 1, { kind: "line", count: 1 });
    return lead.kind === "value" ? lead.value : Number.NaN;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pairWorkers[Symbol.asyncDispose]();
  }
}
