/** Conveyors of values whose collective calls block the thread, for PEs that are worker threads (conveyor.ts). */

import { UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/no-inline.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { blocks, checkBlocking } from "../../../ground/wait/blocking.ts";
import type { Status } from "../../../links/status/state.ts";
import { ValueBelt } from "../belts/values.ts";
import { renamed, wrongCount } from "../engine/refusal.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "../engine/returned.ts";
import { begin, takeFrom } from "./blocking.ts";
import { advanceAsync, beginAsync } from "./event-loop-driver.ts";
import { isQuiet } from "./quiet-session.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

const noQuiet = (): UsageError =>
  new UsageError(
    'run: ends: "quiescence" is for conveyors of items, a selector and calls; a value conveyor ends when all sources have returned. Leave it out.',
  );

/** A conveyor of values, as seen by one PE. See docs/conveyors.md. @typeParam V the type of the values */
export class ValueConveyor<V = unknown> extends ValueBelt<V> {
  readonly #room = new Room();

  /**
   * As {@link Conveyor.begin}.
   * @throws StateError unless dormant; MismatchError when the PEs differ
   */
  begin(): this {
    noInline(begin, undefined, this);
    return this;
  }

  /** As {@link Conveyor.advance}. */
  advance(done = false): Status {
    if (!this.mayBlock) throw blocks("advance");
    return noInline(this.proceed, this, done);
  }

  /** As {@link Conveyor.beginAsync}. */
  async beginAsync(): Promise<this> {
    await beginAsync(this);
    return this;
  }

  /** As {@link Conveyor.advanceAsync}. */
  advanceAsync(done = false): Promise<Status> {
    return advanceAsync(this, done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    noInline(this.endSession, this);
  }

  /** As {@link Conveyor.send}; the value is serialized once. */
  send(dest: number, value: V): void {
    if (!this.mayBlock) throw blocks("send", "advanceAsync()");
    if (arguments.length !== 2) wrongCount("send", arguments.length);
    try {
      this.pushAfter(dest, value, () => void this.proceed(false));
    } catch (error) {
      throw renamed(error, "send");
    }
  }

  /** As {@link Conveyor.take}. */
  take(done = false): boolean {
    return takeFrom(this, done, "advanceAsync()");
  }

  /**
   * As {@link Conveyor.run}; the sink takes the value as {@link value}. A value is serialized once, also if its push waits.
   * @param options none: the session ends when all sources have returned @throws UsageError for any; also what `serialize` and `deserialize` throw; the session then ends with that error at every PE
   */
  run(
    source: Source<(dest: number, value: V) => void>,
    sink: (value: V, from: number) => AtOnce,
    options?: undefined,
  ): void {
    checkBlocking(this, "run", "advanceAsync()");
    if (isQuiet(options)) throw noQuiet();
    checkRun(source, sink, INSTEAD.elastic);
    this.rehearse();
    const wait = (): void => this.#room.wait();
    const c = this;
    function send(dest: number, value: V): void {
      if (arguments.length !== 2) wrongCount("push", arguments.length);
      c.pushAfter(dest, value, wait);
    }
    const hand = (): void => {
      while (this.pull()) {
        const returned = sink(this.value, this.from);
        if (returned === PUT_BACK) {
          this.unpull();
          return;
        }
        refusePromise(returned, "run: the sink", INSTEAD.elastic);
      }
    };
    runSession(this, source, this.#room, send, hand, INSTEAD.elastic);
  }
}
