/** spmd() for users: the program also knows how to become the thread of a PE, which it has to do in a bundle. */
import { version } from "../../ground/base/package-file.ts";
import { type Main, type Spmd, type StartableSpmd, spmd as toProgram } from "../../pe/spmd.ts";

/**
 * Marks a function as the program of every PE. Use it as the default export of a module and start that module with
 * `launch` or `tundish run`:
 *
 * ```ts
 * export default spmd((pe) => pe.allreduce(pe.rank, "sum"));
 * ```
 *
 * `Args` is the type of launch()'s option `args` (`tundish run` passes a `string[]`).
 * `launch<typeof import("./program.js")>(…)` checks it when a program is compiled; nothing checks it at run time.
 * @throws UsageError if main is not a function
 */
export function spmd<Args = unknown, Result = unknown>(main: Main<Args, Result>): Spmd<Args, Result> {
  const program: StartableSpmd<Args, Result> = { ...toProgram(main), version, start: () => import("./worker.ts") };
  return program;
}
