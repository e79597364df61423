/** Appends: the part of a group that makes append buffers. */

import type { Call } from "../collectives/calls/call.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { AppendBuffer } from "../facilities/append/append-buffer.ts";
import { AppendRecords } from "../facilities/append/append-records.ts";
import { makingAppend, needsConveyor, recordBytes } from "../facilities/append/make.ts";
import type { AppendOptions } from "../facilities/append/options.ts";
import type { AppendSeat } from "../facilities/append/seat.ts";
import type { ConveyorContext } from "../facilities/conveyor/front/make.ts";
import type { ItemType } from "../ground/item/types.ts";
import type { WaitLimits } from "../ground/wait/async.ts";
import type { Condition } from "../ground/wait/condition.ts";
import { block, watched } from "../ground/wait/waiter.ts";
import type { Watcher } from "../ground/wait/watcher.ts";
import { Streams } from "./conveyor-makers.ts";

/** PEs that make append buffers together. */
export abstract class Appends extends Streams {
  readonly #context: ConveyorContext;
  readonly #collectives: Collectives;
  readonly #seat: AppendSeat;

  /** @internal */
  protected constructor(context: ConveyorContext, collectives: Collectives, seat: AppendSeat) {
    super(context);
    this.#context = context;
    this.#collectives = collectives;
    this.#seat = seat;
  }

  /**
   * Makes an append buffer: each PE has some bytes of memory into which every PE pushes, without knowing where they will be
   * (docs/append.md). Collective: all PEs make it with the same options.
   *
   *     const a = pe.appendBuffer(4096);
   *     a.push((pe.rank + 1) % pe.size, Float64Array.of(1, 2, 3));
   *     pe.barrier();
   *     const got = a.data(Float64Array);
   *
   * @param bytes of this PE's buffer; others may have more or fewer, or 0
   * @throws UsageError; MismatchError at every PE if their options differ, HeapError if the heap of a node is full: the world then continues
   */
  appendBuffer(bytes: number, options: AppendOptions = {}): AppendBuffer {
    this.checkBlocking("appendBuffer", "appendBufferAsync()");
    return this.#append(bytes, options);
  }

  /**
   * As {@link appendBuffer}, without blocking, but for the conveyor that carries pushes between nodes: it is made as {@link conveyor} does.
   * Groups that make buffers at the same time call this in the same order at all PEs, unless these share memory or the transport is
   * "sender".
   */
  appendBufferAsync(bytes: number, options: AppendOptions = {}): Promise<AppendBuffer> {
    return this.#appendLater(bytes, options);
  }

  /**
   * As {@link appendBuffer}, for records: items of one type, pushed by their values or in columns.
   *
   *     const edges = pe.appendRecords(struct({ from: u32, to: u32 }), 1000);
   *     for (const [from, to] of mine) edges.push(ownerOf(to), from, to);
   *     pe.barrier();
   *     const { from, to } = edges.columns();
   *
   * @param item the type, the same at all PEs @param records of this PE's buffer; others may have more or fewer, or 0
   * @throws as appendBuffer
   */
  appendRecords<const I extends ItemType>(
    item: I,
    records: number,
    options: AppendOptions = {},
  ): AppendRecords<I> {
    this.checkBlocking("appendRecords", "appendRecordsAsync()");
    const bytes = recordBytes(item, records);
    return new AppendRecords(this.#append(bytes, options, item), item);
  }

  /** As {@link appendRecords}, without blocking. */
  async appendRecordsAsync<const I extends ItemType>(
    item: I,
    records: number,
    options: AppendOptions = {},
  ): Promise<AppendRecords<I>> {
    const bytes = recordBytes(item, records);
    return new AppendRecords(await this.#appendLater(bytes, options, item), item);
  }

  #append(bytes: number, options: AppendOptions, records?: ItemType): AppendBuffer {
    this.checkOpen();
    const making = makingAppend(
      this.#seat,
      this.#context,
      this.#collectives.backend,
      bytes,
      options,
      records,
    );
    let step = making.next();
    while (!step.done) {
      const { value } = step;
      step = making.next(isCondition(value) ? this.#block(value) : this.#collectives.run(value, undefined));
    }
    return step.value;
  }

  async #appendLater(bytes: number, options: AppendOptions, records?: ItemType): Promise<AppendBuffer> {
    this.checkOpen();
    // those of other groups take as long as they take, in any order
    const { makings } = this.#seat.appends;
    const turn = {};
    const hasTurn = () => makings.values().next().value === turn;
    const { backend } = this.#collectives;
    const making = makingAppend(this.#seat, this.#context, backend, bytes, options, records, hasTurn);
    if (needsConveyor(this.#seat, options)) makings.add(turn);
    try {
      return await this.#drive(making);
    } finally {
      makings.delete(turn);
    }
  }

  async #drive(
    making: Generator<Call<unknown> | (Condition & Watcher), AppendBuffer, unknown>,
  ): Promise<AppendBuffer> {
    let step = making.next();
    while (!step.done) {
      const { value } = step;
      step = making.next(
        isCondition(value)
          ? await this.#seat.waits.until(value, this.#limits(value))
          : await this.#collectives.runAsync(value, undefined),
      );
    }
    return step.value;
  }

  #block(condition: Condition & Watcher): void {
    const { waiter } = this.#seat;
    watched(waiter, condition, () => block(waiter, condition));
  }

  #limits(watcher: Watcher): WaitLimits {
    const { waits, waiter } = this.#seat;
    return { deadline: waits.now() + waiter.timeout, signal: undefined, watcher };
  }
}

const isCondition = (step: Call<unknown> | (Condition & Watcher)): step is Condition & Watcher =>
  "ready" in step;
