/** Arrays in the heap, as groups allocate them; and those of allocShared that are larger than the heap. */

import { constants } from "node:buffer";
import { HeapError, UsageError } from "../ground/base/errors.ts";
import { shortText } from "../ground/base/short-text.ts";
import { Late } from "../ground/base/thread/late.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";
import { discardPages } from "../ground/memory/pages.ts";
import type { Allocating, CallSequence, OwnMemory } from "./own-memory.ts";
import type { AllocName, AllocUse } from "./team/refusals.ts";

/** For arrays that are larger than the heap, which few programs have. */
export const ownMemories: Late<typeof import("./own-memory.ts")> = new Late(
  "./own-memory.js",
  import.meta.url,
  () => import("./own-memory.ts"),
);

/** Constructor of a typed array over given bytes: any of the typed array constructors. */
export interface TypedArrayConstructor<T extends TypedArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): T;
}

/** Those of one PE in one group. */
export class HeapArrays {
  readonly #collectives: Allocating;
  readonly #allocated = new WeakMap<TypedArray, number>();

  constructor(collectives: Allocating) {
    this.#collectives = collectives;
  }

  free(array: TypedArray): void {
    const offset = this.#forget(array);
    try {
      this.#collectives.run(this.#collectives.backend.free(offset), undefined);
      this.#discard(array);
    } catch (error) {
      this.#recall(array, offset, error);
      throw error;
    }
  }

  /** As {@link free}, without blocking. */
  async freeAsync(array: TypedArray): Promise<void> {
    const offset = this.#forget(array);
    try {
      await this.#collectives.later(() => this.#collectives.backend.free(offset));
      this.#discard(array);
    } catch (error) {
      this.#recall(array, offset, error);
      throw error;
    }
  }

  /** Allocates by the call of this name. */
  alloc<T extends TypedArray>(name: AllocName, type: TypedArrayConstructor<T>, length: number): T {
    const bytes = bytesOf(name, type, length);
    const large = this.#large(name, type, bytes);
    if (large !== null) return this.#placeOwn(type, length, ownMemories.now.runCalls(this.#collectives, large));
    const stride = strideOf(bytes);
    const call = this.#collectives.backend.alloc(stride, name, this.#use(name, type, bytes));
    return this.#place(name, type, length, stride, this.#collectives.run(call, undefined));
  }

  /** The calls by which a shared array gets memory of its own, as no heap of this size has room; null for others. */
  #large(name: AllocName, type: TypedArrayConstructor<TypedArray>, bytes: number): CallSequence<OwnMemory> | null {
    if (name === "alloc" || bytes <= this.#collectives.team.heap.bytes) return null;
    const length = bytes / type.BYTES_PER_ELEMENT;
    if (length > constants.MAX_LENGTH) {
      throw new HeapError(
        `${name}: expected at most ${constants.MAX_LENGTH} elements, which an array of this Node.js has, got ${length}. ` +
          "Use wider elements, or several arrays.",
      );
    }
    return ownMemories.now.ownMemory(this.#collectives, bytes, this.#use(name, type, bytes));
  }

  #use(name: AllocName, type: TypedArrayConstructor<TypedArray>, asked: number): AllocUse {
    const pes = name === "alloc" ? this.#collectives.team.here.length : 1;
    const lower = (room: number) => {
      const elements = Math.floor(Math.floor(room / pes / 128) * (128 / type.BYTES_PER_ELEMENT));
      return `Lower the length: ${elements} elements${pes > 1 ? " at each PE" : ""} have room.`;
    };
    return { call: name, asked, lower };
  }

  /** As {@link alloc}, without blocking. */
  async allocAsync<T extends TypedArray>(name: AllocName, type: TypedArrayConstructor<T>, length: number): Promise<T> {
    const bytes = bytesOf(name, type, length);
    const large = this.#large(name, type, bytes);
    if (large !== null) return this.#placeOwn(type, length, await ownMemories.now.awaitCalls(this.#collectives, large));
    const stride = strideOf(bytes);
    const call = this.#collectives.backend.alloc(stride, name, this.#use(name, type, bytes));
    return this.#place(name, type, length, stride, await this.#collectives.later(() => call));
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
    if (isShared) payload.share(array, here, offset);
    this.#allocated.set(array, offset);
    return array;
  }

  #placeOwn<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number, { buffer, line }: OwnMemory): T {
    const { here, payload } = this.#collectives.team;
    const array = new type(buffer, 0, length);
    payload.share(array, here, line);
    this.#allocated.set(array, line);
    return array;
  }

  /** All PEs of the group have freed it. */
  #discard({ buffer }: TypedArray): void {
    const { heap, rank } = this.#collectives.team;
    if (rank === 0 && buffer !== heap.buffer) discardPages(buffer as SharedArrayBuffer);
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
