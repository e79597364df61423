/**
 * A session of one conveyor that ends by quiescence (engine/quiescence.ts): what takes an item, the sink, may send
 * further ones until nothing is under way anywhere. Its send never waits: items without room go into a backlog
 * (belts/backlog.ts).
 *
 *     source ─ send, waits ─┐
 *                           ▼
 *     sink ─ send ─▶ backlog ─▶ conveyor ─▶ … ─▶ conveyor ─▶ sink at the destination, which sends …
 *
 * Limits: the backlog has no bound, as only the program knows how many items each item causes. Pausing the sink while
 * the backlog is not empty could stop all PEs for ever.
 */

import { StateError, UsageError } from "../../../ground/base/errors.ts";
import { checkOptions, oneOf, optionsOf } from "../../../ground/base/options.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import { DONE, type Status } from "../../../links/status/state.ts";
import { Backlog } from "../belts/backlog.ts";
import type { Pushing } from "../codegen/parts.ts";
import type { Gate, Rest } from "../codegen/run-code.ts";
import { Quiescence } from "../engine/quiescence.ts";
import type { Session, Waiting } from "../engine/session.ts";
import { BY_QUIESCENCE } from "../engine/terms.ts";
import type { EventLoopDriven } from "./event-loop-driver.ts";
import { checkRun, type Room, type Runnable, runSession, type Source } from "./run.ts";

export class QuietSession implements Runnable, EventLoopDriven, Gate {
  /** Items of this PE that wait for room. */
  readonly backlog: Backlog;
  /** Whether the last turn moved anything. */
  moved = false;
  /** The sink is running. */
  isHanding = false;
  readonly #c: Session;
  readonly #pushing: Pushing;
  readonly #quiescence: Quiescence;
  /** A session is open. */
  #isOpen = false;
  /** The source has returned. */
  #isDone = false;

  /** @param c a steady conveyor that is not simple @param item of its items; null for bytes of any length */
  constructor(c: Session & Pushing, item: ItemType | null) {
    this.#c = c;
    this.#pushing = c;
    this.backlog = new Backlog(item);
    this.#quiescence = new Quiescence([c]);
  }

  /** Whether an item may be pushed at once. */
  get isClear(): boolean {
    return this.isSending && this.backlog.length === 0;
  }

  /** Whether an item may be sent: until the source has returned, and by the sink. */
  get isSending(): boolean {
    return this.#isOpen && (this.isHanding || !this.#isDone);
  }

