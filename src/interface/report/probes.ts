/** The distances of the CPUs while a report is measured: one pair of threads probes each once, for all parts. */

import { modesOf } from "../../../microbench/pairs/modes.ts";
import { Prober } from "../../../microbench/pairs/prober.ts";
import { monotonic } from "../../ground/base/event-loop/timers.ts";
import type { Probe, ProbedMode } from "./document.ts";

/** All probes of a report. */
export class Probes implements AsyncDisposable {
  readonly all: Probe[] = [];
  readonly #prober: Prober;
  readonly #began = monotonic();

  private constructor(prober: Prober) {
    this.#prober = prober;
  }

  /** @param cpus the first two are probed */
  static async start(cpus: readonly number[]): Promise<Probes> {
    return new Probes(await Prober.start(cpus));
  }

  /** Measures the round trip of a cache line, ns. @param part what is measured around it */
  async probe(part: string): Promise<number> {
    const at = Math.round(monotonic() - this.#began) / 1000;
    const ns = await this.#prober.line();
    this.all.push({ at, ns: Math.round(10 * ns) / 10, part });
    return ns;
  }

  /** The modes of all probes, that of most first. */
  modes(): ProbedMode[] {
    const counts = new Map<number, number>();
    // each by itself: so each is in a mode
    for (const mode of modesOf(this.all.map(({ ns }) => [ns]))) {
      counts.set(mode as number, (counts.get(mode as number) ?? 0) + 1);
    }
    return [...counts].map(([mode, probes]) => ({ mode, probes })).sort((a, b) => b.probes - a.probes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prober[Symbol.asyncDispose]();
  }
}
