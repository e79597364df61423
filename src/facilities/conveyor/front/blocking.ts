/** Calls that block the thread until what they wait for is there. */

import { noInline } from "../../../ground/base/for-v8.ts";
import { blocks, type MayBlock } from "../../../ground/wait/blocking.ts";
import { DONE, type Status } from "../../../links/status/state.ts";

/** A conveyor that may advance, and wait. */
interface Advanced extends MayBlock {
  proceed(done: boolean): Status;
}

/** Advances. @throws UsageError where no call may block */
export function advance(c: Advanced, done: boolean): Status {
  if (!c.mayBlock) throw blocks("advance");
  return noInline(c.proceed, c, done);
}

/** A conveyor that {@link takeFrom} takes from. */
interface Taken extends Advanced {
  pull(): boolean;
}

/**
 * Pulls, and advances until a pull succeeds or the session is complete.
 * @param instead what to await where no call may block
 */
export function takeFrom(c: Taken, done: boolean, instead: string): boolean {
  if (!c.mayBlock) throw blocks("take", instead);
  while (!c.pull()) if (c.proceed(done) === DONE) return false;
  return true;
}
