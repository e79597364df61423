/**
 * The kinds of values that a value conveyor transports, and how each becomes bytes and a value again.
 *
 *     arrays       Float64Array.of(1, 2)  ──▶ its 16 bytes ──▶  a view of the buffer that has them
 *     serialized   { id: 7, name: "x" }   ──serialize──▶ bytes ──copy──deserialize──▶  { id: 7, name: "x" }
 *
 * The bytes are copied before they are deserialized: what deserializes may return views of them (v8.deserialize does,
 * for every typed array within a value), and the buffer goes back to its sender.
 */

import { deserialize, serialize } from "node:v8";
import { byteLengthOf } from "../../../ground/base/byte-length.ts";
import { isCloneRefusal } from "../../../ground/base/clone-refusal.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { isPromise } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { ARRAY_NAMES, type ArrayType, type TypedArray } from "../../../ground/memory/kernels/elements.ts";

/** A kind of values. */
export interface ValueKind<V> {
  /** The conveyor's name in diagnoses. */
  readonly name: string;
  /** The terms that all PEs must agree about, as text. */
  readonly terms: string;
  /** The type of the arrays that are copied into the conveyor. */
  readonly type: ArrayType;
  /**
   * The array that is copied into the conveyor.
   * @throws what `serialize` throws; UsageError for what is no value of this kind
   */
  encode(value: V): TypedArray;
  /** The value that was made of these bytes, which belong to it; null if the value is a view of the buffer. */
  readonly decode: ((bytes: Uint8Array) => V) | null;
}

const BYTES = Uint8Array as ArrayType<Uint8Array>;

/** Typed arrays of one type. @throws UsageError from `encode` for other values, and for arrays that are detached */
export function arrayKind<T extends TypedArray>(type: ArrayType): ValueKind<T> {
  const { name } = type as unknown as { readonly name: string };
  return {
    name: `${name}s`,
    terms: `values: ${name}`,
    type,
    encode(value) {
      if (byteLengthOf(value, name) >= 0) return value;
      throw new UsageError(`push: expected a rank and a ${name} that is not detached, got ${shortText(value)}`);
    },
    decode: null,
  };
}

/** Values by functions of the user. */
export function pairKind<V>(toBytes: (value: V) => Uint8Array, toValue: (bytes: Uint8Array) => V): ValueKind<V> {
  return {
    name: "values",
    terms: `values by ${toBytes} and ${toValue}`,
    type: BYTES,
    encode(value) {
      const bytes: unknown = toBytes(value);
      if (byteLengthOf(bytes, "Uint8Array") >= 0) return bytes as Uint8Array;
      const advice = isPromise(bytes)
        ? "A promise is not awaited: serialize must return the bytes at once."
        : `For an array of another type: ${OVER_BYTES}`;
      throw new UsageError(
        `push: expected serialize to return a Uint8Array that is not detached, got ${shortText(bytes)}. ${advice}`,
      );
    },
    decode: toValue,
  };
}

const OVER_BYTES = "new Uint8Array(array.buffer, array.byteOffset, array.byteLength).";

/** The version of the format in which V8 serializes: behind the first byte. */
const FORMAT: number = serialize(null)[1];

/** Values that structured clone clones, in the format of V8. */
export const CLONED: ValueKind<unknown> = {
  name: "values",
  terms: `values by v8, format ${FORMAT}`,
  type: BYTES,
  encode(value) {
    try {
      return serialize(value);
    } catch (cause) {
      if (!isCloneRefusal(cause)) {
        throw new UsageError(
          `push: serialization of ${shortText(value)} threw ${shortText(cause)}. Getters and other functions that v8.serialize calls ` +
            "must not throw.",
          { cause },
        );
      }
      throw new UsageError(
        `push: expected a value that v8.serialize accepts, got ${shortText(value)}: ${shortText(cause).replace(/\.$/, "")}. ` +
          "Functions, symbols, promises and shared memory cannot be cloned: leave them out, or give the conveyor a " +
          "serialize and a deserialize of your own.",
        { cause },
      );
    }
  },
  decode: deserialize,
};

/** The constructors that `of` may be, for messages. */
export const ARRAY_TYPES: string = `the constructor of a typed array (${ARRAY_NAMES})`;
