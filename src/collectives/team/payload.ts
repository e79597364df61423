/**
 * Moves elements between users' typed arrays and the heap by the cheapest method for each array: a kernel if the array
 * is in the heap itself (pe.alloc), a loop if it fits in a cache line, and one copy otherwise.
 */
import { isDetached } from "../../ground/base/byte-length.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { addFreed, deleteFreed, FREED, isFreed } from "../../ground/memory/freed.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import { copyIn, copyOut } from "../../ground/memory/heap-copy.ts";
import {
  ARRAYS,
  type ElementType,
  isLocOp,
  type LocOp,
  type ReduceOp,
  type TypedArray,
} from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import { locReducer } from "../../ground/memory/kernels/locations.ts";

/** Combines two elements of a type; must be associative and commutative. */
export type Combine<T> = (a: T, b: T) => T;
/** A user's own op. */
export type OpFunction = Combine<number> | Combine<bigint>;
/** The op of a reduction. */
export type Op = ReduceOp | LocOp | OpFunction;

/** Copies of at most this many bytes are done element by element, which is cheaper than making a view for `set`. */
const SHORT_BYTES = 64;

interface Sharing {
  readonly sharers: readonly number[];
  readonly place: number;
}

/** Moves data between one thread's arrays and the heap. */
export class Payload {
  /** Number of freed arrays. When it changes, cached facts about arrays are invalid. */
  frees = 0;
  /** Whether any array is shared, see {@link share}. */
  hasShared = false;
  readonly #sharers = new WeakMap<TypedArray, Sharing>();
  readonly #heap: Heap;
  readonly #views: Readonly<Record<ElementType, TypedArray>>;
  readonly #reducers = new Map<ElementType, Map<ReduceOp | LocOp, Reducer>>();

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#views = Object.fromEntries(
      Object.entries(ARRAYS).map(([type, Arrays]) => {
        const length = Math.floor(heap.buffer.byteLength / Arrays.BYTES_PER_ELEMENT);
        return [type, new Arrays(heap.buffer, 0, length)];
      }),
    ) as unknown as Record<ElementType, TypedArray>;
  }

  /** Whether an array is in the heap, so that its own bytes can be used in place. */
  isShared(x: TypedArray): boolean {
    return x.buffer === this.#heap.buffer;
  }

  /** Checks that an array has its memory. @throws UsageError if it was detached or freed */
  check(x: TypedArray): void {
    if (x.byteLength === 0 && isDetached(x)) {
      throw new UsageError(
        "Expected an array with its memory, got one whose ArrayBuffer was transferred (postMessage, " +
          "structuredClone) or shrunk. Pass an array of this thread.",
      );
    }
    if (this.frees > 0 && isFreed(x)) {
      throw new UsageError(`Expected ${FREED}`);
    }
  }

  /** From now on {@link check} rejects an array of the heap: its memory may be allocated again. */
  giveBack(x: TypedArray): void {
    addFreed(x);
    this.frees++;
  }

  /** The free was refused; the array is valid again. */
  keep(x: TypedArray): void {
    deleteFreed(x);
  }

  /**
   * From now on an array is known to be the same memory at several PEs of this node.
   * @param sharers ranks in the world @param place byte offset of its block in the heap, which no other one has
   */
  share(x: TypedArray, sharers: readonly number[], place: number): void {
    this.#sharers.set(x, { sharers, place });
    this.hasShared = true;
  }

  /** The PEs that have the same array; undefined if this PE alone has it, as far as is known. */
  sharersOf(x: TypedArray): readonly number[] | undefined {
    return this.#sharers.get(x)?.sharers;
  }

  /** What tells such an array from others, at all PEs that have it. */
  placeOf(x: TypedArray): number {
    return this.#sharers.get(x)?.place ?? x.byteOffset;
  }

  /** Copies `bytes` bytes of a user's array, from its byte `start` on, to byte `at` of the heap. */
  put(x: TypedArray, type: ElementType, start: number, bytes: number, at: number): void {
    if (bytes <= SHORT_BYTES) {
      // views of all element types have the same methods, and both sides have the same type
      const view = this.#views[type] as Float64Array;
      const from = x as Float64Array;
      const size = x.BYTES_PER_ELEMENT;
      const base = at / size;
      const first = start / size;
      const count = bytes / size;
      for (let i = 0; i < count; i++) view[base + i] = from[first + i];
    } else {
      copyIn(this.#heap.u8, new Uint8Array(x.buffer, x.byteOffset + start, bytes), at);
    }
  }

  /** Copies `bytes` bytes from byte `at` of the heap into a user's array, from its byte `start` on. */
  get(x: TypedArray, type: ElementType, start: number, bytes: number, at: number): void {
    if (bytes <= SHORT_BYTES) {
      const view = this.#views[type] as Float64Array;
      const to = x as Float64Array;
      const size = x.BYTES_PER_ELEMENT;
      const base = at / size;
      const first = start / size;
      const count = bytes / size;
      for (let i = 0; i < count; i++) to[first + i] = view[base + i];
    } else {
      copyOut(this.#heap.u8, at, new Uint8Array(x.buffer, x.byteOffset + start, bytes));
    }
  }

  /** A new array with `bytes` bytes copied from byte `at` of the heap. */
  take(type: ElementType, at: number, bytes: number): TypedArray {
    const Arrays = ARRAYS[type];
    const array = new Arrays(bytes / Arrays.BYTES_PER_ELEMENT);
    if (bytes > 0) this.get(array, type, 0, bytes, at);
    return array;
  }

  /** A new zeroed array. */
  make(type: ElementType, bytes: number): TypedArray {
    const Arrays = ARRAYS[type];
    return new Arrays(bytes / Arrays.BYTES_PER_ELEMENT);
  }

  /** Copies within the heap. */
  copy(to: number, from: number, bytes: number): void {
    this.#heap.kernels.copy(to, from, bytes);
  }

  /** The kernel `dst[i] = dst[i] op src[i]` over heap bytes. @throws UsageError if the type does not have the op */
  kernel(op: ReduceOp | LocOp, type: ElementType): Reducer {
    const known = this.#reducers.get(type);
    const reducer = known?.get(op) ?? this.#reducerOf(op, type);
    if (known === undefined) this.#reducers.set(type, new Map([[op, reducer]]));
    else known.set(op, reducer);
    return reducer;
  }

  #reducerOf(op: ReduceOp | LocOp, type: ElementType): Reducer {
    return isLocOp(op) ? locReducer(op, this.#views[type]) : this.#heap.kernels.reducer(op, type);
  }

  /** The same for a function of two elements. */
  reducer(combine: (a: number, b: number) => number, type: ElementType): Reducer {
    const view = this.#views[type] as Float64Array;
    const size = view.BYTES_PER_ELEMENT;
    return (dst, src, count) => {
      const to = dst / size;
      const from = src / size;
      for (let i = 0; i < count; i++) view[to + i] = combine(view[to + i], view[from + i]);
    };
  }
}
