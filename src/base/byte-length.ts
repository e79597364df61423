/** The true length of a Uint8Array. A subclass may override its `length`. */
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const read = Object.getOwnPropertyDescriptor(TypedArray, "length")?.get as () => number;

/** The length of a Uint8Array; -1 for any other value, and for an array whose buffer was detached. */
export function lengthOf(x: unknown): number {
  if (!(ArrayBuffer.isView(x) && x instanceof Uint8Array)) return -1;
  const length = read.call(x);
  return length === 0 && isDetached(x) ? -1 : length;
}

/** Whether an empty array is empty because its buffer was detached or shrunk. */
export function isDetached(x: ArrayLike<unknown> & { at(index: number): unknown }): boolean {
  try {
    x.at(0);
  } catch {
    return true;
  }
  return false;
}
