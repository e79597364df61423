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
export function rivals(cpus: readonly number[], volume: RivalVolume = {}): Contender[] {
  return [
    rival(volume, "postMessage", "round trip", ROUND_TRIPS, (some) => postMessageRoundTrip(cpus, some)),
    ...barriers(cpus, volume),
    rival(volume, "npm multithreading", "barrier", 200, (some) => multithreadingBarrier(cpus, some)),
  ];
}

/** Barriers on one shared counter. */
export function barriers(cpus: readonly number[], volume: RivalVolume = {}): Contender[] {
  return [
    // about 50 ns for each PE, and more if the PEs are far from each other
    rival(volume, "SharedArrayBuffer counter, spinning", "barrier", 40_000 / cpus.length, (some) =>
      flatBarrier("spinning", cpus, some),
    ),
    rival(volume, "SharedArrayBuffer counter, Atomics.wait", "barrier", 500, (some) =>
      flatBarrier("sleeping", cpus, some),
    ),
  ];
}

/** A message of so many bytes to another thread by postMessage: half of a round trip. */
export function messages(
  cpus: readonly number[],
  sizes: readonly number[],
  volume: RivalVolume = {},
): (Contender & { readonly bytes: number })[] {
  return sizes.map((bytes) => {
    const batch = ROUND_TRIPS / (1 + bytes / COPIED_BYTES);
    const one = rival(volume, "postMessage", `message of ${bytes} B`, batch, async (some) =>
      (await postMessageRoundTrip(cpus, some, bytes)).map((ns) => ns / 2),
    );
    return { ...one, bytes };
  });
}

/** In a batch. */
const ROUND_TRIPS = 200;
/** About as many bytes are copied in the time of a message without. */
const COPIED_BYTES = 65_536;

function rival(
  { batches = 15, share = 1 }: RivalVolume,
  name: string,
  what: string,
  batch: number,
  run: (volume: Volume) => Promise<number[]>,
): Contender {
  const volume = { batch: Math.max(10, Math.ceil(batch * share)), batches };
  return { name, run: async () => [{ name, what, batch: volume.batch, samples: await run(volume) }] };
}
