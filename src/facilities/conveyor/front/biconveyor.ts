/** Biconveyors whose collective calls block the thread, for PEs that are worker threads; see conveyor.ts. */

import { StateError, UsageError } from "../../../ground/base/errors.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ItemArguments, Pushes } from "../../../ground/item/arguments.ts";
import { arrayInWords, type Columns } from "../../../ground/item/columns.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import { checkBlocking } from "../../../ground/wait/blocking.ts";
import type { Status } from "../../../links/status/state.ts";
import type { ElasticBiBelt } from "../belts/elastic-bi.ts";
import { copyOf, type RigidBiBelt } from "../belts/rigid-bi.ts";
import { INSTEAD, refuseReturned } from "../codegen/returned.ts";
import type { AnySend } from "../codegen/run-code.ts";
import { wrongCount } from "../engine/refusal.ts";
import { ElasticBiFace, RigidBiFace } from "../faces/bi.ts";
import { runAsyncSession } from "./async-session.ts";
import { advance, takeFrom } from "./blocking.ts";
import { advanceAsync, beginAsync, EventLoopDriver } from "./event-loop-driver.ts";
import { PendingRequests } from "./pending-requests.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

/** Makes the face of a belt. */
export let newBiconveyor: <Q extends ItemType, R extends ItemType>(belt: RigidBiBelt<Q, R>) => Biconveyor<Q, R>;

/** A conveyor of queries and replies, as seen by one PE. See docs/contract.md. */
export class Biconveyor<Q extends ItemType = ItemType, R extends ItemType = ItemType> extends RigidBiFace<Q, R> {
  static {
    newBiconveyor = (belt) => belt.face(Biconveyor);
  }

  readonly #belt: RigidBiBelt<Q, R>;
  readonly #room = new Room();
  #send: AnySend | null = null;
  #pendingRequests: PendingRequests | null = null;

  private constructor(belt: RigidBiBelt<Q, R>) {
    super(belt);
    this.#belt = belt;
  }

  /** As {@link Conveyor.begin}. */
  begin(): this {
    this.#belt.begin();
    return this;
  }

  /**
   * As {@link Conveyor.advance}; it also answers received queries. NEAR: only replies are left to pull.
   * @param done this PE pushes no more queries
   */
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
    this.#belt.endSession();
  }

  /** As {@link Conveyor.take}: waits for the next reply. */
  take(done = false): boolean {
    return takeFrom(this.#belt, done, "runAsync()");
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
  run(source: Source<Pushes<Q, void>>, sink: (reply: ItemValue<R>, query: number) => AtOnce): void {
    const belt = this.#belt;
    checkBlocking(belt, "run");
    checkRun(source, sink, INSTEAD.biconveyor);
    this.#send ??= belt.sender(this.#room);
    const send = this.#send as Parameters<typeof source>[0];
    let pulled = 0;
    const hand = (): void => {
      // a local copy: the captured number is in memory
      let query = pulled;
      while (belt.pull()) {
        const returned = sink(belt.item, query++);
        if (returned !== undefined) refuseReturned(returned, "run: the sink", INSTEAD.biconveyor);
      }
      pulled = query;
    };
    runSession(belt, source, this.#room, send, hand, INSTEAD.biconveyor);
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
    const belt = this.#belt;
    const loopDriver = new EventLoopDriver(belt);
    await loopDriver.begin();
    const { reply } = belt.items;
    const pendingRequests = new PendingRequests(belt as never, loopDriver, (value) => copyOf(reply, value));
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
    const { query, reply } = this.#belt.items;
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

/** Makes the face of a belt. */
export let newElasticBiconveyor: (belt: ElasticBiBelt) => ElasticBiconveyor;

/** A conveyor of queries and replies of any length, as seen by one PE. See docs/contract.md. */
export class ElasticBiconveyor extends ElasticBiFace {
  static {
    newElasticBiconveyor = (belt) => new ElasticBiconveyor(belt);
  }

  readonly #belt: ElasticBiBelt;
  readonly #room = new Room();

  private constructor(belt: ElasticBiBelt) {
    super(belt);
    this.#belt = belt;
  }

  /** As {@link Conveyor.begin}. */
  begin(): this {
    this.#belt.begin();
    return this;
  }

  /** As {@link Biconveyor.advance}. */
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
    this.#belt.endSession();
  }

  /** As {@link Conveyor.take}: waits for the next reply. */
  take(done = false): boolean {
    return takeFrom(this.#belt, done, "advanceAsync()");
  }

  /** As {@link Biconveyor.run}. */
  run(
    source: Source<(dest: number, bytes: Uint8Array) => void>,
    sink: (reply: Uint8Array, query: number) => AtOnce,
  ): void {
    const belt = this.#belt;
    checkBlocking(belt, "run", "advanceAsync()");
    checkRun(source, sink, INSTEAD.elastic);
    const room = this.#room;
    function send(dest: number, bytes: Uint8Array): void {
      if (arguments.length !== 2) wrongCount("push", arguments.length);
      while (!belt.push(dest, bytes)) room.wait();
    }
    let query = 0;
    const hand = (): void => {
      while (belt.pull()) refuseReturned(sink(belt.bytes, query++), "run: the sink", INSTEAD.elastic);
    };
    runSession(belt, source, this.#room, send, hand, INSTEAD.elastic);
  }
}
