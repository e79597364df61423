/**
 * How a content is written into an operation and read from it.
 *
 *     item type   laid out as an item of a conveyor is, from a multiple of its alignment on
 *     text        its number of bytes, u32, then its bytes (utf8.ts), then up to the next multiple of 4
 *     value       the same, of what v8.serialize makes of it
 */
import { deserialize, serialize } from "node:v8";
import { lengthOf } from "../../../ground/base/byte-length.ts";
import { isCloneRefusal } from "../../../ground/base/clone-refusal.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { type ItemType, struct } from "../../../ground/item/item-type.ts";
import { leavesOf } from "../../conveyor/codegen/code.ts";
import { generate, itemName } from "../../conveyor/codegen/generate.ts";
import { element } from "../../conveyor/codegen/parts.ts";
import { type Content, describeContent } from "./content.ts";
import type { Cursor, Scratch } from "./cursor.ts";
import { MOST_BYTES, readText, writeText } from "./utf8.ts";

/** Writes values at the place of a scratch, and goes behind them. @throws UsageError for other values */
export type Write = (to: Scratch, what: string, ...values: readonly unknown[]) => void;

/** Reads a value at a place, and goes behind it. What it gives is no view of the memory. */
export type Read = (from: Cursor) => unknown;

export interface ContentCodec {
  readonly write: Write;
  readonly read: Read;
}

/** The codec of one value. */
export function codecOf(content: Content): ContentCodec {
  if (content.kind === "text") return { write: writeString, read: readString };
  if (content.kind === "value") return { write: writeValue, read: readValue };
  // as the only field of a struct: a struct is then given as an object
  return { write: writerOf(content, struct({ value: content })), read: readerOf(content) };
}

/** The writer of the arguments of a visitor: of a struct its fields, one by one. */
export function argumentsWriter(content: Content | undefined): Write {
  if (content === undefined) return writeNothing;
  return content.kind === "struct" ? writerOf(content, content) : codecOf(content).write;
}

/** A function that calls another with an entry and the arguments that are read at a place. */
export function argumentsReader(
  content: Content | undefined,
): (run: (...given: readonly unknown[]) => unknown, entry: unknown, from: Cursor) => unknown {
  if (content === undefined) return (run, entry) => run(entry);
  if (content.kind !== "struct") {
    const { read } = codecOf(content);
    return (run, entry, from) => run(entry, read(from));
  }
  const values = content.fields.map(({ type, offset }) => valueCode(type, offset));
  const source = `"use strict";
    return function apply(run, entry, from) {
      ${placeCode(content)}
      return run(entry, ${values.join(", ")});
    };`;
  return generate(`containers/apply/${itemName(content)}`, source, {}) as never;
}

const placeCode = ({ align, bytes }: ItemType): string => `
      const { views } = from;
      const at = (from.at + ${align - 1}) & ${-align};
      from.at = at + ${bytes};`;

/** @param item that is read later @param given the same, or a struct around it, whose fields are given one by one */
function writerOf(item: ItemType, given: ItemType): Write {
  const leaves = leavesOf(given);
  const count = given.kind === "struct" ? given.fields.length : 1;
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const lengths = new Set(leaves.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes])));
  const source = `"use strict";
    return function write(to, what, ${parameters}) {
      ${leaves.map(({ take }) => take).join(" ")}
      if (arguments.length !== ${count + 2}${leaves.map(({ bad }) => ` || ${bad}`).join("")}) misfit(what, arguments);
      ${item.bytes > 1024 ? `to.reserve(${item.bytes});` : ""}
      const { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 } = to.views;
      const at = (to.at + ${item.align - 1}) & ${-item.align};
      ${[...lengths].map((length) => `const put${length} = (bytes, place) => u8.set(bytes, place);`).join(" ")}
      ${leaves.map(({ write, offset }) => write(`(at + ${offset})`)).join("\n      ")}
      to.at = at + ${item.bytes};
    };`;
  const checks = [...lengths].map((length) => [`is${length}`, (bytes: unknown) => lengthOf(bytes) === length]);
  const misfit = (what: string, all: ArrayLike<unknown>): never => {
    const values = Array.from(all)
      .slice(2)
      .map((one) => shortText(one));
    throw new UsageError(`${what}: expected ${describeContent(item)}, got ${values.join(", ") || "nothing"}`);
  };
  const scope = { misfit, ...Object.fromEntries(checks) };
  return generate(`containers/write/${itemName(given)}`, source, scope) as Write;
}

