/** Arrays that the caller and all PEs of its node see. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";

/** Makes a typed array over a buffer. */
type MakesArray<A> = new (buffer: SharedArrayBuffer) => A;

/** Whether several threads may see its memory. */
export const isShared = ({ buffer }: TypedArray): boolean => (buffer as ArrayBufferLike) instanceof SharedArrayBuffer;

/**
 * Puts an array into memory that this thread and all PEs of its node see: as one of the `args` of a loop, or its
 * `into`, it is not copied again. It is no part of a world's heap, so it outlives PEs that are lost, and is freed as
 * all arrays are.
 *
 *     const data = share(new Float64Array(await readSamples()));
 *     const sums = share(Float64Array, 1000);
 *
 * @returns an array of the same class with the same elements, or with zeros: the given one if it is shared already
 * @throws UsageError for what is no typed array, or no length
 */
export function share<A extends TypedArray>(array: A): A;
export function share<A extends TypedArray>(
  type: (new (buffer: SharedArrayBuffer) => A) & { readonly BYTES_PER_ELEMENT: number },
  length: number,
): A;
export function share(of: unknown, length?: number): TypedArray {
  if (isTypedArray(of)) {
    if (isShared(of)) return of;
    const copy = new (of.constructor as MakesArray<Uint8Array>)(new SharedArrayBuffer(of.byteLength));
    copy.set(of as Uint8Array);
    return copy;
  }
  const bytes =
    typeof of === "function" ? (of as { readonly BYTES_PER_ELEMENT?: unknown }).BYTES_PER_ELEMENT : undefined;
  if (typeof bytes !== "number") {
    throw new UsageError(`share: expected a typed array, or its class and a length, got ${shortText(of)}`);
  }
  if (!Number.isSafeInteger(length) || (length as number) < 0) {
    throw new UsageError(`share: length: expected a whole number >= 0, got ${shortText(length)}`);
  }
  return new (of as MakesArray<TypedArray>)(new SharedArrayBuffer(bytes * (length as number)));
}
