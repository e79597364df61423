/**
 * Where the thread of a PE is in its program: whether in its main or outside.
 *
 * A module that calls launch() when it is imported would do so at each PE, whose PEs import it again, and so on: each
 * world would start worlds without end. So a PE makes worlds within its main only.
 */
import { ModuleError } from "../base/errors.ts";

// on the global object, so that it holds for every copy of the package that this thread has loaded
const kOutside: unique symbol = Symbol.for("tundish.outside-main");
type Holder = { [kOutside]?: Place };

/** The PE whose thread this is, and its module. */
interface Place {
  readonly rank: number;
  readonly module: string;
}

/** This thread runs code of the module outside the PE's main: imports it, or has come back from main. */
export function enterOutside(place: Place): void {
  (globalThis as Holder)[kOutside] = place;
}

/** This thread is in the PE's main. */
export function leaveOutside(): void {
  delete (globalThis as Holder)[kOutside];
}

/** Passes but in the thread of a PE outside its main. @throws ModuleError there */
export function checkInMain(what: string): void {
  const place = (globalThis as Holder)[kOutside];
  if (place === undefined) return;
  const { rank, module } = place;
  throw new ModuleError(
    `${module} calls ${what} outside the main that it gives to spmd(), and PE ${rank} runs it: each PE would start a ` +
      "world of its own, without end. Write `if (isMainThread) await launch(…)`, with isMainThread from node:worker_threads; or keep the " +
      "program, `export default spmd((pe) => …)`, in a module of its own.",
  );
}
