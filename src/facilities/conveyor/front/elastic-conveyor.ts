/** Conveyors of items of any length whose collective calls block the thread, for PEs that are worker threads; see conveyor.ts. */

import { noInline } from "../../../ground/base/no-inline.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { blocks, checkBlocking } from "../../../ground/wait/blocking.ts";
import type { Status } from "../../../links/status/state.ts";
import { ElasticBelt } from "../belts/elastic.ts";
import type { Pushing } from "../codegen/parts.ts";
import { renamed, wrongCount } from "../engine/refusal.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "../engine/returned.ts";
import type { Session } from "../engine/session.ts";
import { begin, takeFrom } from "./blocking.ts";
import { advanceAsync, beginAsync } from "./event-loop-driver.ts";
import { checkQuietRun, isQuiet, QuietSession, type RunOptions, runQuietly } from "./quiet-session.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

/** A conveyor of items of any length, as seen by one PE. See docs/contract.md. */
export class ElasticConveyor extends ElasticBelt {
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

  /** As {@link Conveyor.send}. */
  send(dest: number, bytes: Uint8Array): void {
    if (!this.mayBlock) throw blocks("send", "advanceAsync()");
    if (arguments.length !== 2) wrongCount("send", arguments.length);
    try {
      while (!this.push(dest, bytes)) this.proceed(false);
    } catch (error) {
      throw renamed(error, "send");
    }
  }

  /** As {@link Conveyor.take}. */
  take(done = false): boolean {
    return takeFrom(this, done, "advanceAsync()");
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
    const isQuietRun = isQuiet(options);
    checkBlocking(this, "run", isQuietRun ? "calls(pe, …).runAsync(…)" : "advanceAsync()");
    if (isQuietRun) {
      checkQuietRun(this, source, sink, INSTEAD.elastic);
      this.rehearse();
      const quiet = new QuietSession(this as Session & Pushing, null);
      const rest = quiet.restIn(this.#room, "run: send");
      const c = this;
      function send(dest: number, bytes: Uint8Array): void {
        if (arguments.length !== 2) wrongCount("push", arguments.length);
        if (!(quiet.isClear && c.push(dest, bytes))) rest(dest, [bytes]);
      }
      const take = (bytes: Uint8Array, from: number) => sink(bytes, from, send as never);
      runQuietly(quiet, source, this.#room, send, () => this.#handTo(take), INSTEAD.elastic);
      return;
    }
    checkRun(source, sink, INSTEAD.elastic);
    this.rehearse();
    const c = this;
    const room = this.#room;
    function send(dest: number, bytes: Uint8Array): void {
      if (arguments.length !== 2) wrongCount("push", arguments.length);
      while (!c.push(dest, bytes)) room.wait();
    }
    const take = sink as (bytes: Uint8Array, from: number) => unknown;
    runSession(this, source, this.#room, send, () => this.#handTo(take), INSTEAD.elastic);
  }

  #handTo(sink: (bytes: Uint8Array, from: number) => unknown): void {
    while (this.pull()) {
      const returned = sink(this.bytes, this.from);
      if (returned === PUT_BACK) {
        this.unpull();
        return;
      }
      refusePromise(returned, "run: the sink", INSTEAD.elastic);
    }
  }
}
