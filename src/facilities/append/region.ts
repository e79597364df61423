/**
 * The append buffers in memory that this PE has: of the PEs of its node, and of other nodes of the machine whose heaps
 * it has mapped. A push reserves a range by one atomic operation, fills it, and says that it is complete. No lock, and
 * the owner takes no part.
 *
 * Source: Dinan, Flajslik, "One-Sided Append: A New Communication Paradigm For PGAS Models", section 2.1; the
 * sender-managed form of its figure 1, with loads and stores.
 */
import { StateError } from "../../ground/base/errors.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import { keepsOrder } from "../../ground/memory/order.ts";
import { type AppendKernels, appendKernels } from "./kernels/kernels.ts";
import { AWAITED, COUNTS, headBytes, ORDERS, STAGE, TRUNCATES } from "./layout.ts";
import type { OwnBuffer } from "./own-buffer.ts";

/** The handling of a push that does not fit. */
export type Overflow = "error" | "truncate";

/** A range for a push: its place in the heap, and how many bytes may be written there. */
export interface Range {
  /** Byte offset in the heap. */
  at: number;
  /** Bytes of the push that fit. */
  taken: number;
}

/** Where a buffer is. */
export interface BufferPlace {
  /** Byte offset of its part in this memory, see layout.ts. */
  readonly at: number;
  /** Bytes of the buffer. */
  readonly length: number;
}

/** The buffers of PEs that share memory, as seen by one of them. These PEs are numbered from 0 on. */
export class BufferRegion implements OwnBuffer {
  readonly #parts: readonly BufferPlace[];
  readonly #heap: Heap;
  readonly #kernels: AppendKernels;
  readonly #self: number;
  readonly #writers: number;
  readonly #truncates: boolean;
  readonly #counting: boolean;
  /** Of each owner: its control line, this writer's slot, where the buffer begins, and its length. */
  readonly #controls: Float64Array;
  readonly #slots: Float64Array;
  readonly #starts: Float64Array;
  readonly #lengths: Float64Array;
  /** See the kernel push. */
  readonly #flags: number;
  /** Of this PE's buffer: messages before the last reset, and the last result of {@link completed}. */
  #messagesBefore = 0;
  #completed = 0;

  /** @param parts zeroed @param self number of this PE */
  constructor(heap: Heap, parts: readonly BufferPlace[], self: number, overflow: Overflow, counting: boolean) {
    this.#heap = heap;
    this.#kernels = appendKernels(heap.memory);
    this.#parts = parts;
    this.#self = self;
    this.#writers = parts.length;
    this.#truncates = overflow === "truncate";
    this.#counting = counting;
    this.#controls = Float64Array.from(parts, ({ at }) => at);
    this.#slots = Float64Array.from(parts, (_, owner) => this.#slot(owner, self));
    this.#starts = Float64Array.from(parts, ({ at }) => at + headBytes(parts.length));
    this.#lengths = Float64Array.from(parts, ({ length }) => length);
    this.#flags = (this.#truncates ? TRUNCATES : 0) | (counting ? COUNTS : 0) | (keepsOrder() ? 0 : ORDERS);
  }

