/** Calls that block the thread until what they wait for is there. */
import type { ItemType } from "../../../ground/item/types.ts";
import { DONE, type Status } from "../../../links/status/state.ts";
import type { Session, Waiting } from "../engine/session.ts";

/** Pulls, and advances until a pull succeeds or the session is complete. */
export function takeFrom(c: { pull(): boolean; proceed(done: boolean): Status }, done: boolean): boolean {
  while (!c.pull()) if (c.proceed(done) === DONE) return false;
  return true;
}

/** Runs a wait to its end. */
export function runToEnd(waiting: Waiting): void {
  while (!waiting.next().done);
}

/** The same for the begin of one session, which most programs call often, without a generator. */
export function begin(session: Session, item?: ItemType): void {
  session.startBegin(true, item);
  while (!session.turnBegin());
}