  /**
   * The rest of a send where there is no room: of the sink, the item is held; of the source, it waits.
   * @param room in which the source waits @param call for messages
   */
  restIn(room: Room, call: string): Rest {
    return (dest, values) => {
      this.checkSending(call);
      if (this.isHanding) {
        this.hold(dest, values);
        return;
      }
      do room.wait();
      while (!(this.isClear && this.#pushing.push(dest, ...values)));
    };
  }

  /** @throws StateError unless an item may be sent */
  checkSending(call: string): void {
    if (this.isSending) return;
    throw new StateError(
      this.#isOpen
        ? `${call}: the source has returned; then only what takes an item sends, until nothing is under way. Let the source ` +
            "return after its last call."
        : `${call}: there is no session; call it inside run.`,
    );
  }

  /** Stores an item for which there is no room. @throws UsageError, RankRangeError as push */
  hold(dest: number, values: readonly unknown[]): void {
    const c = this.#c;
    // push reports the fault
    if (!this.backlog.admits(values)) this.#pushing.push(dest, ...values);
    c.checkRank(dest);
    this.backlog.add(dest, values);
  }

  beginPatience(): void {
    this.#c.beginPatience();
  }

  begin(): void {
    this.#c.ending = BY_QUIESCENCE;
    try {
      this.#c.begin();
    } finally {
      this.#c.ending = "";
    }
    this.#open();
  }

  *beginning(waits = true): Waiting {
    this.#c.ending = BY_QUIESCENCE;
    try {
      yield* this.#c.beginning(waits);
    } finally {
      this.#c.ending = "";
    }
    this.#open();
  }

  #open(): void {
    this.#isOpen = true;
    this.#isDone = false;
    this.backlog.clear();
    this.#quiescence.begin();
  }

  /** Passes received items on, by `hand`. @throws what it throws; the session then ends with that error at every PE */
  handBy(hand: () => void): void {
    this.isHanding = true;
    try {
      hand();
    } catch (error) {
      // thrown here: a source that catches it would continue
      throw this.fail(error);
    } finally {
      this.isHanding = false;
    }
  }

  /** @param done the source has returned */
  proceed(done: boolean): Status {
    const c = this.#c;
    const quiescence = this.#quiescence;
    const { backlog } = this;
    this.#isDone = done;
    const moved = done && quiescence.turn(backlog.length > 0);
    if (backlog.length > 0) backlog.flush(this.#pushing);
    const status = c.proceed(quiescence.isOver);
    this.moved = c.moved || moved;
    if (status === DONE) this.#isOpen = false;
    return status;
  }

  endSession(): void {
    this.close();
    this.#c.endSession();
  }

  /** After a session, whether it succeeded or not. */
  close(): void {
    this.#isOpen = false;
  }

  reportPlace(place: number): void {
    this.#c.reportPlace(place);
  }

  fail(error: unknown): unknown {
    return this.#c.fail(error);
  }

  now(): number {
    return this.#c.now();
  }

  checkWait(began: number): void {
    this.#c.checkWait(began);
  }

  until(ready: () => boolean, pollMs?: number): Promise<void> {
    return this.#c.until(ready, pollMs);
  }
}

/** The error for conveyors whose votes are taken. @param of what was to be made, or called */
export const noSimple = (of: string): UsageError =>
  new UsageError(
    `${of}: ends: "quiescence" needs the votes of the conveyor, and type "simple", which was chosen, takes them itself. Make it with type: "tensor".`,
  );

/** The error for a table where items cause items. */
export const onlyQuietFunctions = (): UsageError =>
  new UsageError(
    'run: ends: "quiescence" is for a function that sends further items: give a source (send) => { … } and a sink ' +
      "(item, from, send) => { … }, or leave `ends` out.",
  );

/** Options of `run`. */
export interface RunOptions {
  /**
   * How the session ends. `done`: when all sources have returned and what they have pushed was taken. `quiescence`:
   * when nothing is under way any more, as the sink may send as well. The same at all PEs. @default "done"
   */
  readonly ends?: "done" | "quiescence" | undefined;
}

const RUN = optionsOf<RunOptions>({ ends: oneOf(["done", "quiescence"]) });

/** Whether a session ends by quiescence. @throws UsageError for invalid options */
export function isQuiet(options: RunOptions | undefined): boolean {
  if (options === undefined) return false;
  checkOptions("run", RUN, options);
  return options.ends === "quiescence";
}

/** @throws UsageError unless a session of the conveyor can end by quiescence, with these functions */
export function checkQuietRun(session: Session, source: unknown, sink: unknown, instead: string): void {
  const { type, steady } = session.machinery.choice;
  checkRun(source, sink, instead);
  if (type === "simple") throw noSimple("run");
  if (steady) return;
  throw new UsageError(
    'run: ends: "quiescence" needs a steady conveyor, whose partial buffers are sent before the end. Make it with { steady: true }.',
  );
}

/** Runs a session that ends by quiescence. See runSession. */
export function runQuietly<Push>(
  quiet: QuietSession,
  source: Source<Push>,
  room: Room,
  send: Push,
  hand: () => void,
  instead: string,
): void {
  try {
    runSession(quiet, source, room, send, () => quiet.handBy(hand), instead);
  } finally {
    quiet.close();
  }
}
