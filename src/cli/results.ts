/**
 * What PEs return, as JSON.
 *
 * Numbers that JSON lacks become strings: bigints in decimal, NaN, Infinity, -Infinity. Typed arrays,
 * array buffers (as bytes), sets and maps (as pairs) become arrays, errors `{name, message}`. Example:
 * `new BigInt64Array([1n, 2n])` is `["1", "2"]`.
 */

/** A replacer for `JSON.stringify`. */
export function plainJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return Array.from(new Uint8Array(value));
  }
  if (value instanceof DataView) {
    return Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<number | bigint>);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
}
