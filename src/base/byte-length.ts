/** The true length of a Uint8Array. A subclass may override its `length`. */
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const read = Object.getOwnPropertyDescriptor(TypedArray, "length")?.get as () => number;

/** The length of a Uint8Array; -1 for any other value, and for an array whose buffer was detached. */
export function lengthOf(x: unknown): number {
  if (!(ArrayBuffer.isView(x) && x instanceof Uint8Array)) return -1;
  const length = read.call(x);
  if (length > 0) return length;
  try {
    // throws if the buffer was detached
    return new Uint8Array(x.buffer, 0, 0).length;
  } catch {
    return -1;
  }
}
