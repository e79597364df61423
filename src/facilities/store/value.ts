/** Keys and values: what they may be, how long, and their bytes. */
import { lengthOf } from "../../ground/base/byte-length.ts";
import { OverflowError, UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";

/** The value of a key: a string or bytes. What was set as the one is got as the same. */
export type StoreValue = string | Uint8Array;

/** How long keys and values may be. */
export interface StoreLimits {
  readonly keyBytes: number;
  readonly valueBytes: number;
}

export const DEFAULT_LIMITS: StoreLimits = { keyBytes: 1024, valueBytes: 2 ** 20 };

const TEXT = 0;
const BYTES = 1;

/** Half of a surrogate pair: UTF-8 has no code for it. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** @throws UsageError; OverflowError */
export function checkKey(call: string, key: unknown, { keyBytes }: StoreLimits): asserts key is string {
  if (typeof key !== "string") throw new UsageError(`${call}: expected a string as key, got ${shortText(key)}`);
  checkText(call, "key", key, keyBytes);
}

/** @throws UsageError; OverflowError */
export function checkValue(call: string, value: unknown, { valueBytes }: StoreLimits): asserts value is StoreValue {
  if (typeof value === "string") return checkText(call, "value", value, valueBytes);
  const length = lengthOf(value);
  if (length < 0) {
    throw new UsageError(`${call}: expected a string or a Uint8Array as value, got ${shortText(value)}`);
  }
  if (length > valueBytes) throw tooLong(call, "value", valueBytes, length);
}

function checkText(call: string, what: "key" | "value", text: string, most: number): void {
  // a code unit has at most three bytes in UTF-8
  const length = 3 * text.length <= most ? 0 : Buffer.byteLength(text);
  if (length > most) throw tooLong(call, what, most, length);
  if (LONE.test(text)) {
    throw new UsageError(
      `${call}: expected a ${what} of whole characters, got half of a surrogate pair in ${shortText(text)}. Use a Uint8Array as value for what is no text.`,
    );
  }
}

const tooLong = (call: string, what: "key" | "value", most: number, length: number): OverflowError =>
  new OverflowError(
    `${call}: expected a ${what} of at most ${most} bytes, got ${length} bytes. The option ${what}Bytes sets the limit.`,
  );

export const writeValue = (to: ByteWriter, value: StoreValue): ByteWriter =>
  typeof value === "string" ? to.byte(TEXT).text(value) : to.byte(BYTES).bytes(value);

/** @returns bytes of its own */
export const readValue = (from: ByteReader): StoreValue => (from.byte() === TEXT ? from.text() : from.bytes().slice());

/** Bytes are copied: the caller may change them. */
export const copyOf = (value: StoreValue | undefined): StoreValue | undefined =>
  typeof value === "object" ? value.slice() : value;

export function isSame(a: StoreValue | undefined, b: StoreValue | undefined): boolean {
  if (a === b) return true;
  if (!(a instanceof Uint8Array && b instanceof Uint8Array) || a.length !== b.length) return false;
  return Buffer.compare(a, b) === 0;
}
