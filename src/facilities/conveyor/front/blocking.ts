/** Calls that block the thread until what they wait for is there. */

import type { ItemType } from "../../../ground/item/item-type.ts";
import { blocks, checkBlocking, type MayBlock } from "../../../ground/wait/blocking.ts";
import { DONE, type Status } from "../../../links/status/state.ts";
import type { Session, Waiting } from "../engine/session.ts";

/** What {@link takeFrom} takes from. */
interface Taken extends MayBlock {
  pull(): boolean;
  proceed(done: boolean): Status;
}

/** Pulls, and advances until a pull succeeds or the session is complete. @param instead what to await where no call may block */
export function takeFrom(c: Taken, done: boolean, instead: string): boolean {
  if (!c.mayBlock) throw blocks("take", instead);
  while (!c.pull()) if (c.proceed(done) === DONE) return false;
  return true;
}

/** Begins a session of two conveyors. */
export function beginBoth(c: MayBlock & { beginning(): Waiting }): void {
  checkBlocking(c, "begin");
  const waiting = c.beginning();
  while (!waiting.next().done);
}

/** The same for the begin of one session, which most programs call often, without a generator. */
export function begin(session: Session, item?: ItemType): void {
  checkBlocking(session, "begin");
  session.startBegin(true, item);
  while (!session.turnBegin());
}
