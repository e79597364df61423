/** Calls: handlers that PEs call at each other, without a known end. See docs/selectors.md, Calls. */

import { StateError, UsageError } from "../../ground/base/errors.ts";
import { unknownName } from "../../ground/base/names.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import type { ElasticBelt } from "../conveyor/belts/elastic.ts";
import type { Pushing } from "../conveyor/codegen/parts.ts";
import { INSTEAD, refuseReturned } from "../conveyor/codegen/returned.ts";
import type { Gate, Rest } from "../conveyor/codegen/run-code.ts";
import { type AsyncSource, runAsyncSession } from "../conveyor/front/async-session.ts";
import { EventLoopDriver, LoopGate } from "../conveyor/front/event-loop-driver.ts";
import { QuietSession, runQuietly } from "../conveyor/front/quiet-session.ts";
import { checkRun, Room, type Source } from "../conveyor/front/run.ts";
import { type CallSender, type HandlerEntry, type Reader, readerOf, senderOf } from "./codec.ts";
import type { Call, CallAsync, CallHandlers, CallsStats } from "./handlers.ts";

/** Makes calls over a belt. */
export let newCalls: <H extends CallHandlers>(belt: ElasticBelt, entries: readonly HandlerEntry[]) => Calls<H>;

/** Calls among PEs, as seen by one of them. */
export class Calls<H extends CallHandlers = CallHandlers> {
  static {
    newCalls = (belt, entries) => new Calls(belt, entries);
  }

  /** This PE's rank among the PEs of the calls. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /**
   * Calls a handler at PE `dest`, once: `calls.async(dest, "visit", vertex, distance)`. In the source it waits for
   * room, and meanwhile received calls are handled. In a handler it never waits: calls without room are stored in
   * memory and go before later ones. The calls that one PE makes to another are handled in order, whatever their
   * handlers.
   *
   * It throws a UsageError for an unknown handler and for arguments that do not fit, or cannot be serialized; a
   * RankRangeError; an OverflowError for arguments larger than the heap's room; a StateError outside {@link run}; in
   * the source also what the handlers throw, and the error that ends the session.
   */
  readonly async: Call<H>;
  readonly #belt: ElasticBelt;
  readonly #quiet: QuietSession;
  readonly #room = new Room();
  readonly #entries: readonly HandlerEntry[];
  /** By number of a handler. */
  readonly #readers: readonly Reader[];

  private constructor(belt: ElasticBelt, entries: readonly HandlerEntry[]) {
    this.#belt = belt;
    this.#entries = entries;
    this.rank = belt.rank;
    this.size = belt.size;
    this.#quiet = new QuietSession(belt, null);
    this.#readers = entries.map((entry) => readerOf(entry, belt.machinery.site.views));
    this.async = this.#calls(this.#quiet, this.#quiet.restIn(this.#room, "async")) as Call<H>;
  }

  /** The PE that has made the call that is handled now, or was handled last. */
  get from(): number {
    return this.#belt.from;
  }

  /**
   * Runs a whole session: the source calls; handlers call in turn, until every source has returned and no call is under
   * way at any PE. Collective. It blocks the thread.
   *
   *     const table = calls(pe, {
   *       visit(vertex: number, distance: number) {
   *         if (distance >= best[vertex]) return;
   *         best[vertex] = distance;
   *         for (const next of neighbours(vertex)) table.async(ownerOf(next), "visit", next, distance + 1);
   *       },
   *     });
   *     table.run((call) => { if (pe.rank === ownerOf(root)) call(pe.rank, "visit", root, 0); });
   *
   * @param source makes calls, and returns. Its `turn` handles received calls while it waits for something else.
   *   @default none
   * @throws StateError unless dormant; UsageError for an argument that is not a function, and if the source or a
   *   handler returns a promise; what the source and the handlers throw (the session then ends with that error at every
   *   PE); as {@link Conveyor.advance}
   */
  run(source: Source<Call<H>> = () => {}): void {
    checkBlocking(this.#belt, "run");
    checkRun(source, this.async, INSTEAD.calls);
    this.#belt.rehearse();
    runQuietly(this.#quiet, source, this.#room, this.async, () => this.#handle(), INSTEAD.calls);
  }

  /**
   * As {@link run}, without blocking the thread.
   *
   *     await calls.runAsync(async (call) => { for await (const row of rows) await call(ownerOf(row), "add", row); });
   *
   * @param source its call returns a promise if there is no room; await it before the next call. @default none
   * @throws as run
   */
  async runAsync(source: AsyncSource<CallAsync<H>> = () => {}): Promise<void> {
    if (typeof source !== "function") {
      throw new UsageError(`runAsync: expected a function async (call) => { … }, got ${shortText(source)}`);
    }
    this.#belt.rehearse();
    const quiet = this.#quiet;
    const loopDriver = new EventLoopDriver(quiet);
    this.#room.wait = mustAwait;
    try {
      await loopDriver.begin();
      const call = this.#calls(new LoopGate(quiet, loopDriver), this.#queue(loopDriver)) as CallAsync<H>;
      const body = async (): Promise<void> => {
        await source(call);
      };
      await runAsyncSession(loopDriver, body, () => quiet.handBy(() => this.#handle()));
    } finally {
      quiet.close();
    }
  }

  /** This PE's counts. */
  stats(): CallsStats {
    return { ...this.#belt.stats(), held: this.#quiet.backlog.most };
  }

  /**
   * Frees the memory. The heap gets it back when all PEs have freed it.
   * @throws StateError in the middle of a session
   */
  free(): void {
    this.#belt.free();
  }

  /**
   * As {@link free}. In the middle of a session it does nothing, and the memory stays allocated until the world ends.
   */
  [Symbol.dispose](): void {
    this.#belt[Symbol.dispose]();
  }

  /** Handles the calls that have come. */
  #handle(): void {
    const belt = this.#belt;
    const { u8 } = belt.machinery.site.views;
    while (belt.pull()) {
      const at = belt.place;
      const length = belt.byteLength - 1;
      const number = u8[at + length];
      const returned = (this.#readers[number] as Reader)(at, length);
      if (returned === undefined) continue;
      refuseReturned(returned, `the handler ${(this.#entries[number] as HandlerEntry).name}`, INSTEAD.calls);
    }
  }

  /** What makes calls. */
  #calls(gate: Gate, rest: Rest): unknown {
    const belt = this.#belt as Pushing;
    const names = this.#entries.map(({ name }) => name);
    const senders = new Map<unknown, CallSender>();
    for (const entry of this.#entries) senders.set(entry.name, senderOf(entry, gate, belt, rest));
    return (dest: number, name: string, ...args: readonly unknown[]): unknown => {
      const send = senders.get(name);
      if (send === undefined) throw new UsageError(`async: ${unknownName("handler", name, names)}`);
      return send(dest, ...args);
    };
  }

  #queue(loopDriver: EventLoopDriver): Rest {
    const quiet = this.#quiet;
    const belt = this.#belt as Pushing;
    return (dest, values) => {
      quiet.checkSending("async");
      if (quiet.isHanding) {
        quiet.hold(dest, values);
        return undefined;
      }
      return loopDriver.push("async", () => quiet.isClear && belt.push(dest, ...values));
    };
  }
}

function mustAwait(): never {
  throw new StateError("async: an asynchronous source must call by its argument: await call(dest, name, …).");
}
