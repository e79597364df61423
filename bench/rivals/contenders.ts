/** Programs with what Node offers, as contenders, each with as much work as its speed allows. */
import type { Contender } from "../turns/turns.ts";
import { flatBarrier, multithreadingBarrier, postMessageRoundTrip, type Volume } from "./measure.ts";

/** The amount of measurement. */
export interface RivalVolume {
  /** Batches per turn. @default 15 */
  readonly batches?: number;
  /** Share of the usual operations in a batch, which take 2 ms or more. @default 1 */
  readonly share?: number;
}

/** All of them, on these CPUs. */
export function rivals(cpus: readonly number[], { batches = 15, share = 1 }: RivalVolume = {}): Contender[] {
  const rival = (
    name: string,
    what: string,
    batch: number,
    run: (cpus: readonly number[], volume: Volume) => Promise<number[]>,
  ): Contender => {
    const volume = { batch: Math.max(10, Math.ceil(batch * share)), batches };
    return {
      name,
      run: async () => [{ name, what, batch: volume.batch, samples: await run(cpus, volume) }],
    };
  };
  return [
    rival("postMessage", "round trip", 200, postMessageRoundTrip),
    // about 50 ns for each PE, and more if the PEs are far from each other
    rival("SharedArrayBuffer counter, spinning", "barrier", 40_000 / cpus.length, (list, volume) =>
      flatBarrier("spinning", list, volume),
    ),
    rival("SharedArrayBuffer counter, Atomics.wait", "barrier", 500, (list, volume) =>
      flatBarrier("sleeping", list, volume),
    ),
    rival("npm multithreading", "barrier", 200, multithreadingBarrier),
  ];
}
