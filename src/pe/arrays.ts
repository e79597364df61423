/** Arrays in the heap: the part of a group that allocates them. */

import type { AllocName, AllocUse } from "../collectives/calls/call.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { AppendSeat } from "../facilities/append/seat.ts";
import type { ConveyorContext } from "../facilities/conveyor/front/make.ts";
import type { PairSeat } from "../facilities/messages/seat.ts";
import { UsageError } from "../ground/base/errors.ts";
import { shortText } from "../ground/base/short-text.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";
import { OrderedBroadcasts } from "./ordered-makers.ts";

/** Constructor of a typed array over given bytes: any of the typed array constructors. */
export interface TypedArrayConstructor<T extends TypedArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): T;
}

/** PEs that have memory in common. */
export abstract class Arrays extends OrderedBroadcasts {
  readonly #collectives: Collectives;
  readonly #allocated = new WeakMap<TypedArray, number>();

  /** @internal */
  protected constructor(
    context: ConveyorContext,
    collectives: Collectives,
    appends: AppendSeat,
    pairs: PairSeat,
  ) {
    super(context, collectives, appends, pairs);
    this.#collectives = collectives;
  }

  /**
   * Allocates a zeroed typed array in the node's shared heap at each PE. Collectives on such arrays save a copy.
   * Collective: all PEs request the same number of bytes. Aligned to 128 bytes.
   * @throws HeapError at every PE if the heap is full; the world continues
   */
  alloc<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): T {
    return this.#alloc("alloc", type, length);
  }

  /** As {@link alloc}, without blocking. */
  allocAsync<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): Promise<T> {
    return this.#allocLater("alloc", type, length);
  }

  /**
   * Allocates one zeroed typed array on each node, in the node's shared heap: all PEs of the group on that node get the
   * same memory, of which each may read and write all. Collective: all PEs request the same number of bytes. Aligned to
   * 128 bytes. {@link free} frees it.
   *
   * Nothing orders the accesses of two PEs but what they call: between a write of one PE and a read or write of the same
   * element by another, all call {@link barrier}, or they use `Atomics` on an array of integers. Over nodes, nothing is
   * copied from one node's array to another's.
   *
   * A collective that writes its x (broadcast at all but the root, reduce, allreduce, scan, exscan) throws a UsageError
   * for such an array, unless this PE is the only one of its group on the node. The others read it, as any array. Other
   * views of the memory are not recognised: pass parts that no two PEs have in common. Between a write of one PE and an access of another
   * to the same element all call `barrier`, or an allreduce, allgather or alltoall of something.
   * @throws HeapError at every PE if the heap of a node is full; the world continues
   */
  allocShared<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): T {
    return this.#alloc("allocShared", type, length);
  }

  /** As {@link allocShared}, without blocking. */
  allocSharedAsync<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): Promise<T> {
    return this.#allocLater("allocShared", type, length);
  }

  /**
   * Frees the arrays that one {@link alloc} or {@link allocShared} call returned at all PEs. Collective. Later
   * collectives of this PE reject the array. They cannot recognise other views of the same memory; do not use those any
   * more.
   */
  free(array: TypedArray): void {
    const offset = this.#forget(array);
    try {
      this.#collectives.run(this.#collectives.backend.free(offset), undefined);
    } catch (error) {
      this.#recall(array, offset, error);
      throw error;
    }
  }

  /** As {@link free}, without blocking. */
  async freeAsync(array: TypedArray): Promise<void> {
    const offset = this.#forget(array);
    try {
      await this.#collectives.runAsync(this.#collectives.backend.free(offset), undefined);
    } catch (error) {
      this.#recall(array, offset, error);
      throw error;
    }
  }

  #alloc<T extends TypedArray>(name: AllocName, type: TypedArrayConstructor<T>, length: number): T {
    const bytes = bytesOf(name, type, length);
    const stride = strideOf(bytes);
    const call = this.#collectives.backend.alloc(stride, name, this.#use(name, type, bytes));
    return this.#place(name, type, length, stride, this.#collectives.run(call, undefined));
  }

  #use(name: AllocName, type: TypedArrayConstructor<TypedArray>, asked: number): AllocUse {
    const pes = name === "alloc" ? this.#collectives.team.here.length : 1;
    const lower = (room: number) => {
      const elements = Math.floor(Math.floor(room / pes / 128) * (128 / type.BYTES_PER_ELEMENT));
      return `Lower the length: ${elements} elements${pes > 1 ? " at each PE" : ""} have room.`;
    };
    return { call: name, asked, lower };
  }

  async #allocLater<T extends TypedArray>(
    name: AllocName,
    type: TypedArrayConstructor<T>,
    length: number,
  ): Promise<T> {
    const bytes = bytesOf(name, type, length);
    const stride = strideOf(bytes);
    const call = this.#collectives.backend.alloc(stride, name, this.#use(name, type, bytes));
    return this.#place(name, type, length, stride, await this.#collectives.runAsync(call, undefined));
  }

  #place<T extends TypedArray>(
    name: AllocName,
    type: TypedArrayConstructor<T>,
    length: number,
    stride: number,
    offset: number,
  ): T {
    const { heap, rank, here, payload } = this.#collectives.team;
    const isShared = name === "allocShared";
    const array = new type(heap.buffer, isShared ? offset : offset + rank * stride, length);
    if (isShared) payload.share(array, here);
    this.#allocated.set(array, offset);
    return array;
  }

  #forget(array: TypedArray): number {
    const offset = this.#allocated.get(array);
    if (offset === undefined) {
      throw new UsageError(
        "free: expected an array that alloc() or allocShared() of this group returned to this PE and that is not freed yet, " +
          `got ${ArrayBuffer.isView(array) ? "another array, or one that was freed before" : shortText(array)}.`,
      );
    }
    this.#allocated.delete(array);
    this.#collectives.team.payload.giveBack(array);
    return offset;
  }

  /** If the free was refused, the array stays allocated. */
  #recall(array: TypedArray, offset: number, error: unknown): void {
    if (!(error instanceof UsageError)) return;
    this.#allocated.set(array, offset);
    this.#collectives.team.payload.keep(array);
  }
}

/** Bytes from the array of one PE to that of the next. */
const strideOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / 128)) * 128;

/** Bytes of an array. @throws UsageError */
function bytesOf(name: AllocName, type: TypedArrayConstructor<TypedArray>, length: number): number {
  const size: unknown = typeof type === "function" ? type.BYTES_PER_ELEMENT : undefined;
  if (typeof size !== "number") {
    throw new UsageError(
      `${name}: expected the constructor of a typed array (Float64Array, …), got ${shortText(type)}`,
    );
  }
  if (!(Number.isInteger(length) && length >= 0)) {
    throw new UsageError(`${name}: expected a whole number of elements >= 0, got ${shortText(length)}`);
  }
  return length * size;
}
