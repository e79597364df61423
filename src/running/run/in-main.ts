/**
 * Whether the thread of a PE runs its main or code outside it.
 *
 * Suppose a module calls launch() when it is imported. Each PE of that world imports the module and would launch a
 * world again, and so on without end. So a PE may make worlds only within its main.
 */
import { ModuleError } from "../../ground/base/errors.ts";

// on the global object, so that all copies of the package that this thread has loaded share it
const kOutside: unique symbol = Symbol.for("tundish.outside-main");
type Holder = { [kOutside]?: OutsideMain };

/** The PE of this thread, and its module. */
interface OutsideMain {
  readonly rank: number;
  readonly module: string;
}

/** This thread runs module code outside the PE's main: it imports the module, or main has returned. */
export function enterOutside(place: OutsideMain): void {
  (globalThis as Holder)[kOutside] = place;
}

/** This thread runs the PE's main. */
export function leaveOutside(): void {
  delete (globalThis as Holder)[kOutside];
}

/** @throws ModuleError in the thread of a PE that is outside its main */
export function checkInMain(what: string): void {
  const place = (globalThis as Holder)[kOutside];
  if (place === undefined) return;
  const { rank, module } = place;
  throw new ModuleError(
    `${module} calls ${what} outside the main function given to spmd(), and PE ${rank} runs that code: each PE would start a ` +
      "world, whose PEs would do the same. Write `if (isEntry(import.meta)) await launch(…)`, with isEntry from " +
      "tundish (in CommonJS `if (require.main === module)`); or move the program, `export default spmd((pe) => …)`, to a " +
      "module of its own.",
  );
}