  /**
   * A whole push of this PE of at most {@link STAGE_BYTES} bytes.
   * @returns the bytes that were taken; negative if there is no room and nothing is truncated @throws StateError as
   * reserve
   */
  push(owner: number, source: Uint8Array, bytes: number): number {
    const slot = this.#slots[owner] as number;
    this.#heap.u8.set(source, slot + STAGE);
    const [start, length] = [this.#starts[owner] as number, this.#lengths[owner] as number];
    const taken = this.#kernels.push(this.#controls[owner] as number, slot, start, length, bytes, this.#flags);
    if (Number.isNaN(taken)) throw raced();
    return taken;
  }

  /**
   * Reserves room for a push of this PE; {@link complete} must follow. Nothing is reserved if it throws or gives false.
   * @returns false if there is no room and nothing is truncated: `range.taken` is then what is left
   * @throws StateError if the owner has reset its buffer meanwhile
   */
  reserve(owner: number, bytes: number, range: Range): boolean {
    const [control, slot] = [this.#controls[owner] as number, this.#slots[owner] as number];
    const length = this.#lengths[owner] as number;
    const position = this.#truncates
      ? this.#kernels.reserveAny(control, slot, bytes)
      : this.#kernels.reserve(control, slot, length, bytes);
    if (position >= 0) {
      const left = length - position;
      range.at = (this.#starts[owner] as number) + position;
      range.taken = Math.max(0, Math.min(bytes, left));
      return true;
    }
    if (Number.isNaN(position)) throw raced();
    range.taken = -1 - position;
    return false;
  }

  /** Word of the heap that is 1 while an owner waits for pushes of this PE. */
  awaited(owner: number): number {
    return ((this.#slots[owner] as number) + AWAITED) / 4;
  }

  /** Tells the writers whether this PE waits for pushes. Pairs with their look after a push, see Wakers.look */
  await(isWaiting: boolean): void {
    const { i32 } = this.#heap;
    for (let writer = 0; writer < this.#writers; writer++) {
      Atomics.store(i32, (this.#slot(this.#self, writer) + AWAITED) / 4, isWaiting ? 1 : 0);
    }
  }

  /** The range that was reserved last is written. @param bytes of the push */
  complete(owner: number, { taken }: Range, bytes: number): void {
    const counts = this.#counting && (taken > 0 || bytes === 0);
    this.#kernels.complete(this.#slots[owner] as number, counts ? 1 : 0);
  }

  /** Runs a whole push of this PE between two steps of another one to that owner, which is then under way again. */
  amid(owner: number, push: () => number): number {
    // steps are those of one thread: no reader looks in between
    const pending = new BigInt64Array(this.#heap.buffer, this.#slot(owner, this.#self), 1);
    const [outer] = pending;
    try {
      return push();
    } finally {
      pending[0] = outer as bigint;
    }
  }

  /** Copies bytes within the heap; the ranges do not overlap. */
  copy(to: number, from: number, bytes: number): void {
    this.#kernels.copy(to, from, bytes);
  }

  /** Byte offset in the heap of this PE's buffer. */
  get start(): number {
    return this.#own.at + headBytes(this.#writers);
  }

  /** Bytes reserved in this PE's buffer. */
  get offset(): number {
    const { at, length } = this.#own;
    return Math.min(this.#kernels.reserved(at), length);
  }

  get completed(): number {
    const { at, length } = this.#own;
    const slots = this.#slot(this.#self, 0);
    // a position is not known for some ns, or for as long as its writer does not run
    const readable = this.#kernels.readable(at, slots, this.#writers, LINE, length);
    if (readable > this.#completed) this.#completed = readable;
    return this.#completed;
  }

  /** Messages in this PE's buffer that are complete. */
  get messages(): number {
    const slots = this.#slot(this.#self, 0);
    return this.#kernels.messages(slots, this.#writers, LINE) - this.#messagesBefore;
  }

  /** This PE's buffer is empty again. @returns whether no push came meanwhile, whose bytes would be lost */
  reset(): boolean {
    const slots = this.#slot(this.#self, 0);
    const isClean = this.#kernels.reset(this.#own.at) !== 0;
    this.#messagesBefore = this.#kernels.messages(slots, this.#writers, LINE);
    this.#completed = 0;
    return isClean;
  }

  /** PEs in a push into this PE's buffer, and its bytes. */
  pending(): { readonly writer: number; readonly bytes: number }[] {
    return this.#parts.flatMap((_, writer) => {
      // pairs with the addition that comes after its store in reserve()
      const begun = Atomics.load(this.#heap.i32, this.#slot(this.#self, writer) / 4) >>> 0;
      return begun === 0 ? [] : [{ writer, bytes: begun - 1 }];
    });
  }

  #slot(owner: number, writer: number): number {
    return (this.#parts[owner] as BufferPlace).at + (1 + writer) * LINE;
  }

  get #own(): BufferPlace {
    return this.#parts[this.#self] as BufferPlace;
  }
}

export const raced = (): StateError =>
  new StateError(
    "push: the owner has reset its buffer during this push. Order the reset: every PE has to be past its pushes of one phase, and none in " +
      "those of the next one, as between two barriers.",
  );
