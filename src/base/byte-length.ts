/** How long a Uint8Array truly is, whatever it says of itself: a subclass may have a length of its own. */
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const read = Object.getOwnPropertyDescriptor(TypedArray, "length")?.get as () => number;

/** The length of a Uint8Array; -1 for anything else, and for one whose memory is gone. */
export function lengthOf(x: unknown): number {
  if (!(ArrayBuffer.isView(x) && x instanceof Uint8Array)) return -1;
  const length = read.call(x);
  if (length > 0) return length;
  try {
    // refuses memory that was detached
    return new Uint8Array(x.buffer, 0, 0).length;
  } catch {
    return -1;
  }
}
