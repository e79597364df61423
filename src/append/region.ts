/**
 * The append buffers of the PEs of a node, and the pushes into them by PEs of the node: a range is reserved by one atomic operation,
 * filled, and counted as completed. No lock, and the owner takes no part.
 *
 * Source: papers/one-sided-append.txt, section 2.1; the sender-managed form of its figure 1, with loads and stores.
 */
import { StateError } from "../base/errors.ts";
import type { Heap } from "../memory/heap.ts";
import { LINE } from "../memory/heap-layout.ts";
import { type AppendKernels, appendKernels } from "./kernels/kernels.ts";
import { headBytes, partBytes } from "./layout.ts";

/** What happens to a push that does not fit. */
export type Overflow = "error" | "truncate";

/** A range for a push: its place in the heap, and how many bytes may be written there. */
export interface Range {
  /** Position in the buffer. */
  position: number;
  /** Byte offset in the heap. */
  at: number;
  /** Bytes of the push that fit. */
  taken: number;
}

/** The buffers of the PEs of one node, as seen by one of them. PEs are numbered within the node. */
export class Region {
  /** Of each PE's buffer. */
  readonly lengths: readonly number[];
  readonly #heap: Heap;
  readonly #kernels: AppendKernels;
  readonly #self: number;
  readonly #writers: number;
  /** Byte offsets of the parts. */
  readonly #parts: readonly number[];
  readonly #truncates: boolean;
  readonly #counting: boolean;
  /** Of this PE's buffer: messages before the last reset, and the last result of {@link completed}. */
  #messagesBefore = 0;
  #completed = 0;

  /** @param offset of the block: zeroed, {@link regionBytes} long */
  constructor(
    heap: Heap,
    offset: number,
    lengths: readonly number[],
    self: number,
    overflow: Overflow,
    counting: boolean,
  ) {
    this.lengths = lengths;
    this.#heap = heap;
    this.#kernels = appendKernels(heap.memory);
    this.#self = self;
    this.#writers = lengths.length;
    this.#truncates = overflow === "truncate";
    this.#counting = counting;
    let at = offset;
    this.#parts = lengths.map((length) => {
      const part = at;
      at += partBytes(length, lengths.length);
      return part;
    });
  }

  /**
   * Reserves room for a push of this PE; {@link complete} must follow. Nothing is reserved if it throws or gives false.
   * @returns false if there is no room and nothing is truncated: `range.taken` is then what is left
   * @throws StateError if the owner has reset its buffer meanwhile
   */
  reserve(owner: number, bytes: number, range: Range): boolean {
    const control = this.#parts[owner] as number;
    const length = this.lengths[owner] as number;
    const slot = this.#slot(owner, this.#self);
    const position = this.#truncates
      ? this.#kernels.reserveAny(control, slot, bytes)
      : this.#kernels.reserve(control, slot, length, bytes);
    if (position >= 0) {
      const left = length - position;
      range.position = position;
      range.at = control + headBytes(this.#writers) + position;
      range.taken = Math.max(0, Math.min(bytes, left));
      return true;
    }
    if (Number.isNaN(position)) throw raced();
    range.taken = -1 - position;
    return false;
  }

  /** The range that was reserved last is written. @param bytes of the push */
  complete(owner: number, { taken }: Range, bytes: number): void {
    const counts = this.#counting && (taken > 0 || bytes === 0);
    this.#kernels.complete(this.#slot(owner, this.#self), counts ? 1 : 0);
  }

  /** Copies bytes within the heap; the ranges do not overlap. */
  copy(to: number, from: number, bytes: number): void {
    this.#kernels.copy(to, from, bytes);
  }

  /** Byte offset in the heap of this PE's buffer. */
  get start(): number {
    return (this.#parts[this.#self] as number) + headBytes(this.#writers);
  }

  /** Bytes reserved in this PE's buffer. */
  get offset(): number {
    const reserved = this.#kernels.reserved(this.#parts[this.#self] as number);
    return Math.min(reserved, this.lengths[this.#self] as number);
  }

  /** Bytes from the start below which all pushes are complete, as far as known; it never decreases between two resets. */
  get completed(): number {
    const control = this.#parts[this.#self] as number;
    const slots = this.#slot(this.#self, 0);
    const length = this.lengths[this.#self] as number;
    // a position is not known for some ns, or for as long as its writer does not run
    const readable = this.#kernels.readable(control, slots, this.#writers, LINE, length);
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
    const isClean = this.#kernels.reset(this.#parts[this.#self] as number) !== 0;
    this.#messagesBefore = this.#kernels.messages(slots, this.#writers, LINE);
    this.#completed = 0;
    return isClean;
  }

  /** PEs in a push into this PE's buffer, and its bytes. */
  pending(): { readonly writer: number; readonly bytes: number }[] {
    return this.lengths.flatMap((_, writer) => {
      // pairs with the addition that comes after its store in reserve()
      const begun = Atomics.load(this.#heap.i32, this.#slot(this.#self, writer) / 4) >>> 0;
      return begun === 0 ? [] : [{ writer, bytes: begun - 1 }];
    });
  }

  #slot(owner: number, writer: number): number {
    return (this.#parts[owner] as number) + (1 + writer) * LINE;
  }
}

/** Bytes of the block of a node. @param lengths of its PEs' buffers */
export const regionBytes = (lengths: readonly number[]): number =>
  lengths.reduce((sum, length) => sum + partBytes(length, lengths.length), 0);

export const raced = (): StateError =>
  new StateError(
    "push: the owner has reset its buffer during this push. Order the reset: every PE has to be past its pushes of one phase, and none in " +
      "those of the next one, as between two barriers.",
  );
