/** The options of stores: valid values, defaults, and checks. */

import { UsageError } from "../../ground/base/errors.ts";
import {
  callback,
  checkOptions,
  is,
  listOf,
  type OptionField,
  optionsOf,
  positive,
  text,
  unchecked,
  whole,
} from "../../ground/base/options.ts";
import { type ReplicaOptions, settingsOf } from "../agree/options.ts";
import { FSYNC, type LogOptions } from "./log/options.ts";

/** Options of a store; the same at all members, but `log`. */
export interface StoreOptions {
  /** The members that are replicas, by rank; the others are clients. @default all */
  readonly replicas?: readonly number[] | undefined;
  /** Which replica a client asks, by the rank of the client. @default the clients are dealt out to the replicas */
  readonly nearestTo?: ((client: number) => number) | undefined;
  /** Silence of its replica, ms, after which a client asks another one. @default 5000 */
  readonly switchAfter?: number | undefined;
  /**
   * The folder in which this replica keeps the store over restarts; a folder of its own. All replicas have one, or
   * none.
   * @default none
   */
  readonly log?: string | undefined;
  /** When the log brings writes to the disk. @default "always" */
  readonly fsync?: LogOptions["fsync"];
  /** For "interval": ms. @default 100 */
  readonly fsyncInterval?: number | undefined;
  /** Options of the replicas, whose ranks are their places in `replicas`. */
  readonly agreement?: Omit<ReplicaOptions, "log"> | undefined;
  /** Longest key, in bytes of UTF-8. @default 1024 */
  readonly keyBytes?: number | undefined;
  /** Longest value, in bytes. @default 2^20 */
  readonly valueBytes?: number | undefined;
  /** Longest wait of a call, ms, unless the call says so. @default none */
  readonly timeout?: number | undefined;
}

export const DEFAULT_SWITCH_AFTER_MS = 5000;

/** @throws UsageError */
export function checkStoreOptions(options: StoreOptions, size: number): void {
  const rank = whole(0, size - 1);
  const fields: OptionField = optionsOf<StoreOptions>({
    replicas: listOf(rank, `a list of ranks from 0 to ${size - 1}`),
    nearestTo: callback,
    switchAfter: positive("milliseconds"),
    log: text("the path of a folder"),
    ...FSYNC,
    // its fields are checked below
    agreement: unchecked,
    keyBytes: whole(1, 2 ** 20),
    valueBytes: whole(0, 2 ** 29),
    timeout: is("milliseconds >= 0", (x) => typeof x === "number" && x >= 0),
  });
  checkOptions("openStore", fields, options);
  const { replicas } = options;
  if (replicas !== undefined && (replicas.length === 0 || new Set(replicas).size < replicas.length)) {
    throw new UsageError(`replicas: expected different ranks, at least one, got [${replicas.join(", ")}]`);
  }
  // for clients too
  if (options.agreement !== undefined) settingsOf(options.agreement, replicas?.length ?? size);
}
