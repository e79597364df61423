/**
 * Conveyors whose collective calls block the thread, for PEs that are worker threads. The rest is in the faces, which
 * the virtual machine uses as well (src/running/simulate/conveyors.ts).
 */

import { UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/for-v8.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Pushes } from "../../../ground/item/arguments.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import { blocks, checkBlocking } from "../../../ground/wait/blocking.ts";
import type { Status } from "../../../links/status/state.ts";
import type { TableSink } from "../belts/accumulating.ts";
import type { Batch } from "../belts/batch.ts";
import type { RigidBelt } from "../belts/rigid.ts";
import type { Pushing } from "../codegen/parts.ts";
import { INSTEAD, PUT_BACK } from "../codegen/returned.ts";
import { type AnySend, type SendMaker, sendToCode } from "../codegen/run-code.ts";
import { RigidFace } from "../faces/rigid.ts";
import { type AsyncSource, batchesOf } from "./async-session.ts";
import { advance, takeFrom } from "./blocking.ts";
import { type BatchSink, isBatchSink, isBulk, type PushedColumns, pushingColumns, takingBatches } from "./bulk.ts";
import { runCompiled } from "./compiled-run.ts";
import { advanceAsync, beginAsync, EventLoopDriver } from "./event-loop-driver.ts";
import {
  checkQuietRun,
  isQuiet,
  onlyQuietFunctions,
  QuietSession,
  type RunOptions,
  runQuietly,
} from "./quiet-session.ts";
import { checkRun, Room, runSession, type Source } from "./run.ts";

/** A sink, whatever the items are. */
type AnySink = (item: never, from: number, send: never) => unknown;

/** The loop that takes the place of calls that block, in an async program. */
const LOOP = "for await (… of c.batches(source))";
const QUIET_SELECTOR = 'selector(pe, …, { ends: "quiescence" }).runAsync(…)';

/** A push that waits, and what has made it. */
interface Sending {
  readonly sender: SendMaker | null;
  readonly send: AnySend;
}
const NOT_SENDING: Sending = { sender: null, send: () => {} };

/** Makes the face of a belt. */
export let newConveyor: <I extends ItemType>(belt: RigidBelt<I>) => Conveyor<I>;

/** A conveyor of items of one type, as seen by one PE. See docs/contract.md. */
export class Conveyor<I extends ItemType = ItemType> extends RigidFace<I> {
  static {
    newConveyor = (belt) => belt.face(Conveyor);
  }

  readonly #belt: RigidBelt<I>;
  readonly #room = new Room();
  readonly #patience = { wait: (): unknown => this.#belt.proceed(false) };
  #send: Sending = NOT_SENDING;
  #runSend: Sending = NOT_SENDING;

  private constructor(belt: RigidBelt<I>) {
    super(belt);
    this.#belt = belt;
  }

