/**
 * Code that is generated for a type of items: push, pull, reading, and turning over from hop to hop. Every
 * function is made for one item type and one tag width, so that it is a few loads and stores to V8.
 *
 * Source: code made once per schema, as fastify does for serialisation.
 */
import { EnvironmentError } from "../errors.ts";
import type { Field, ItemType, Scalar } from "../item/types.ts";
import type { Views } from "../item/views.ts";
import type { Inbox } from "./inbox.ts";
import { lengthOf } from "./length.ts";
import type { Outbox } from "./outbox.ts";
import type { Turn } from "./route.ts";

/** What the generated functions ask when something is not as it should be; they throw, or answer. */
export interface Gate {
  /** A number of state.ts. */
  state: number;
  /** By rank: the first link and the first tag. */
  readonly link: Uint32Array;
  readonly tag: Uint32Array;
  readonly size: number;
  /** @throws StateError */
  refuse(call: string): never;
  /** @throws RankRangeError */
  range(dest: unknown): never;
  /** @throws UsageError */
  misfit(given: IArguments): never;
  /** The next buffer to pull from; false when there is none now. @throws StateError */
  fetch(): boolean;
}

/** What is generated for a type of items. */
export interface ItemCode {
  readonly push: (dest: number, ...values: readonly unknown[]) => boolean;
  readonly pull: () => boolean;
}

/** What shows an item. */
export interface ItemReader {
  /** The view of a struct: one object, which always shows the item at `cursor.at`. Null for other items. */
  readonly view: object | null;
  /** The item at `cursor.at`: the view, or the value of an item that is no struct. */
  readonly read: () => unknown;
}

/** Push, whatever the items are. */
export type AnyPush = (dest: number, ...values: readonly unknown[]) => boolean;

/** Turns items over: from `at` on, `left` of them; gives how many are left when a link has no room. */
export type TurnOver = (at: number, tagAt: number, left: number, source: number) => number;

export const NAMES = "i8, u8, i16, u16, i32, u32, i64, u64, f32, f64";
export const SHIFT: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2, 8: 3 };
const TAG_VIEW: Readonly<Record<number, string>> = { 1: "u8", 2: "u16", 4: "u32" };

/** Items up to this long are copied word by word, longer ones by a call. */
const UNROLLED_BYTES = 64;

/**
 * What reads items of a type.
 * @param cursor says where the item is
 */
export function readerCode(item: ItemType, views: Views, cursor: { at: number }): ItemReader {
  const source = `"use strict";
    const { ${NAMES} } = views;
    const view = ${item.kind === "struct" ? viewCode(item.fields, 0) : "null"};
    function read() { const { at } = cursor; return ${item.kind === "struct" ? "view" : readCode(item, 0)}; }
    return { view, read };`;
  return generate(source, { views, cursor }) as ItemReader;
}

/** The function that copies items of a type from one memory to another. */
export function copierCode(item: ItemType, from: Views, to: Views): (source: number, target: number) => void {
  const width = Math.min(item.align, 4) as 1 | 2 | 4;
  const view = { 4: "i32", 2: "u16", 1: "u8" }[width];
  const source = `"use strict";
    const source = from.${view}, target = to.${view};
    return function copy(at, place) {
      for (let i = 0; i < ${item.bytes / width}; i++) target[(place >>> ${SHIFT[width]}) + i] = source[(at >>> ${SHIFT[width]}) + i];
    };`;
  return generate(source, { from, to }) as (source: number, target: number) => void;
}

/**
 * The functions that push and pull items of a type.
 * @param flat whether push takes the fields of a struct within a struct one by one, and not as an object
 * @param tagBytes width of the tags of the first hop
 * @param lastTagBytes width of those of the last
 */
