/**
 * A whole session in one call: begin, push, pull, advance and unpull inside, reset.
 *
 * What: the source pushes with a push that waits; while it waits, what has come goes to the sink. When the source has
 * returned, this PE is done, and what still comes goes to the sink until nobody has anything left.
 *
 * Limits: nothing is pulled while the source computes and finds room: one that computes long between two pushes lets
 * the others wait.
 */

import { StateError, UsageError } from "../../base/errors.ts";
import { noInline } from "../../base/no-inline.ts";
import { shortText } from "../../base/short-text.ts";
import { IN_OWN_CODE, IN_SINK, IN_SOURCE } from "../../status/layout.ts";
import { DONE, type Status } from "../../status/state.ts";
import { isAsync, isPromise, promiseError } from "../engine/returned.ts";

/**
 * Pushes everything, with a push that waits for room, and returns. `turn` is for one that has to wait for something
 * else: it makes progress, and hands to the sink what has come.
 */
export type Source<Push> = (push: Push, turn: () => void) => unknown;

/** What a run needs of a conveyor. */
export interface Runnable {
  begin(): unknown;
  proceed(done: boolean): Status;
  reset(): void;
  /** Says what of the user's runs from now on, see StatusWriter. */
  reportPlace(place: number): void;
  /** An error that ends the session at every PE; gives what is to be thrown. */
  fail(error: unknown): unknown;
}

/** What a push waits in: whoever runs a session says how. */
export class Room {
  wait: () => void = over;
}

function over(): never {
  throw new StateError("run: this push is good inside its run only, and that is over.");
}

/**
 * Runs a session.
 * @param room that `send` waits in
 * @param send a push that waits
 * @param drain hands what has come to the sink
 * @param instead what to write for a source that awaits
 * @throws what the source and the sink throw: the session ends with it, at every PE
 */
export function runSession<Push>(
  c: Runnable,
  source: Source<Push>,
  room: Room,
  send: Push,
  drain: () => void,
  instead: string,
): void {
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
  c.reset();
}

/** @throws UsageError unless both are functions that do not await */
export function checkRun(source: unknown, sink: unknown, instead: string): void {
  if (typeof source !== "function" || typeof sink !== "function") {
    throw new UsageError(
      "run: expected two functions, a source (push) => { … } and a sink (item, from) => { … }, got " +
        `${shortText(source)} and ${shortText(sink)}`,
    );
  }
  if (!isAsync(source) && !isAsync(sink)) return;
  throw new UsageError(
    `run: expected functions that do not await, got an async ${isAsync(source) ? "source" : "sink"}: ${instead}`,
  );
}

const SINK_WAITS =
  "run: the push of a run waits for room, and a sink must not wait. In a sink call the conveyor's own push, " +
  "and return PUT_BACK when it has no room: the item comes again.";
