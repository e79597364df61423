/** The default export of an SPMD module: one program that every PE runs. */

import { UsageError } from "../ground/base/errors.ts";
import { shortText } from "../ground/base/short-text.ts";
import type { PE } from "./pe.ts";

/** The program of a PE. What it returns (or what its promise resolves to) is the PE's result. */
export type Main<Args = unknown, Result = unknown> = (pe: PE, args: Args) => Result;

const kSpmd = "tundish.spmd";

/** The return value of {@link spmd}; importing it runs nothing. Every program is one without arguments and result. */
export interface Spmd<Args = unknown, Result = unknown> {
  readonly kind: typeof kSpmd;
  /** The program. */
  main(pe: PE, args: Args): Result;
}

/** A program, as it starts itself in the thread of a PE. */
export interface StartableSpmd<Args = unknown, Result = unknown> extends Spmd<Args, Result> {
  /** The version of the copy of this package that it was made by; "" for one that is not published. */
  readonly version?: string;
  /** Makes this thread that of a PE, by the same copy of this package: see run/thread-entry.ts. */
  readonly start?: () => Promise<unknown>;
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

/** The second argument of the program of a module; of anything that is no {@link SpmdModule}, unknown. */
export type ArgsOf<M> = [M] extends [SpmdModule] ? (ProgramOf<M> extends Spmd<infer Args> ? Args : unknown) : unknown;

/** The awaited result of the program of a module; a type that is no {@link SpmdModule} is itself that of the result. */
export type ResultOf<M> = [M] extends [SpmdModule]
  ? ProgramOf<M> extends Spmd<never, infer Result>
    ? Awaited<Result>
    : unknown
  : M;

/** Makes a program of its main, for modules of this package. @throws UsageError if main is not a function */
export function spmd<Args = unknown, Result = unknown>(main: Main<Args, Result>): Spmd<Args, Result> {
  if (typeof main !== "function") {
    throw new UsageError(`spmd: expected the function that each PE runs, got ${shortText(main)}`);
  }
  return { kind: kSpmd, main };
}

/** The SPMD program in a module's namespace, also where interop with CommonJS nests it. */
export function findSpmd(namespace: { default?: unknown }): StartableSpmd | undefined {
  const candidates = [namespace.default, (namespace.default as { default?: unknown } | undefined)?.default];
  return candidates.find((value): value is StartableSpmd => (value as StartableSpmd | undefined)?.kind === kSpmd);
}
