/**
 * Encodes any thrown value as data that a structured clone preserves, and decodes it on the receiving thread.
 *
 * A structured clone of an error keeps its name (if it is a built-in one), message, stack and cause. This encoding also
 * keeps the class, built-in or of this package, the error's own properties and the errors of an AggregateError. A value
 * that cannot be cloned is replaced by a description. Each error is encoded once, so circular causes are allowed.
 */

import { types } from "node:util";
import { classOf, restoreClass } from "./errors.ts";
import { define as defineAs } from "./objects/define.ts";
import { deserialize, serialize } from "./objects/serialized.ts";
import { shortText } from "./short-text.ts";

/** An encoded error. */
interface ErrorData {
  readonly kind: "error";
  /** The nearest built-in class. */
  readonly builtIn: string;
  /** The class of this package, if it has one. */
  readonly own: string | undefined;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | number | undefined;
  readonly properties: [key: string, value: EncodedError][];
  cause?: EncodedError;
  errors?: EncodedError[];
}

/** Any encoded value. */
export type EncodedError =
  | ErrorData
  /** Serialised by v8 once: serialisation runs the value's own code. */
  | { readonly kind: "value"; readonly bytes: Uint8Array }
  | { readonly kind: "words"; readonly words: string };

/** Limits of the encoding. */
export interface Detail {
  /** Depth of nested causes and of nested lists of errors. */
  readonly depth: number;
  /** Number of errors of an AggregateError, and of properties of an error. */
  readonly count: number;
  /** Bytes of a value serialised by v8. A larger value is replaced by a description. */
  readonly bytes: number;
  /** Characters of each stack and of each message. */
  readonly stack: number;
  readonly words: number;
}

type ErrorClass = new (message: string) => Error;

const BUILT_IN: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ...[Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map(
    (Class): [string, ErrorClass] => [Class.name, Class],
  ),
  ["AggregateError", AggregateError.bind(null, []) as unknown as ErrorClass],
]);

/** Encodes a thrown value. */
export function encodeThrown(thrown: unknown, detail: Detail, known: Map<Error, ErrorData> = new Map()): EncodedError {
  try {
    if (isError(thrown)) {
      const before = known.get(thrown);
      if (before !== undefined) return before;
      if (detail.depth > 0) return tellError(thrown, detail, known);
    } else {
      const bytes = serialize(thrown);
      if (bytes.length <= detail.bytes) return { kind: "value", bytes };
    }
  } catch {
    // it cannot be cloned, or its own code threw
  }
  return { kind: "words", words: shortText(thrown).slice(0, detail.words) };
}

function tellError(error: Error, detail: Detail, known: Map<Error, ErrorData>): ErrorData {
  const { name, message, stack, code, errors } = error as Error & Readonly<Record<"code" | "errors", unknown>>;
  const isCode = typeof code === "string" || typeof code === "number";
  const data: ErrorData = {
    kind: "error",
    builtIn: error instanceof DOMException ? "DOMException" : builtInOf(error),
    own: classOf(error),
    name: String(name),
    message: String(message).slice(0, detail.words),
    stack: detail.stack > 0 && stack ? String(stack).slice(0, detail.stack) : undefined,
    code: isCode ? code : undefined,
    properties: [],
  };
  // registered before its causes are visited: they may refer back to it
  known.set(error, data);
  const deeper = { ...detail, depth: detail.depth - 1 };
  if (error.cause !== undefined) data.cause = encodeThrown(error.cause, deeper, known);
  const apart = ["name", "message", "stack", "cause", ...(isCode ? ["code"] : [])];
  if (Array.isArray(errors)) {
    data.errors = errors.slice(0, detail.count).map((one) => encodeThrown(one, deeper, known));
    const more = errors.length - detail.count;
    if (more > 0) data.errors.push({ kind: "words", words: `and ${more} more` });
    apart.push("errors");
  }
  const keys = Object.keys(error).filter((key) => !apart.includes(key));
  for (const key of keys.slice(0, detail.count)) {
    data.properties.push([key, encodeThrown(propertyOf(error, key), deeper, known)]);
  }
  return data;
}

/** Decodes what {@link encodeThrown} returned: the same value, or the nearest one. */
export function decodeThrown(encoded: EncodedError, made: Map<EncodedError, Error> = new Map()): unknown {
  if (encoded.kind === "value") return deserialize(encoded.bytes);
  if (encoded.kind === "words") return encoded.words;
  const before = made.get(encoded);
  if (before !== undefined) return before;
  const { builtIn, own, name, message, stack, code, properties, cause, errors } = encoded;
  const error =
    builtIn === "DOMException" ? new DOMException(message, name) : new (BUILT_IN.get(builtIn) ?? Error)(message);
  made.set(encoded, error);
  // the new error's own stack would show the decoding, not the throw
  define(error, "stack", stack ?? `${name}: ${message}`);
  const isSame = (error as { code?: unknown }).code === code;
  if (!isSame) define(error, "code", code, true);
  for (const [key, value] of properties) define(error, key, decodeThrown(value, made), true);
  if (cause !== undefined) define(error, "cause", decodeThrown(cause, made));
  if (errors !== undefined)
    define(
      error,
      "errors",
      errors.map((one) => decodeThrown(one, made)),
    );
  restoreClass(error, own ?? name);
  if (error.name !== name) define(error, "name", name, true);
  return error;
}

const define = (error: Error, key: string, value: unknown, enumerable = false): void => {
  defineAs(error, key, { value, enumerable, configurable: true, writable: true });
};

/** Also recognises errors of other realms. */
const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

function builtInOf(error: Error): string {
  for (let proto = Object.getPrototypeOf(error); proto; proto = Object.getPrototypeOf(proto)) {
    if (BUILT_IN.has(proto.constructor?.name)) return proto.constructor.name;
  }
  return "Error";
}

function propertyOf(error: Error, key: string): unknown {
  try {
    return (error as unknown as Record<string, unknown>)[key];
  } catch {
    return "a value that cannot be read";
  }
}
