/**
 * Conveyors of items of any length whose collective calls block the thread, for PEs that are worker threads; see
 * conveyor.ts.
 */

import { noInline } from "../../../ground/base/for-v8.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { blocks, checkBlocking } from "../../../ground/wait/blocking.ts";
import type { Status } from "../../../links/status/state.ts";
import type { ElasticBelt } from "../belts/elastic.ts";
import type { Pushing } from "../codegen/parts.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "../codegen/returned.ts";
import { renamed, wrongCount } from "../engine/refusal.ts";
import { ElasticFace } from "../faces/packets.ts";
import { advance, takeFrom } from "./blocking.ts";
import { advanceAsync, beginAsync } from "./event-loop-driver.ts";
import { checkQuietRun, isQuiet, QuietSession, type RunOptions, runQuietly } from "./quiet-session.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

/** Makes the face of a belt. */
export let newElasticConveyor: (belt: ElasticBelt) => ElasticConveyor;

/** A conveyor of items of any length, as seen by one PE. See docs/contract.md. */
export class ElasticConveyor extends ElasticFace {
  static {
    newElasticConveyor = (belt) => new ElasticConveyor(belt);
  }

  readonly #belt: ElasticBelt;
  readonly #room = new Room();

  private constructor(belt: ElasticBelt) {
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

  /** As {@link Conveyor.send}. */
  send(dest: number, bytes: Uint8Array): void {
    const belt = this.#belt;
    if (!belt.mayBlock) throw blocks("send", "advanceAsync()");
    if (arguments.length !== 2) wrongCount("send", arguments.length);
    try {
      while (!belt.push(dest, bytes)) belt.proceed(false);
    } catch (error) {
      throw renamed(error, "send");
    }
  }

  /** As {@link Conveyor.take}. */
  take(done = false): boolean {
    return takeFrom(this.#belt, done, "advanceAsync()");
  }

  /** As {@link Conveyor.run}; the sink takes the bytes as {@link bytes}. */
  run(
    source: Source<(dest: number, bytes: Uint8Array) => void>,
    sink: (bytes: Uint8Array, from: number) => AtOnce,
    options?: { readonly ends?: "done" | undefined },
  ): void;
  /** As {@link Conveyor.run} with `ends`: the sink sends further items, until nothing is under way. */
  run(
    source: Source<(dest: number, bytes: Uint8Array) => void>,
    sink: (bytes: Uint8Array, from: number, send: (dest: number, bytes: Uint8Array) => void) => AtOnce,
    options: { readonly ends: "quiescence" },
  ): void;
  run(
    source: Source<(dest: number, bytes: Uint8Array) => void>,
    sink: (bytes: Uint8Array, from: number, send: never) => AtOnce,
    options?: RunOptions,
  ): void {
    const belt = this.#belt;
    const isQuietRun = isQuiet(options);
    checkBlocking(belt, "run", isQuietRun ? "calls(pe, …).runAsync(…)" : "advanceAsync()");
    if (isQuietRun) {
      checkQuietRun(belt, source, sink, INSTEAD.elastic);
      belt.rehearse();
      const quiet = new QuietSession(belt as typeof belt & Pushing, null);
      const rest = quiet.restIn(this.#room, "run: send");
      function send(dest: number, bytes: Uint8Array): void {
        if (arguments.length !== 2) wrongCount("push", arguments.length);
        if (!(quiet.isClear && belt.push(dest, bytes))) rest(dest, [bytes]);
      }
      const take = (bytes: Uint8Array, from: number) => sink(bytes, from, send as never);
      runQuietly(quiet, source, this.#room, send, () => this.#handTo(take), INSTEAD.elastic);
      return;
    }
    checkRun(source, sink, INSTEAD.elastic);
    belt.rehearse();
    const room = this.#room;
    function send(dest: number, bytes: Uint8Array): void {
      if (arguments.length !== 2) wrongCount("push", arguments.length);
      while (!belt.push(dest, bytes)) room.wait();
    }
    const take = sink as (bytes: Uint8Array, from: number) => unknown;
    runSession(belt, source, this.#room, send, () => this.#handTo(take), INSTEAD.elastic);
  }

  #handTo(sink: (bytes: Uint8Array, from: number) => unknown): void {
    const belt = this.#belt;
    while (belt.pull()) {
      const returned = sink(belt.bytes, belt.from);
      if (returned === PUT_BACK) {
        belt.unpull();
        return;
      }
      refusePromise(returned, "run: the sink", INSTEAD.elastic);
    }
  }
}
