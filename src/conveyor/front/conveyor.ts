/**
 * Conveyors whose collective calls block the thread, for PEs that are worker threads. The rest is in the belts, which
 * the virtual machine uses as well (src/simulate/conveyors.ts).
 */

import { StateError, UsageError } from "../../base/errors.ts";
import { noInline } from "../../base/no-inline.ts";
import { shortText } from "../../base/short-text.ts";
import { arrayInWords, type Columns } from "../../item/columns.ts";
import type { ItemArguments, ItemType, ItemValue } from "../../item/types.ts";
import { DONE, type Status } from "../../status/state.ts";
import type { Batch } from "../belts/batch.ts";
import { ElasticBelt } from "../belts/elastic.ts";
import { ElasticBiBelt } from "../belts/elastic-bi.ts";
import { RigidBelt } from "../belts/rigid.ts";
import { copyOf, RigidBiBelt } from "../belts/rigid-bi.ts";
import type { AnyPush } from "../codegen/code.ts";
import { type AnySend, sendCode, sendToCode } from "../codegen/run-code.ts";
import { INSTEAD, PUT_BACK, refusePromise, refuseReturned } from "../engine/returned.ts";
import type { Session, Waiting } from "../engine/session.ts";
import { type AsyncSource, batchesOf, runAsyncSession } from "./async-session.ts";
import { EventLoopDriver } from "./event-loop-driver.ts";
import { PendingRequests } from "./pending-requests.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

/** Pulls, and advances until a pull succeeds or the session is complete. */
function takeFrom(c: { pull(): boolean; proceed(done: boolean): Status }, done: boolean): boolean {
  while (!c.pull()) if (c.proceed(done) === DONE) return false;
  return true;
}

/** Runs a wait to its end. */
function run(waiting: Waiting): void {
  while (!waiting.next().done);
}

/** The same for the begin and the reset of one session, which most programs call often, without a generator. */
function begin(session: Session, item?: ItemType): void {
  session.startBegin(true, item);
  while (!session.turnBegin());
}

function reset(session: Session): void {
  session.startReset();
  while (!session.turnReset());
}

/** A push that waits, and the push that it calls. */
interface Sender {
  readonly push: unknown;
  readonly send: AnySend;
}
const NO_SENDER: Sender = { push: null, send: () => {} };

/** A conveyor of items of one type, as seen by one PE. See docs/contract.md. */
export class Conveyor<I extends ItemType = ItemType> extends RigidBelt<I> {
  readonly #room = new Room();
  readonly #patience = { wait: (): unknown => this.proceed(false) };
  #send: Sender = NO_SENDER;
  #runSend: Sender = NO_SENDER;

  /**
   * Begins a session with items of the same type as before; waits until all PEs have begun. Collective.
   * @throws StateError unless dormant; MismatchError when the PEs differ
   */
  begin(): this;
  /**
   * Begins a session with another item type.
   * @param item the type, the same at all PEs; the conveyor is returned with it
   * @throws as without `item`; OverflowError for items larger than a buffer
   */
  begin<J extends ItemType>(item: J): Conveyor<J>;
  begin(item?: ItemType): unknown {
    begin(this, item);
    return this;
  }

  /**
   * Makes progress and returns the state of this PE: {@link OK}, {@link NEAR}, or {@link DONE}, which is falsy.
   *
   * It waits for no PE. If no conveyor of this PE has work, it spins for a while, then yields the core, then sleeps for
   * up to a millisecond.
   * @param done this PE pushes nothing more in this session; it stays true for later calls
   * @throws StateError before begin; the error that ended the world; TimeoutError, AbortedError (then at all PEs)
   */
  advance(done = false): Status {
    return noInline(this.proceed, this, done);
  }

  /**
   * Ends a complete session: waits until all PEs have called it; the conveyor is then dormant. Collective. Has no
   * effect when dormant.
   * @throws StateError before advance has returned DONE
   */
  reset(): void {
    reset(this);
  }

  /**
   * Pushes an item, and waits until there is room. It does not pull received items meanwhile: if all PEs send and none
   * pulls, all wait until a timeout. {@link run} avoids this.
   * @throws as push and advance
   */
  get send(): (dest: number, ...values: ItemArguments<I>) => void {
    this.#send = this.#sender(this.#send, this.#patience);
    return this.#send.send as never;
  }

  /**
   * Pulls the next item, and waits until there is one.
   * @param done this PE pushes nothing more, as for {@link advance}. @default false
   * @returns false when the session is complete: no more items will arrive
   * @throws as pull and advance
   */
  take(done = false): boolean {
    return takeFrom(this, done);
  }