  /**
   * Begins a session with items of the same type as before. Collective, but it waits for other PEs only where sessions
   * begin with a vote (docs/contract.md, "The begin and the end of a session").
   * @throws StateError unless dormant; MismatchError when the PEs differ, unless advance or pull throws it later
   */
  begin(): this;
  /**
   * Begins a session with another item type.
   * @param item the type, the same at all PEs; the conveyor is returned with it
   * @throws as without `item`; OverflowError for items larger than a buffer
   */
  begin<J extends ItemType>(item: J): Conveyor<J>;
  begin(item?: ItemType): unknown {
    const belt = this.#belt;
    noInline(belt.begin, belt, item);
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
    return advance(this.#belt, done);
  }

  /**
   * As {@link begin}, without blocking: for programs that await, and on virtual PEs (docs/simulate.md). In its session
   * {@link advanceAsync} is called in place of advance.
   * @throws as begin
   */
  beginAsync(): Promise<this>;
  /** As {@link beginAsync}, with another item type. @throws as begin */
  beginAsync<J extends ItemType>(item: J): Promise<Conveyor<J>>;
  async beginAsync(item?: ItemType): Promise<unknown> {
    await beginAsync(this.#belt, item);
    return this;
  }

  /**
   * As {@link advance}, without blocking. It resolves when there was progress, when there is room for a push that found
   * none, or after about a millisecond. Its turn comes later, with others of the event loop: await it before the next
   * call.
   * @throws as advance
   */
  advanceAsync(done = false): Promise<Status> {
    return advanceAsync(this.#belt, done);
  }

  /**
   * Ends a complete session: the conveyor is then dormant at this PE, and may begin the next session. Collective, but
   * it waits for nobody: other PEs may be in the session still. Has no effect when dormant.
   * @throws StateError before advance has returned DONE
   */
  reset(): void {
    const belt = this.#belt;
    noInline(belt.endSession, belt);
  }

  /**
   * Pushes an item, and waits until there is room. It does not pull received items meanwhile: if all PEs send and none
   * pulls, all wait until a timeout. {@link run} avoids this.
   * @throws as push and advance
   */
  get send(): Pushes<I, void> {
    this.#send = this.#sending(this.#send, this.#patience);
    return this.#send.send as never;
  }

  /**
   * Pulls the next item, and waits until there is one.
   * @param done this PE pushes nothing more, as for {@link advance}. @default false
   * @returns false when the session is complete: no more items will arrive
   * @throws as pull and advance
   */
  take(done = false): boolean {
    return takeFrom(this.#belt, done, LOOP);
  }

  /**
   * Runs a whole session: begin, push, pull, advance and reset. Collective.
   *
   *     c.run(
   *       (push) => { for (const index of indices) push(index % pe.size, Math.floor(index / pe.size)); },
   *       (slot) => { counts[slot]++; },
   *     );
   *
   * Items that are columns, or are wanted as such, cost no call each, also the first time:
   *
   *     c.run({ dests, columns: { slot, value } }, { takeAll: ({ columns }) => add(columns.slot, columns.value) });
   *
   * @param source pushes all items; its push waits for room, and meanwhile received items are passed to the sink. Or
   *   columns, as for {@link pushAll}
   * @param sink takes an item (a struct as the view {@link item}) and the rank of its sender. If it returns
   *   {@link PUT_BACK}, the item is put back and delivered again. It may call {@link push}, which does not wait, as
   *   long as the source has not returned. Or a function for all items of a received buffer, as {@link pullAll} gives
   *   them. Or a table and what is done to it, as for {@link accumulate}: `{ table: counts, op: "count" }`
   * @throws StateError unless dormant; UsageError if one of them is async or returns a promise, or for columns that do
   *   not fit; what the source and the sink throw (the session then ends with that error at every PE); as
   *   {@link advance}
   */
  run(
    source: Source<Pushes<I, void>> | PushedColumns<I>,
    sink: ((item: ItemValue<I>, from: number) => AtOnce) | BatchSink<I> | TableSink<I>,
    options?: { readonly ends?: "done" | undefined },
  ): void;
  /**
   * The same for items that cause items without a known end: the sink sends further ones by its third argument, at any
   * time, and the session ends by itself when every source has returned and no item is under way at any PE. The
   * conveyor must be steady.
   *
   *     const c = conveyor(pe, u32, { steady: true });
   *     c.run(
   *       (send) => { if (pe.rank === 0) send(ownerOf(root), root); },
   *       (vertex, from, send) => { for (const next of unseen(vertex)) send(ownerOf(next), next); },
   *       { ends: "quiescence" },
   *     );
   *
   * A send of the sink never waits: items without room are copied, without bound, and go before later ones. All PEs
   * give the same `ends`. Found by votes, which {@link stats} counts (facilities/conveyor/engine/quiescence.ts).
   * @throws as without `ends`; UsageError for a conveyor that is not steady, or is simple, and unless both are
   *   functions; MismatchError where PEs give different ends
   */
  run(
    source: Source<Pushes<I, void>>,
    sink: (item: ItemValue<I>, from: number, send: Pushes<I, void>) => AtOnce,
    options: { readonly ends: "quiescence" },
  ): void;
  run(
    source: Source<Pushes<I, void>> | PushedColumns<I>,
    sink: ((item: ItemValue<I>, from: number, send: never) => AtOnce) | BatchSink<I> | TableSink<I>,
    options?: RunOptions,
  ): void {
    const belt = this.#belt;
    const isQuietRun = isQuiet(options);
    checkBlocking(belt, "run", isQuietRun ? QUIET_SELECTOR : LOOP);
    if (isQuietRun) {
      if (isBulk(source) || isBulk(sink)) throw onlyQuietFunctions();
      checkQuietRun(belt, source, sink, INSTEAD.conveyor);
      belt.rehearse();
      const quiet = new QuietSession(belt as typeof belt & Pushing, belt.itemType);
      const send = sendToCode(belt.itemType, quiet, belt as Pushing, quiet.restIn(this.#room, "run: send"));
      const take = (item: never, from: number) => (sink as AnySink)(item, from, send as never);
      const hand = () => {
        if (!belt.userDrain(take)) belt.unpull();
      };
      runQuietly(quiet, source as Source<unknown>, this.#room, send, hand, INSTEAD.conveyor);
      return;
    }
    checkRun(source, sink, INSTEAD.conveyor, isBulk, ", or { dests, columns } and { takeAll } or a table");
    belt.rehearse();
    const hand = this.#handTo(sink);
    const columns = isBulk(source) ? (source as PushedColumns<I>) : null;
    const from = columns === null ? (source as Source<never>) : pushingColumns(belt, columns);
    if (columns !== null && belt.compiled !== null) {
      runCompiled(belt, belt.compiled, columns, hand);
      return;
    }
    this.#runSend = this.#sending(this.#runSend, this.#room);
    runSession(belt, from, this.#room, this.#runSend.send as never, hand, INSTEAD.conveyor);
  }

  /** A function that adds the items of a buffer to a table. */
  #addTo(sink: TableSink): () => void {
    const belt = this.#belt;
    const hand = (): void => {
      // the table may have been freed meanwhile
      const accumulator = belt.accumulatorFor(sink.table, sink, "run");
      if (!belt.refill()) return;
      accumulator.take("run");
      // the next advance gives it back, and gets the next one
      belt.cursor.wanted = true;
    };
    belt.accumulatorFor(sink.table, sink, "run");
    return hand;
  }

  /** A function that passes the items of a buffer to a sink. @throws UsageError for one that does not fit */
  #handTo(sink: unknown): () => void {
    const belt = this.#belt;
    if (isBulk(sink))
      return isBatchSink(sink) ? takingBatches(belt, sink as BatchSink<I>) : this.#addTo(sink as TableSink);
    return () => {
      if (!belt.userDrain(sink as never)) belt.unpull();
    };
  }

  /** The push that waits in a room; it is made anew only when the type of the items has changed. */
  #sending(before: Sending, room: { wait(): unknown }): Sending {
    const belt = this.#belt;
    const { sender } = belt;
    if (before.sender === sender) return before;
    // of send: a run has looked already
    if (!belt.mayBlock) throw blocks("send", LOOP);
    return { sender, send: belt.sender(room) };
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
  batches(source: AsyncSource<Pushes<I, Promise<void> | undefined>> = () => {}): AsyncGenerator<Batch<I>, void, void> {
    if (typeof source !== "function") {
      throw new UsageError(`batches: expected a function (push) => { … }, got ${shortText(source)}`);
    }
    const belt = this.#belt;
    belt.rehearse();
    const loopDriver = new EventLoopDriver(belt);
    const c = belt as Pushing;
    const send = sendToCode(belt.itemType, loopDriver, c, (dest, values) =>
      loopDriver.push("push", () => c.push(dest, ...values)),
    ) as Parameters<typeof source>[0];
    return batchesOf<Batch<I>>(
      loopDriver,
      () => source(send),
      () => belt.pullAll(),
      () => belt.refill(),
    );
  }
}
