/** The default export of an SPMD module: one program that every PE runs. */

import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import type { PE } from "./pe.ts";

/** The program of a PE. What it returns (or what its promise resolves to) is the PE's result. */
export type Main<Args = unknown, Result = unknown> = (pe: PE, args: Args) => Result;

const kSpmd = "tundish.spmd";

/** The return value of {@link spmd}; importing it runs nothing. Every program is an `Spmd` without arguments and result. */
export interface Spmd<Args = unknown, Result = unknown> {
  readonly kind: typeof kSpmd;
  /** The program. */
  main(pe: PE, args: Args): Result;
}

/** A module that has an SPMD program: `typeof import("./program.js")`. */
export interface SpmdModule {
  readonly default: Spmd | { readonly default: Spmd };
}

type ProgramOf<M> = M extends { readonly default: infer Default }
  ? Default extends { readonly default: infer Nested }
    ? Nested
    : Default
  : never;

/** What the program of a module takes as its second argument; of anything that is no {@link SpmdModule}, unknown. */
export type ArgsOf<M> = [M] extends [SpmdModule]
  ? ProgramOf<M> extends Spmd<infer Args>
    ? Args
    : unknown
  : unknown;

/** What awaiting the program of a module gives; a type that is no {@link SpmdModule} is itself that of the result. */
export type ResultOf<M> = [M] extends [SpmdModule]
  ? ProgramOf<M> extends Spmd<never, infer Result>
    ? Awaited<Result>
    : unknown
  : M;

/**
 * Marks a function as the program of every PE. Use it as the default export of a module and start that module with
 * `launch` or `tundish run`:
 *
 * ```ts
 * export default spmd((pe) => pe.allreduce(pe.rank, "sum"));
 * ```
 *
 * `Args` is the type of launch()'s option `args` (`tundish run` passes a `string[]`). `launch<typeof import("./program.js")>(…)`
 * checks it when a program is compiled; nothing checks it at run time.
 * @throws UsageError if main is not a function
 */
export function spmd<Args = unknown, Result = unknown>(main: Main<Args, Result>): Spmd<Args, Result> {
  if (typeof main !== "function") {
    throw new UsageError(`spmd: expected the function that each PE runs, got ${shortText(main)}`);
  }
  return { kind: kSpmd, main };
}

/** The SPMD program in a module's namespace, also where interop with CommonJS nests it. */
export function findSpmd(namespace: { default?: unknown }): Spmd | undefined {
  const candidates = [namespace.default, (namespace.default as { default?: unknown } | undefined)?.default];
  return candidates.find((value): value is Spmd => (value as Spmd | undefined)?.kind === kSpmd);
}