  /**
   * Runs a whole session: begin, push, pull, advance and reset. Collective.
   *
   *     c.run(
   *       (push) => { for (const index of indices) push(index % pe.size, Math.floor(index / pe.size)); },
   *       (slot) => { counts[slot]++; },
   *     );
   *
   * @param source pushes all items; its push waits for room, and meanwhile received items are passed to the sink
   * @param sink takes an item (a struct as the view {@link item}) and the rank of its sender. If it returns
   *   {@link PUT_BACK}, the item is put back and delivered again. It may call {@link push}, which does not wait, as
   *   long as the source has not returned
   * @throws StateError unless dormant; UsageError if one of them is async or returns a promise; what the source and the
   *   sink throw (the session then ends with that error at every PE); as {@link advance}
   */
  run(
    source: Source<(dest: number, ...values: ItemArguments<I>) => void>,
    sink: (item: ItemValue<I>, from: number) => unknown,
  ): void {
    checkRun(source, sink, INSTEAD.conveyor);
    this.rehearse();
    this.#runSend = this.#sender(this.#runSend, this.#room);
    const send = this.#runSend.send as Parameters<typeof source>[0];
    const drain = this.userDrain;
    const hand = (): void => {
      if (!drain(sink as never)) this.unpull();
    };
    runSession(this, source, this.#room, send, hand, INSTEAD.conveyor);
  }

  /** The push that waits in a room; it is made anew only when push has changed. */
  #sender(before: Sender, room: { wait(): unknown }): Sender {
    const push = this.push as AnyPush;
    return before.push === push ? before : { push, send: sendCode(this.arity, push, room) };
  }

  /**
   * Runs a whole session for asynchronous programs: begin, push, pull, advance and reset, without blocking the thread.
   * Collective.
   *
   *     for await (const { columns, from } of c.batches(async (push) => {
   *       for await (const row of rows) await push(ownerOf(row), row.key, row.value);
   *     })) add(columns.key, columns.value);
   *
   * Progress is made while the loop waits for the next batch; while its body awaits something else, the other PEs wait.
   * A loop that is left early discards the remaining items of this PE, and waits for the end of the session.
   * @param source pushes all items; its push returns a promise if there is no room; await it before the next push.
   *   @default nothing is pushed
   * @throws StateError unless dormant; what the source throws (the session then ends with that error at every PE); as
   *   {@link advance}
   */
  batches(
    source: AsyncSource<(dest: number, ...values: ItemArguments<I>) => Promise<void> | undefined> = () => {},
  ): AsyncGenerator<Batch<I>, void, void> {
    if (typeof source !== "function") {
      throw new UsageError(`batches: expected a function (push) => { … }, got ${shortText(source)}`);
    }
    this.rehearse();
    const loopDriver = new EventLoopDriver(this);
    const push = this.push as AnyPush;
    const send = sendToCode(this.arity, loopDriver, push, (dest, values) =>
      loopDriver.push("push", () => push(dest, ...values)),
    ) as Parameters<typeof source>[0];
    return batchesOf<Batch<I>>(
      loopDriver,
      () => source(send),
      () => this.pullAll(),
      () => this.refill(),
    );
  }
}

/** A conveyor of items of any length, as seen by one PE. See docs/contract.md. */
export class ElasticConveyor extends ElasticBelt {
  readonly #room = new Room();

  /**
   * Begins a session; waits until all PEs have begun. Collective.
   * @throws StateError unless dormant; MismatchError when the PEs differ
   */
  begin(): this {
    begin(this);
    return this;
  }

