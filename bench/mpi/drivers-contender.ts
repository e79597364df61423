/** Both ways to drive links, as one who takes turns: they alternate within his turn, batch by batch. */
import { MpiError, NativeError } from "../../src/base/errors.ts";
import type { BatchVolume } from "../../src/contest/batches.ts";
import type { Contender } from "../turns/turns.ts";
import { DRIVER_SIZES, driversText, LEADS, type Traffic } from "./drivers-job.ts";
import type { Starter } from "./starter.ts";
import { type Layout, layoutText } from "./works.ts";

/** What is measured on such nodes, in order. */
export const drivenWhats = (layout: Layout): { readonly what: string; readonly bytes: number }[] =>
  (Object.keys(LEADS) as Traffic[]).flatMap((traffic) =>
    DRIVER_SIZES.map((bytes) => ({ what: placed(layout, driversText(traffic, bytes)), bytes })),
  );

const placed = (layout: Layout, what: string): string => `${layoutText(layout)}: ${what}`;

/** What he does. */
export interface DriversOptions {
  readonly layout: Layout;
  readonly volume: BatchVolume;
  /** Threads could not be bound to their CPUs. */
  readonly onUnbound: () => void;
}

/** A wrong message, or a job that ends in any other way, is a fault of ours: it is thrown, and nobody is told as missing. */
export const driversContender = (
  starter: Starter,
  { layout, volume, onUnbound }: DriversOptions,
): Contender => ({
  name: placed(layout, "drivers of links"),
  required: true,
  run: async () => {
    try {
      const samples = await starter.drivers(layout, volume);
      if (samples.some(({ bound }) => !bound)) onUnbound();
      return samples.map((one) => ({ ...one, what: placed(layout, one.what) }));
    } catch (error) {
      if (!(error instanceof NativeError)) throw error;
      throw new MpiError(`${placed(layout, "drivers of links")}: ${error.message}`, { cause: error });
    }
  },
});
