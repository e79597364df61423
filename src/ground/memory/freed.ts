/** The arrays of the heap that were given back: their memory may be in use for something else. */
import type { TypedArray } from "./kernels/elements.ts";

const freed = new WeakSet<TypedArray>();

/** From now on this array is refused. Other views of the same memory are not known. */
export function addFreed(array: TypedArray): void {
  freed.add(array);
}

/** The array was not given back after all. */
export function deleteFreed(array: TypedArray): void {
  freed.delete(array);
}

export const isFreed = (array: TypedArray): boolean => freed.has(array);

/** The description of one. */
export const FREED =
  "an array with its memory, got one that was given back with free(). Allocate another one with alloc().";