  /** As {@link Conveyor.advance}. */
  advance(done = false): Status {
    return noInline(this.proceed, this, done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    reset(this);
  }

  /** As {@link Conveyor.send}. */
  send(dest: number, bytes: Uint8Array): void {
    while (!this.push(dest, bytes)) this.proceed(false);
  }

  /** As {@link Conveyor.take}. */
  take(done = false): boolean {
    return takeFrom(this, done);
  }

  /** As {@link Conveyor.run}; the sink takes the bytes as {@link bytes}. */
  run(
    source: Source<(dest: number, bytes: Uint8Array) => void>,
    sink: (bytes: Uint8Array, from: number) => unknown,
  ): void {
    checkRun(source, sink, INSTEAD.elastic);
    this.rehearse();
    const send = (dest: number, bytes: Uint8Array) => {
      while (!this.push(dest, bytes)) this.#room.wait();
    };
    const hand = (): void => {
      while (this.pull()) {
        const returned = sink(this.bytes, this.from);
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

/** A conveyor of queries and replies, as seen by one PE. See docs/contract.md. */
export class Biconveyor<Q extends ItemType = ItemType, R extends ItemType = ItemType> extends RigidBiBelt<
  Q,
  R
> {
  readonly #room = new Room();
  #send: AnySend | null = null;
  #pendingRequests: PendingRequests | null = null;

  /** As {@link Conveyor.begin}. */
  begin(): this {
    run(this.beginning());
    return this;
  }

  /**
   * As {@link Conveyor.advance}; it also answers received queries. NEAR: only replies are left to pull.
   * @param done this PE pushes no more queries
   */
  advance(done = false): Status {
    return noInline(this.proceed, this, done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    run(this.resetting());
  }

  /** As {@link Conveyor.take}: waits for the next reply. */
  take(done = false): boolean {
    return takeFrom(this, done);
  }

  /**
   * Runs a whole session, as {@link Conveyor.run}. Collective.
   *
   *     c.run(
   *       (push) => { for (const index of indices) push(index % pe.size, Math.floor(index / pe.size)); },
   *       (value, i) => { got[i] = value; },
   *     );
   *
   * @param sink takes a reply and the index of its query, 0 for the first one pushed here; it cannot put a reply back
   * @throws as there; UsageError also if the sink returns {@link PUT_BACK}
   */
  run(
    source: Source<(dest: number, ...values: ItemArguments<Q>) => void>,
    sink: (reply: ItemValue<R>, query: number) => unknown,
  ): void {
    checkRun(source, sink, INSTEAD.biconveyor);
    this.#send ??= sendCode(this.arity, this.push as AnyPush, this.#room);
    const send = this.#send as Parameters<typeof source>[0];
    const { pull } = this;
    let pulled = 0;
    const hand = (): void => {
      // a local copy: the captured number is in memory
      let query = pulled;
      while (pull()) {
        const returned = sink(this.item, query++);
        if (returned !== undefined) refuseReturned(returned, "run: the sink", INSTEAD.biconveyor);
      }
      pulled = query;
    };
    runSession(this, source, this.#room, send, hand, INSTEAD.biconveyor);
  }

  /**
   * Runs a whole session for asynchronous programs: begins, answers the other PEs' queries while `body` runs and until
   * no PE asks any more, and ends. Collective; it does not block the thread.
   *
   *     const values = await c.runAsync(() => c.askAll(dests, indices));
   *
   * @param body asks by {@link ask} and {@link askAll}
   * @returns what `body` returns
   * @throws StateError unless dormant; what `body` throws (the session then ends with that error at every PE); as
   *   {@link advance}
   */
  async runAsync<T>(body: () => T | Promise<T>): Promise<T> {
    if (typeof body !== "function") {
      throw new UsageError(`runAsync: expected a function, got ${shortText(body)}`);
    }
    const loopDriver = new EventLoopDriver(this);
    await loopDriver.begin();
    const pendingRequests = new PendingRequests(this as never, loopDriver, (reply) =>
      copyOf(this.items.reply, reply),
    );
    this.#pendingRequests = pendingRequests;
    try {
      return await runAsyncSession(
        loopDriver,
        body,
        () => pendingRequests.answer(),
        () => pendingRequests.isOwed,
      );
    } finally {
      this.#pendingRequests = null;
    }
  }

  /**
   * Asks PE `dest`, inside {@link runAsync}; arguments as for push. The reply is a copy.
   * @returns a promise for the reply. It is rejected with what push would throw. If the session ends early, it is never
   *   settled, and runAsync throws the error
   */
  ask(dest: number, ...values: ItemArguments<Q>): Promise<ItemValue<R>> {
    return this.#requesting("ask").one(dest, values as readonly unknown[]) as Promise<ItemValue<R>>;
  }

  /**
   * Asks many queries at once, inside {@link runAsync}: query i is for PE `dests[i]`; its fields are the elements i of
   * the columns. Do not change the arrays until the promise is settled: they are read when there is room.
   * @returns a promise for the replies as columns; reply i is element i
   * @throws UsageError for invalid columns; StateError outside runAsync
   */
  askAll(dests: Uint32Array, columns: Columns<Q>): Promise<Columns<R>> {
    const { query, reply } = this.items;
    if (!(dests instanceof Uint32Array)) {
      throw new UsageError(`askAll: dests: expected a Uint32Array of ranks, got ${arrayInWords(dests)}`);
    }
    return this.#requesting("askAll").many(dests, query, columns, reply) as Promise<Columns<R>>;
  }

  #requesting(call: string): PendingRequests {
    if (this.#pendingRequests !== null) return this.#pendingRequests;
    throw new StateError(`${call}: call it inside the function passed to runAsync.`);
  }
}

/** A conveyor of queries and replies of any length, as seen by one PE. See docs/contract.md. */
export class ElasticBiconveyor extends ElasticBiBelt {
  readonly #room = new Room();

  /** As {@link Conveyor.begin}. */
  begin(): this {
    run(this.beginning());
    return this;
  }

  /** As {@link Biconveyor.advance}. */
  advance(done = false): Status {
    return noInline(this.proceed, this, done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    run(this.resetting());
  }

  /** As {@link Conveyor.take}: waits for the next reply. */
  take(done = false): boolean {
    return takeFrom(this, done);
  }

  /** As {@link Biconveyor.run}. */
  run(
    source: Source<(dest: number, bytes: Uint8Array) => void>,
    sink: (reply: Uint8Array, query: number) => unknown,
  ): void {
    checkRun(source, sink, INSTEAD.elastic);
    const send = (dest: number, bytes: Uint8Array) => {
      while (!this.push(dest, bytes)) this.#room.wait();
    };
    let query = 0;
    const hand = (): void => {
      while (this.pull()) refuseReturned(sink(this.bytes, query++), "run: the sink", INSTEAD.elastic);
    };
    runSession(this, source, this.#room, send, hand, INSTEAD.elastic);
  }
}
