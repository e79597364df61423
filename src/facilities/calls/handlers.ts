/** Types of a table of handlers and of calls, derived from the table. */

import type { AtOnce } from "../../ground/base/promise.ts";
import type { ArgumentsOf, TypedHandler } from "../../ground/item/handlers.ts";
import type { ConveyorOptions } from "../../route/geometry/options.ts";
import type { ConveyorStats } from "../conveyor/engine/stats.ts";

/**
 * Handlers by name. A function takes any arguments that `node:v8` serializes, copied. None may wait or return a
 * promise; what they return is ignored.
 */
export interface CallHandlers {
  readonly [name: string]: ((...args: never[]) => AtOnce) | TypedHandler;
}

/** Calls a handler at PE `dest`. It waits for room in the source, and never waits in a handler. */
export type Call<H extends CallHandlers> = <Name extends keyof H & string>(
  dest: number,
  name: Name,
  ...args: ArgumentsOf<H[Name]>
) => void;

/** As {@link Call}, for asynchronous sources: returns a promise if there is no room; await it before the next call. */
export type CallAsync<H extends CallHandlers> = <Name extends keyof H & string>(
  dest: number,
  name: Name,
  ...args: ArgumentsOf<H[Name]>
) => Promise<void> | undefined;

/** Options of calls, the same at all PEs: those of an elastic conveyor. `type` cannot be `simple`. */
export interface CallsOptions extends ConveyorOptions {
  /** Always true for calls; false is rejected. @default true */
  readonly steady?: boolean | undefined;
}

/**
 * A PE's counts: pushes are calls that it has made, pulls those that it has handled; votes as many as there were waves.
 */
export interface CallsStats extends ConveyorStats {
  /** Largest number of handlers' calls that waited for room at once, in this session. */
  readonly held: number;
}
