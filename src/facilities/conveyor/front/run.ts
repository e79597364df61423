/**
 * A whole session in one call: begin, push, pull, advance and unpull, reset.
 *
 * The source pushes with a push that waits. While it waits, received items are passed to the sink. When the source has
 * returned, this PE is done, and further items are passed to the sink until no PE has items left.
 *
 * Limits: nothing is pulled while the source computes and finds room. A source that computes for long between two
 * pushes makes the other PEs wait.
 */

import { StateError, UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/for-v8.ts";
import { type AtOnce, isAsync, isGenerator, isPromise, promiseError } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { IN_OWN_CODE, IN_SINK, IN_SOURCE } from "../../../links/status/layout.ts";
import { DONE, type Status } from "../../../links/status/state.ts";

/**
 * Pushes all items, with a push that waits for room, and returns. `turn` makes progress and passes received items to
 * the sink; it is for a source that waits for something else.
 */
export type Source<Push> = (push: Push, turn: () => void) => AtOnce;

/** A conveyor, as a run needs it. */
export interface Runnable {
  /** Says that pushes wait for room: see {@link Outbox.isPatient}. */
  beginPatience(): void;
  begin(): void;
  proceed(done: boolean): Status;
  endSession(): void;
  /** Sets which of the user's functions runs from now on, see StatusWriter. */
  reportPlace(place: number): void;
  /** Ends the session with an error at every PE; returns the error to be thrown. */
  fail(error: unknown): unknown;
}

/** How a push waits; the run of a session sets it. */
export class Room {
  wait: () => void = over;
}

function over(): never {
  throw new StateError("run: this push may be called only inside its run, which has ended.");
}

/**
 * Runs a session.
 * @param room in which `send` waits
 * @param send a push that waits
 * @param drain passes received items to the sink
 * @param instead advice for an asynchronous source
 * @throws what the source and the sink throw; the session then ends with that error at every PE
 */
export function runSession<Push>(
  c: Runnable,
  source: Source<Push>,
  room: Room,
  send: Push,
  drain: () => void,
  instead: string,
): void {
  c.beginPatience();
  c.begin();
  let draining = false;
  let isPushing = true;
  const turn = (done: boolean): Status => {
    draining = true;
    c.reportPlace(IN_SINK);
    noInline(drain, undefined);
    c.reportPlace(isPushing ? IN_SOURCE : IN_OWN_CODE);
    draining = false;
    return c.proceed(done);
  };
  try {
    room.wait = () => {
      if (draining) throw new StateError(SINK_WAITS);
      turn(false);
    };
    c.reportPlace(IN_SOURCE);
    const result = noInline(source, undefined, send, () => room.wait());
    isPushing = false;
    if (isPromise(result)) throw promiseError("run: the source", instead);
    while (turn(true) !== DONE);
  } catch (error) {
    throw c.fail(error);
  } finally {
    room.wait = over;
    c.reportPlace(IN_OWN_CODE);
  }
  c.endSession();
}

/**
 * @param isOther whether one of them may be something else than a function @param others that, for messages
 * @throws UsageError unless both are functions that are not async
 */
export function checkRun(
  source: unknown,
  sink: unknown,
  instead: string,
  isOther: (one: unknown) => boolean = () => false,
  others = "",
): void {
  if ([source, sink].some((one) => typeof one !== "function" && !isOther(one))) {
    throw new UsageError(
      `run: expected two functions, a source (push) => { … } and a sink (item, from) => { … }${others}, got ` +
        `${shortText(source)} and ${shortText(sink)}`,
    );
  }
  checkAtOnce({ source, sink }, instead);
}

/**
 * @param functions by their names
 * @throws UsageError for one that is async, or a generator, whose body does not run when it is called
 */
export function checkAtOnce(functions: Readonly<Record<string, unknown>>, instead: string): void {
  for (const [name, one] of Object.entries(functions)) {
    if (isAsync(one)) {
      throw new UsageError(`run: expected functions that are not async, got an async ${name}: ${instead}`);
    }
    if (!isGenerator(one)) continue;
    throw new UsageError(
      `run: expected functions that are no generators, got a function* as ${name}: its body does not run when it is called. Leave out the *.`,
    );
  }
}

const SINK_WAITS =
  "run: expected a call from the source, got one from the sink. This push waits for room, and a sink must not wait. In a sink call the conveyor's own push, " +
  "and return PUT_BACK when it returns false: the item is then delivered again.";
