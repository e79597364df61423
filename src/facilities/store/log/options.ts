/** The options of logs: valid values, defaults, and checks. */
import { is, type OptionField, type OptionFields, oneOf, optionsOf, whole } from "../../../ground/base/options.ts";

/**
 * When records are brought to the disk: "always", before an append returns; "interval", after some time; "never", when
 * the operating system does it. A process that is killed loses nothing by any of them; a machine that goes down loses
 * what was not yet on its disk.
 */
export type FsyncPolicy = "always" | "interval" | "never";

/** Options of a log. */
export interface LogOptions {
  /** When records are brought to the disk. @default "always" */
  readonly fsync?: FsyncPolicy | undefined;
  /** For "interval": the longest time, ms, kept while the thread returns to its event loop, or appends. @default 100 */
  readonly fsyncInterval?: number | undefined;
  /** Bytes of a file, after which another one begins. @default 2^24 */
  readonly segmentBytes?: number | undefined;
}

const policies: readonly FsyncPolicy[] = ["always", "interval", "never"];

export const DEFAULT_FSYNC_INTERVAL_MS = 100;
export const DEFAULT_SEGMENT_BYTES: number = 2 ** 24;

/** Those that a store has too. */
export const FSYNC: OptionFields<Pick<LogOptions, "fsync" | "fsyncInterval">> = {
  fsync: oneOf(policies),
  fsyncInterval: is("a number of milliseconds from 1 to 2^31 - 1", (x) => {
    return typeof x === "number" && x >= 1 && x < 2 ** 31;
  }),
};

export const LOG: OptionField = optionsOf<LogOptions>({
  ...FSYNC,
  segmentBytes: whole(1, 2 ** 30),
});
