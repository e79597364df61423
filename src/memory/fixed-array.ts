/**
 * An array with a memory of its own: V8 keeps short ones among its objects, where they move, and compiled code then looks up
 * at each access where they are.
 */
export const fixedArray = (length: number): Uint32Array => new Uint32Array(new ArrayBuffer(4 * length));
