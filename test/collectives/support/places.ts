/** Where a user's array may lie: every place has a way of its own into the collectives. */
import type { PE, TypedArray } from "../../../src/index.ts";
import { makeOf, type TypeName } from "./reference.ts";

export type Place = "private" | "offset" | "shared" | "heap" | "heap offset";
export const PLACES: readonly Place[] = ["private", "offset", "shared", "heap", "heap offset"];
export const inHeap = (place: Place): boolean => place.startsWith("heap");

/** Elements before and after the array, in the same buffer, which nobody may touch. */
const MARGIN = 3;
const MARK = 0x5a;

/** An array somewhere, and whether its surroundings are as they were. */
export interface Placed {
  readonly array: TypedArray;
  untouched(): boolean;
}

const bytesFor = (type: TypeName, length: number): number => (length + 2 * MARGIN) * makeOf(type).BYTES_PER_ELEMENT;

/** The array in the middle of bytes that are all marked. */
function inside(around: Uint8Array, type: TypeName, length: number, place: Place): Placed {
  const make = makeOf(type);
  const size = make.BYTES_PER_ELEMENT;
  around.fill(MARK);
  const margin = place === "private" || place === "heap" ? 0 : MARGIN;
  const array = new make(around.buffer as SharedArrayBuffer, around.byteOffset + margin * size, length);
  const [before, after] = [around.subarray(0, margin * size), around.subarray((margin + length) * size)];
  const marked = (bytes: Uint8Array) => bytes.every((byte) => byte === MARK);
  return { array, untouched: () => marked(before) && marked(after) };
}

/** Bytes outside the heap. */
function outside(type: TypeName, length: number, place: Place): Uint8Array {
  const bytes = bytesFor(type, length);
  return place === "shared" ? new Uint8Array(new SharedArrayBuffer(bytes)) : new Uint8Array(bytes);
}

/** Room in the heap, taken once, in which arrays are laid out anew for each call. */
export class Arena {
  readonly #bytes: Uint8Array;
  #used = 0;

  /** @param bytes from alloc() of the world */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** From here on the room is used again. */
  reset(): void {
    this.#used = 0;
  }

  /** An array of `length` elements at a place. */
  place(type: TypeName, length: number, place: Place): Placed {
    if (!inHeap(place)) return inside(outside(type, length, place), type, length, place);
    const bytes = bytesFor(type, length);
    const from = this.#used;
    this.#used += Math.ceil(bytes / 128) * 128;
    if (this.#used > this.#bytes.length) throw new RangeError(`the arena has no ${bytes} bytes left`);
    return inside(this.#bytes.subarray(from, from + bytes), type, length, place);
  }
}

/** As {@link Arena.place} in a block of its own. Collective, also for PEs that want none in the heap. */
export function placeArray(pe: PE, type: TypeName, length: number, place: Place): Placed & { free(): void } {
  const block = pe.alloc(Uint8Array, bytesFor(type, length));
  const around = inHeap(place) ? block : outside(type, length, place);
  return { ...inside(around, type, length, place), free: () => pe.free(block) };
}