function readerOf(item: ItemType): Read {
  const source = `"use strict";
    return function read(from) {
      ${placeCode(item)}
      return ${valueCode(item, 0)};
    };`;
  return generate(`containers/read/${itemName(item)}`, source, {}) as Read;
}

/** The code of the value of a type; a struct is an object, and bytes are copied, as the memory is shared. */
function valueCode(type: ItemType, offset: number): string {
  if (type.kind === "bytes") return `views.u8.slice(at + ${offset}, at + ${offset + type.bytes})`;
  if (type.kind === "scalar") return `views.${element(type, `(at + ${offset})`)}`;
  const fields = type.fields.map(
    (field) => `${JSON.stringify(field.name)}: ${valueCode(field.type, offset + field.offset)}`,
  );
  return `{ ${fields.join(", ")} }`;
}

const writeNothing: Write = (_to, what, ...given) => {
  if (given.length === 0) return;
  throw new UsageError(
    `${what}: expected no arguments, got ${given.map((one) => shortText(one)).join(", ")}. Declare them: args: f64, for example.`,
  );
};

const writeString: Write = (to, what, ...given) => {
  const [text] = given;
  if (typeof text !== "string" || given.length !== 1) {
    throw new UsageError(`${what}: expected a string, got ${given.map((one) => shortText(one)).join(", ")}`);
  }
  putText(to, text);
};

/** Writes a string. @returns where its bytes begin; its length is in the four bytes before */
function putText(to: Scratch, text: string): number {
  to.reserve(MOST_BYTES * text.length);
  const at = to.align(4) + 4;
  const { u8, u32 } = to.views;
  const length = writeText(text, u8, at);
  u32[(at >>> 2) - 1] = length;
  pad(u8, at + length);
  to.at = at + length;
  to.align(4);
  return at;
}

/** Sets the bytes up to the next multiple of 4 to zero. */
export function pad(u8: Uint8Array, end: number): void {
  for (let at = end; (at & 3) !== 0; at++) u8[at] = 0;
}

const readString: Read = (from) => {
  const at = from.align(4) + 4;
  const { u8, u32 } = from.views;
  const length = u32[(at >>> 2) - 1] as number;
  from.at = at + length;
  return readText(u8, at, length);
};

const writeValue: Write = (to, what, ...given) => {
  let bytes: Uint8Array;
  if (given.length !== 1) throw new UsageError(`${what}: expected one value, got ${given.length}`);
  try {
    bytes = serialize(given[0]);
  } catch (cause) {
    throw new UsageError(
      isCloneRefusal(cause)
        ? `${what}: expected a value that v8.serialize clones (no functions, no symbols), got ${shortText(given[0])}`
        : `${what}: serialization of ${shortText(given[0])} threw ${shortText(cause)}. Getters that v8.serialize calls must not throw.`,
      { cause },
    );
  }
  to.reserve(bytes.length);
  const at = to.align(4) + 4;
  const { u8, u32 } = to.views;
  u32[(at >>> 2) - 1] = bytes.length;
  u8.set(bytes, at);
  pad(u8, at + bytes.length);
  to.at = at + bytes.length;
  to.align(4);
};

const readValue: Read = (from) => {
  const at = from.align(4) + 4;
  const { u8, u32 } = from.views;
  const length = u32[(at >>> 2) - 1] as number;
  from.at = at + length;
  return deserialize(u8.slice(at, at + length));
};
