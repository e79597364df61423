/**
 * Arrays with an allocation of their own, which they share, as it is most of what they cost. V8 stores short arrays
 * inside its movable heap objects, and compiled code then reloads their address at each access.
 */
export function fixedArrays<const Lengths extends readonly number[]>(
  ...lengths: Lengths
): { [At in keyof Lengths]: Uint32Array } {
  const memory = new ArrayBuffer(4 * lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  const next = (length: number): Uint32Array => {
    const array = new Uint32Array(memory, at, length);
    at += array.byteLength;
    return array;
  };
  return lengths.map(next) as { [At in keyof Lengths]: Uint32Array };
}
