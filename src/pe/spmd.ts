/** The default export of an SPMD module: one program that every PE runs. */

import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import type { PE } from "./pe.ts";

/** The program of a PE. What it returns (or what its promise resolves to) is the PE's result. */
export type Main<Args = unknown, Result = unknown> = (pe: PE, args: Args) => Result;

const kSpmd = "tundish.spmd";

/** The return value of {@link spmd}; importing it runs nothing. */
export interface Spmd {
  readonly kind: typeof kSpmd;
  readonly main: Main;
}

/**
 * Marks a function as the program of every PE. Use it as the default export of a module and start that module with
 * `launch` or `tundish run`:
 *
 * ```ts
 * export default spmd((pe) => pe.allreduce(pe.rank, "sum"));
 * ```
 *
 * `Args` is the type of launch()'s option `args` (`tundish run` passes a `string[]`); it is not checked.
 * @throws UsageError if main is not a function
 */
export function spmd<Args = unknown, Result = unknown>(main: Main<Args, Result>): Spmd {
  if (typeof main !== "function") {
    throw new UsageError(`spmd: expected the function that each PE runs, got ${shortText(main)}`);
  }
  return { kind: kSpmd, main: main as Main };
}

/** The SPMD program in a module's namespace, also where interop with CommonJS nests it. */
export function findSpmd(namespace: { default?: unknown }): Spmd | undefined {
  const candidates = [namespace.default, (namespace.default as { default?: unknown } | undefined)?.default];
  return candidates.find((value): value is Spmd => (value as Spmd | undefined)?.kind === kSpmd);
}
