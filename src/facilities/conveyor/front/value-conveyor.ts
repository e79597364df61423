/** Conveyors of values whose collective calls block the thread, for PEs that are worker threads (conveyor.ts). */

import { UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/for-v8.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { blocks, checkBlocking } from "../../../ground/wait/blocking.ts";
import type { Status } from "../../../links/status/state.ts";
import type { ValueBelt } from "../belts/values.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "../codegen/returned.ts";
import { renamed, wrongCount } from "../engine/refusal.ts";
import { ValueFace } from "../faces/packets.ts";
import { advance, takeFrom } from "./blocking.ts";
import { advanceAsync, beginAsync } from "./event-loop-driver.ts";
import { isQuiet } from "./quiet-session.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

const noQuiet = (): UsageError =>
  new UsageError(
    'run: ends: "quiescence" is for conveyors of items, a selector and calls; a value conveyor ends when all sources have returned. Leave it out.',
  );

/** Makes the face of a belt. */
export let newValueConveyor: <V>(belt: ValueBelt<V>) => ValueConveyor<V>;

/** A conveyor of values, as seen by one PE. See docs/conveyors.md. @typeParam V the type of the values */
export class ValueConveyor<V = unknown> extends ValueFace<V> {
  static {
    newValueConveyor = (belt) => new ValueConveyor(belt);
  }

  readonly #belt: ValueBelt<V>;
  readonly #room = new Room();

  private constructor(belt: ValueBelt<V>) {
    super(belt);
    this.#belt = belt;
  }

  /**
   * As {@link Conveyor.begin}.
   * @throws StateError unless dormant; MismatchError when the PEs differ
   */
  begin(): this {
    const belt = this.#belt;
    noInline(belt.begin, belt);
    return this;
  }

  /** As {@link Conveyor.advance}. */
  advance(done = false): Status {
    return advance(this.#belt, done);
  }

  /** As {@link Conveyor.beginAsync}. */
  async beginAsync(): Promise<this> {
    await beginAsync(this.#belt);
    return this;
  }

  /** As {@link Conveyor.advanceAsync}. */
  advanceAsync(done = false): Promise<Status> {
    return advanceAsync(this.#belt, done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    const belt = this.#belt;
    noInline(belt.endSession, belt);
  }

  /** As {@link Conveyor.send}; the value is serialized once. */
  send(dest: number, value: V): void {
    const belt = this.#belt;
    if (!belt.mayBlock) throw blocks("send", "advanceAsync()");
    if (arguments.length !== 2) wrongCount("send", arguments.length);
    try {
      belt.pushAfter(dest, value, () => void belt.proceed(false));
    } catch (error) {
      throw renamed(error, "send");
    }
  }

  /** As {@link Conveyor.take}. */
  take(done = false): boolean {
    return takeFrom(this.#belt, done, "advanceAsync()");
  }

  /**
   * As {@link Conveyor.run}; the sink takes the value as {@link value}. A value is serialized once, also if its push
   * waits.
   * @param options none: the session ends when all sources have returned
   * @throws UsageError for any; also what `serialize` and `deserialize` throw; the session then ends with that error at
   *   every PE
   */
  run(
    source: Source<(dest: number, value: V) => void>,
    sink: (value: V, from: number) => AtOnce,
    options?: undefined,
  ): void {
    const belt = this.#belt;
    checkBlocking(belt, "run", "advanceAsync()");
    if (isQuiet(options)) throw noQuiet();
    checkRun(source, sink, INSTEAD.elastic);
    belt.rehearse();
    const wait = (): void => this.#room.wait();
    function send(dest: number, value: V): void {
      if (arguments.length !== 2) wrongCount("push", arguments.length);
      belt.pushAfter(dest, value, wait);
    }
    const hand = (): void => {
      while (belt.pull()) {
        const returned = sink(belt.value, belt.from);
        if (returned === PUT_BACK) {
          belt.unpull();
          return;
        }
        refusePromise(returned, "run: the sink", INSTEAD.elastic);
      }
    };
    runSession(belt, source, this.#room, send, hand, INSTEAD.elastic);
  }
}
