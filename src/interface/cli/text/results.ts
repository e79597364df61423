/**
 * Results of PEs, as text and as JSON.
 *
 * Numbers that JSON does not have become strings: bigints in decimal, NaN, Infinity, -Infinity. Typed arrays, array
 * buffers (as bytes), sets and maps (as pairs) become arrays, errors `{name, message}`. Example:
 * `new BigInt64Array([1n, 2n])` is `["1", "2"]`.
 */
import { inspect } from "node:util";
import { UsageError } from "../../../ground/base/errors.ts";
import type { CommandOutput } from "../terminal/output.ts";

/** The line with the result of one PE: `3: { items: 5 }`. */
export function resultLine(value: unknown, rank: number, { hasColours }: CommandOutput): string {
  const text = inspect(value, {
    colors: hasColours,
    compact: true,
    breakLength: Number.POSITIVE_INFINITY,
  });
  return `${rank}: ${text}`;
}

/** A document that contains results of PEs. @throws UsageError if they cannot be converted to JSON */
export function resultsJson(document: object): string {
  try {
    return JSON.stringify(document, plainJson, 2);
  } catch (cause) {
    throw new UsageError(
      `--json expected results that JSON can hold: ${(cause as Error).message}. Run it without --json.`,
      { cause },
    );
  }
}

/** A replacer for `JSON.stringify`. */
function plainJson(_key: string, value: unknown): unknown {
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
