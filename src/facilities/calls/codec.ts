/**
 * How a call is written as an item of an elastic conveyor, and read in place.
 *
 *     ┌───────────────────────────┬───────────────┐
 *     │ the arguments             │ number u8     │   number: of the handler, in the order of the table
 *     └───────────────────────────┴───────────────┘
 *
 * Arguments of an item type are laid out as the item is, from a multiple of 8 on; others are what node:v8 serializes of
 * their list. The number comes last, so that the arguments stay aligned.
 *
 * Limits: 256 handlers. A typed call takes the bytes of its item and one more, padded to 8, and no memory of
 * JavaScript, unless it has to wait; a serialized one is copied twice at each end.
 *
 * Example: `visit` is the first handler, with args struct({ vertex: u32, distance: u32 }); visit(7, 2) is the 9 bytes
 * 07 00 00 00 02 00 00 00 00.
 *
 * Source: code made once per schema, as fastify does for serialisation; active messages (von Eicken and others, 1992),
 * which name their handler in the head.
 */
import { deserialize, serialize } from "node:v8";
import { isCloneRefusal } from "../../ground/base/clone-refusal.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { isAsync } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { describeItem, type ItemType, isItemType, roundUp } from "../../ground/item/item-type.ts";
import { type Views, viewsOf } from "../../ground/item/views.ts";
import { leavesOf, stringsFor } from "../conveyor/codegen/code.ts";
import { generate, itemName } from "../conveyor/codegen/generate.ts";
import { bytesReader, valueCode } from "../conveyor/codegen/item-view.ts";
import { argumentsOf, type Pushing } from "../conveyor/codegen/parts.ts";
import type { Gate, Rest } from "../conveyor/codegen/run-code.ts";

/** The number of a handler takes a byte. */
const MOST_HANDLERS = 256;

/** A handler of a table. */
export interface HandlerEntry {
  readonly name: string;
  readonly number: number;
  /** null for arguments that are serialized. */
  readonly item: ItemType | null;
  readonly run: (...args: readonly unknown[]) => unknown;
}

/** Sends a call; gives what the {@link Rest} gives where there is no room. */
export type CallSender = (dest: number, ...args: readonly unknown[]) => unknown;

/**
 * Calls a handler with the arguments in a call's bytes; gives what it returns.
 * @param length of the arguments, bytes
 */
export type Reader = (at: number, length: number) => unknown;

/** The entries of a table. @throws UsageError */
export function entriesOf(table: unknown): readonly HandlerEntry[] {
  if (!isRecord(table) || Object.keys(table).length === 0) {
    throw new UsageError(`calls: expected handlers, as in { visit(vertex, distance) { … } }, got ${shortText(table)}`);
  }
  const names = Object.keys(table);
  if (names.length > MOST_HANDLERS) {
    throw new UsageError(
      `calls: expected at most ${MOST_HANDLERS} handlers, got ${names.length}. Let one of them take a number that says what to do.`,
    );
  }
  return names.map((name, number) => {
    const handler = table[name];
    const isTyped = typeof handler === "object" && handler !== null;
    const { args: item = null, run } = isTyped ? (handler as { args?: unknown; run?: unknown }) : { run: handler };
    if (typeof run !== "function" || isAsync(run)) {
      throw new UsageError(
        `calls: ${name}: expected a function that does not await, or { args, run } with such a function, got ${shortText(isTyped ? run : handler)}`,
      );
    }
    if (isTyped && !isItemType(item)) {
      throw new UsageError(
        `calls: ${name}: args: expected an item type (struct({ … }), u32, …), got ${shortText(item)}. For arguments that are serialized give the function alone.`,
      );
    }
    return { name, number, item: item as ItemType | null, run: run as HandlerEntry["run"] };
  });
}

/** What PEs must agree about, as text. */
export const termsOf = (entries: readonly HandlerEntry[]): string =>
  `calls of ${entries.map(({ name, item }) => `${name}(${item === null ? "any" : describeItem(item)})`).join(", ")}`;

/** @param gate says whether a push is in order @param c the conveyor */
export function senderOf(entry: HandlerEntry, gate: Gate, c: Pushing, rest: Rest): CallSender {
  return entry.item === null ? serializing(entry, gate, c, rest) : writing(entry, entry.item, gate, c, rest);
}

function serializing({ name, number }: HandlerEntry, gate: Gate, c: Pushing, rest: Rest): CallSender {
  return (dest, ...args) => {
    let list: Uint8Array;
    try {
      list = serialize(args);
    } catch (cause) {
      const given = args.map((arg) => shortText(arg)).join(", ");
      throw new UsageError(
        isCloneRefusal(cause)
          ? `async: ${name}: expected arguments that node:v8 serializes (no functions, no symbols), got ${given}`
          : `async: ${name}: serialization of ${given} threw ${shortText(cause)}. Getters and other functions that v8.serialize calls must not throw.`,
        { cause },
      );
    }
    const bytes = new Uint8Array(list.length + 1);
    bytes.set(list);
    bytes[list.length] = number;
    return gate.isClear && c.push(dest, bytes) ? undefined : rest(dest, [bytes]);
  };
}

function writing({ name, number }: HandlerEntry, item: ItemType, gate: Gate, c: Pushing, rest: Rest): CallSender {
  const views = viewsOf(new ArrayBuffer(roundUp(item.bytes + 1, 8)));
  const bytes = views.u8.subarray(0, item.bytes + 1);
  bytes[item.bytes] = number;
  const { count, parameters } = argumentsOf(item);
  const leaves = leavesOf(item);
  const misfit = (given: ArrayLike<unknown>): never => {
    throw new UsageError(
      `async: ${name}: expected a rank and ${describeItem(item)}, got ${Array.from(given, (one) => shortText(one)).join(", ")}`,
    );
  };
  const source = `"use strict";
    return function call(dest, ${parameters}) {
      ${leaves.map(({ take }) => take).join(" ")}
      if (arguments.length !== ${count + 1}${leaves.map(({ bad }) => ` || ${bad}`).join("")}) misfit(arguments);
      ${leaves.map(({ write, offset }) => write(String(offset))).join("\n      ")}
      if (gate.isClear && c.push(dest, bytes)) return undefined;
      // the next call writes to the same bytes
      return rest(dest, [bytes.slice()]);
    };`;
  const scope = { ...views, ...stringsFor(leaves, views), gate, c, rest, bytes, misfit };
  return generate(`calls/write/${itemName(item)}`, source, scope) as CallSender;
}

/** @param views of the memory of the conveyor */
export function readerOf({ item, run }: HandlerEntry, views: Views): Reader {
  const { u8 } = views;
  if (item === null) {
    // a copy: the memory is shared
    return (at, length) => run(...(deserialize(u8.slice(at, at + length)) as unknown[]));
  }
  const values = item.kind === "struct" ? item.fields : [{ type: item, offset: 0 }];
  const source = `"use strict";
    return function read(at) { return run(${values.map(({ type, offset }) => valueCode(type, offset)).join(", ")}); };`;
  const readers = Object.fromEntries(lengthsIn(item).map((length) => [`bytes${length}`, bytesReader(views, length)]));
  return generate(`calls/read/${itemName(item)}`, source, { ...views, ...readers, run }) as Reader;
}

/** The lengths of the byte strings in an item. */
function lengthsIn(item: ItemType): number[] {
  if (item.kind === "struct") return item.fields.flatMap(({ type }) => lengthsIn(type));
  return item.kind === "bytes" ? [item.bytes] : [];
}