export function itemCode(
  item: ItemType,
  flat: boolean,
  tagBytes: number,
  lastTagBytes: number,
  views: Views,
  gate: Gate,
  outbox: Outbox,
  inbox: Inbox,
): ItemCode {
  const { leaves, count } = leavesOf(item, flat);
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`);
  const at = (offset: number) => (offset === 0 ? "at" : `(at + ${offset})`);
  const source = `"use strict";
    const { ${NAMES} } = views;
    const { at: AT, end: END, tagAt: TAGAT } = outbox;
    const { link: LINK, tag: TAG, size } = gate;
    function push(dest, ${parameters.join(", ")}) {
      ${leaves.map((leaf) => leaf.take).join(" ")}
      if (gate.state !== 1) gate.refuse("push");
      if (typeof dest !== "number" || !(dest >>> 0 === dest && dest < size)) gate.range(dest);
      if (arguments.length !== ${count + 1}${leaves.map((leaf) => ` || ${leaf.bad}`).join("")}) gate.misfit(arguments);
      const link = LINK[dest];
      let at = AT[link];
      if (at === END[link]) {
        if (!outbox.open(link)) return false;
        at = AT[link];
      }
      ${leaves.map((leaf) => leaf.write(at(leaf.offset))).join("\n      ")}
      ${tagBytes > 0 ? `const tagAt = TAGAT[link]; ${tagAt(tagBytes)} = TAG[dest]; TAGAT[link] = tagAt - ${tagBytes};` : ""}
      at = (at + ${item.bytes}) >>> 0;
      AT[link] = at;
      if (at === END[link]) outbox.filled(link);
      return true;
    }
    function pull() {
      let at = inbox.next;
      if (at === inbox.limit) {
        if (!gate.fetch()) return false;
        at = inbox.next;
      }
      inbox.at = at;
      inbox.next = at + ${item.bytes};
      ${lastTagBytes > 0 ? `inbox.tagAt -= ${lastTagBytes};` : ""}
      return true;
    }
    return { push, pull };`;
  return generate(source, { views, gate, outbox, inbox, lengthOf }) as ItemCode;
}

/**
 * The function that turns items of `bytes` bytes over to the next hop.
 * @param widths of the tags of this hop and of the next
 */
export function turnOverCode(
  bytes: number,
  turn: Turn,
  [from, to]: readonly [from: number, to: number],
  views: Views,
  outbox: Outbox,
): TurnOver {
  const { linkShift, linkMask, sourceShift, keepShift, keepMask } = turn;
  const source = `"use strict";
    const { ${NAMES} } = views;
    const { at: AT, end: END, tagAt: TAGAT } = outbox;
    return function turnOver(at, tagAt, left, source) {
      const mark = source << ${sourceShift};
      while (left > 0) {
        tagAt -= ${from};
        const tag = ${tagAt(from)};
        const link = (tag >>> ${linkShift}) & ${linkMask};
        let to = AT[link];
        if (to === END[link]) {
          if (!outbox.open(link)) return left;
          to = AT[link];
        }
        ${copyCode(bytes)}
        {
          const tagAt = TAGAT[link];
          ${tagAt(to)} = mark | ((tag >>> ${keepShift}) & ${keepMask});
          TAGAT[link] = tagAt - ${to};
        }
        to = (to + ${bytes}) >>> 0;
        AT[link] = to;
        if (to === END[link]) outbox.filled(link);
        at = (at + ${bytes}) >>> 0;
        left--;
      }
      return 0;
    };`;
  return generate(source, { views, outbox }) as TurnOver;
}

/**
 * The push of a biconveyor, for queries of `count` arguments: puts the token before them, and makes no list of
 * them for that.
 * @param token the next one; -1 when there is no room
 * @param push of the conveyor of queries
 * @param pushed counts the query
 */
export function askCode(
  count: number,
  token: (dest: number) => number,
  push: AnyPush,
  pushed: () => void,
): AnyPush {
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const source = `"use strict";
    return function ask(dest, ${parameters}) {
      const place = token(dest);
      if (place < 0) return false;
      // the other push says what is wrong with too many or too few
      const is = arguments.length === ${count + 1}
        ? push(dest, place, ${parameters})
        : push(dest, place, ...Array.prototype.slice.call(arguments, 1));
      if (is) pushed();
      return is;
    };`;
  return generate(source, { token, push, pushed }) as AnyPush;
}

export function tagAt(width: number): string {
  return `${TAG_VIEW[width]}[tagAt >>> ${SHIFT[width]}]`;
}

/** Copies an item from `at` to `to`; not through floats, which need not keep the bits of a NaN. */
function copyCode(bytes: number): string {
  const width = [4, 2, 1].find((size) => bytes % size === 0) as 4 | 2 | 1;
  const steps = bytes / width;
  if (bytes > UNROLLED_BYTES || steps > 16) return `u8.copyWithin(to, at, at + ${bytes});`;
  const view = { 4: "i32", 2: "u16", 1: "u8" }[width];
  const at = (name: string, step: number) => `${view}[(${name} >>> ${SHIFT[width]}) + ${step}]`;
  return Array.from({ length: steps }, (_, step) => `${at("to", step)} = ${at("at", step)};`).join(" ");
}

interface Leaf {
  readonly offset: number;
  /** Reads it, once: what is checked must be what is written, and a getter may do anything in between. */
  readonly take: string;
  /** Whether the argument is none of this type. */
  readonly bad: string;
  /** Writes it to an address. */
  write(address: string): string;
}

/** The scalars and byte strings that an item consists of, in order, and how many arguments they come in. */
function leavesOf(item: ItemType, flat: boolean): { readonly leaves: Leaf[]; readonly count: number } {
  if (item.kind !== "struct") return { leaves: [leaf(item, "a0", 0)], count: 1 };
  let count = 0;
  const leaves = item.fields.flatMap((field) => {
    const { type, offset } = field;
    if (!flat || type.kind !== "struct") return inside(field, `a${count++}`, "", 0);
    return type.fields.flatMap((inner) => inside(inner, `a${count++}`, "", offset));
  });
  return { leaves, count };
}

/**
 * @param name of the variable that holds the field's value
 * @param take the code that reads it; empty for an argument
 */
function inside({ type, offset }: Field, name: string, take: string, base: number): Leaf[] {
  if (type.kind !== "struct") return [{ ...leaf(type, name, base + offset), take }];
  const isObject: Leaf = {
    offset: 0,
    take: `${take} const ${name}_ = typeof ${name} === "object" && ${name} !== null;`,
    bad: `!${name}_`,
    write: () => "",
  };
  const nested = type.fields.flatMap((field, i) => {
    const inner = `${name}_${i}`;
    const read = `const ${inner} = ${name}_ ? ${name}[${JSON.stringify(field.name)}] : undefined;`;
    return inside(field, inner, read, base + offset);
  });
  return [isObject, ...nested];
}

function leaf(type: Exclude<ItemType, { kind: "struct" }>, expression: string, offset: number): Leaf {
  if (type.kind === "bytes") {
    return {
      offset,
      take: "",
      bad: `lengthOf(${expression}) !== ${type.bytes}`,
      write: (address) => `u8.set(${expression}, ${address});`,
    };
  }
  const isBig = type.name === "i64" || type.name === "u64";
  return {
    offset,
    take: "",
    bad: `typeof ${expression} !== "${isBig ? "bigint" : "number"}"`,
    write: (address) => `${element(type, address)} = ${expression};`,
  };
}

const element = ({ name, bytes }: Scalar, address: string): string =>
  `${name}[${address} >>> ${SHIFT[bytes]}]`;

/**
 * An object whose getters read the item at `cursor.at`. They are defined one by one: V8 makes a dictionary of an object
 * literal with getters, and calls to them are then not inlined, which is sixteen times slower.
 */
function viewCode(fields: readonly Field[], base: number): string {
  const definitions = fields.map(({ name, type, offset }) => {
    const property =
      type.kind === "struct"
        ? `value: ${viewCode(type.fields, base + offset)}`
        : `get() { const { at } = cursor; return ${readCode(type, base + offset)}; }`;
    return `Object.defineProperty(view, ${JSON.stringify(name)}, { enumerable: true, ${property} });`;
  });
  return `(() => { const view = {}; ${definitions.join(" ")} return Object.preventExtensions(view); })()`;
}

export function readCode(type: Exclude<ItemType, { kind: "struct" }>, offset: number): string {
  const address = offset === 0 ? "at" : `(at + ${offset})`;
  if (type.kind === "bytes") return `u8.subarray(${address}, ${address} + ${type.bytes})`;
  return element(type, address);
}

export function generate(source: string, scope: Readonly<Record<string, unknown>>): unknown {
  try {
    return new Function(...Object.keys(scope), source)(...Object.values(scope));
  } catch (cause) {
    if (!(cause instanceof EvalError)) throw cause;
    throw new EnvironmentError(
      "Conveyors generate code for each type of items, and this process does not allow that " +
        "(--disallow-code-generation-from-strings). Start it without.",
      { cause },
    );
  }
}
