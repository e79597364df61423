/**
 * Code that is generated for a type of items: push, pull, and reading. Every
 * function is made for one item type and one tag width, so that it is a few loads and stores to V8.
 *
 * Source: code made once per schema, as fastify does for serialisation.
 */

import { lengthOf } from "../../base/byte-length.ts";
import { noInline } from "../../base/no-inline.ts";
import type { Field, ItemType, Scalar } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import { DORMANT, WORKING } from "../../status/state.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { Outbox } from "../engine/outbox.ts";
import { generate, type Maker, makerOf, numberOf, typesOf } from "./generate.ts";
import { copyCode, isShort, WORDS, widthOf, wordsOf } from "./short-copy.ts";

/** What the generated functions ask when something is not as it should be; they throw, or answer. */
export interface Gate {
  /** A number of state.ts. */
  state: number;
  /** Links are ranks: there is one hop. */
  readonly direct: boolean;
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

/** Push, whatever the items are. */
export type AnyPush = (dest: number, ...values: readonly unknown[]) => boolean;

export const SHIFT: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2, 8: 3 };
const TAG_VIEW: Readonly<Record<number, string>> = { 1: "u8", 2: "u16", 4: "u32" };

/**
 * The functions that push and pull items of a type.
 *
 * Push leaves a buffer that it has filled: the next item for its link sends it, or the next advance. To look after each item
 * takes 6 to 12 % of the time of an item.
 *
 * Pull calls nothing, not even for the next buffer, which comes with the next advance: V8 keeps in registers what a loop around
 * it works with, as long as nothing is called. That is a third of the time of an item.
 * @param tagBytes width of the tags of the first hop
 * @param lastTagBytes width of those of the last
 */
export function itemCode(
  item: ItemType,
  tagBytes: number,
  lastTagBytes: number,
  views: Views,
  gate: Gate,
  outbox: Outbox,
  inbox: Inbox,
): ItemCode {
  const form = `${tagBytes},${lastTagBytes},${gate.direct}`;
  let forms = itemMakers.get(item);
  if (forms === undefined) {
    forms = new Map();
    itemMakers.set(item, forms);
  }
  let maker = forms.get(form);
  if (maker === undefined) {
    maker = itemMaker(item, tagBytes, lastTagBytes, gate.direct);
    forms.set(form, maker);
  }
  const { make, lengths } = maker;
  const { at, end, tagAt } = outbox;
  const { link, tag, size } = gate;
  const memory = VIEWS.map((name) => views[name]);
  const strings = Object.values(stringsFor(lengths, views));
  return make(
    ...[...memory, at, end, tagAt, link, tag, size, gate, outbox, inbox, noInline],
    ...strings,
  ) as ItemCode;
}

const VIEWS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"] as const;
/**
 * The names that push and pull know, in this order. They are parameters of what makes the functions: of a constant V8 would look at
 * each access whether it is initialised yet, when it does not know which of several closures it compiles.
 */
const SCOPE = [
  ...VIEWS,
  ...["AT", "END", "TAGAT", "LINK", "TAG", "size", "gate", "outbox", "inbox", "noInline"],
];

/** What makes the functions, and the lengths of the strings of bytes that they write. */
interface ItemMaker {
  readonly make: Maker;
  readonly lengths: readonly number[];
}

/** By item type, and by what else their text depends on, so that the text is put together once. */
const itemMakers = new WeakMap<ItemType, Map<string, ItemMaker>>();

function itemMaker(item: ItemType, tagBytes: number, lastTagBytes: number, isDirect: boolean): ItemMaker {
  const { leaves, count } = leavesOf(item);
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`);
  const at = (offset: number) => (offset === 0 ? "at" : `(at + ${offset})`);
  // begins again when there is room, as what V8 has loaded for an item stays known where nothing else can have come before;
  // but fields of objects are read once
  const isTaken = leaves.some(({ take }) => take !== "");
  const open = isTaken
    ? "{ if (!noInline(outbox.open, outbox, link)) return false; at = AT[link] | 0; }"
    : `return noInline(outbox.open, outbox, link) && noInline(push, undefined, dest, ${parameters.join(", ")}) ? true : false;`;
  const source = `"use strict";
    function push(dest, ${parameters.join(", ")}) {
      ${leaves.map((leaf) => leaf.take).join(" ")}
      if (gate.state !== ${numberOf({ WORKING })}) gate.refuse("push");
      if (typeof dest !== "number" || !(dest >>> 0 === dest && dest < size)) gate.range(dest);
      if (arguments.length !== ${count + 1}${leaves.map((leaf) => ` || ${leaf.bad}`).join("")}) gate.misfit(arguments);
      const link = ${isDirect ? "dest" : "LINK[dest]"};
      ${isTaken ? "let" : "const"} at = AT[link] | 0;
      if (at === (END[link] | 0)) ${open}
      ${leaves.map((leaf) => leaf.write(at(leaf.offset))).join("\n      ")}
      ${tagBytes > 0 ? `const tagAt = TAGAT[link]; ${tagAt(tagBytes)} = TAG[dest]; TAGAT[link] = tagAt - ${tagBytes};` : ""}
      AT[link] = (at + ${item.bytes}) | 0;
      return true;
    }
    function pull() {
      if (gate.state === ${numberOf({ DORMANT })}) gate.refuse("pull");
      const at = inbox.next;
      if (at === inbox.limit) {
        inbox.wanted = true;
        return false;
      }
      inbox.at = at;
      inbox.next = at + ${item.bytes};
      ${lastTagBytes > 0 ? `inbox.tagAt -= ${lastTagBytes};` : ""}
      return true;
    }
    return { push, pull };`;
  const lengths = [...new Set(leaves.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes])))];
  const name = `push-pull/${typesOf(item)}?tags=${tagBytes},${lastTagBytes}`;
  const strings = lengths.flatMap((length) => [`is${length}`, `put${length}`]);
  return { make: makerOf(name, source, [...SCOPE, ...strings]), lengths };
}

/** What recognizes and writes strings of bytes of some lengths: `is128`, `put128`. */
export const stringsFor = (lengths: readonly number[], views: Views): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    lengths.flatMap((length) => {
      const { is, put } = stringCode(length, views);
      return [
        [`is${length}`, is],
        [`put${length}`, put],
      ];
    }),
  );

/** What {@link stringCode} makes. */
interface StringCode {
  /** Whether it is a string of so many bytes. */
  is(bytes: unknown): boolean;
  /** Writes one to a place, which is negative from 2 GiB on. */
  put(bytes: Uint8Array, at: number): void;
}

/**
 * The functions for strings of `length` bytes. Who pushes one array again and again, with other bytes in it, has it written
 * word by word; its words also tell its length, for which V8 would be called.
 */
function stringCode(length: number, views: Views): StringCode {
  const { u8 } = views;
  const width = widthOf(length);
  if (!isShort(length, width)) {
    return { is: (bytes) => lengthOf(bytes) === length, put: (bytes, at) => u8.set(bytes, at >>> 0) };
  }
  const copy = copyCode(length, width, [WORDS[width], "at", "u8"], ["from", "0", "bytes"]);
  const source = `"use strict";
    let last = null, words = null;
    function is(bytes) {
      // there are none of them when its buffer was detached
      if (bytes === last && words !== null && words.length === ${length / width}) return true;
      return lengthOf(bytes) === ${length};
    }
    function put(bytes, at) {
      if (bytes !== last) {
        last = bytes;
        words = null;
      } else {
        const from = words;
        if (from !== null && (at & ${width - 1}) === 0) {
          ${copy}
          return;
        }
        if (from === null) words = wordsOf(bytes, ${width}, ${length / width});
      }
      u8.set(bytes, at >>> 0);
    }
    return { is, put };`;
  return generate(`put-bytes/${length}`, source, { ...views, lengthOf, wordsOf }) as StringCode;
}

/** The code that says who sent the item whose tag, of a width, is at `tagAt`: `from`. */
export const originCode = (width: number): string =>
  width === 0
    ? "const from = inbox.source;"
    : `const tag = ${tagAt(width)};
        const from = ranks[(tag >>> 8) * plane + inbox.source * row + (tag & low)];`;

export function tagAt(width: number): string {
  return `${TAG_VIEW[width]}[tagAt >>> ${SHIFT[width]}]`;
}

interface Leaf {
  readonly offset: number;
  /** Reads it, once: what is checked must be what is written, and a getter may do anything in between. */
  readonly take: string;
  /** Whether the argument is none of this type. */
  readonly bad: string;
  /** Writes it to an address. */
  write(address: string): string;
  /** Of a string of bytes: its length, for {@link stringsFor}. */
  readonly bytes?: number;
}

/** The scalars and byte strings that an item consists of, in order, and how many arguments they come in. */
export function leavesOf(item: ItemType): { readonly leaves: Leaf[]; readonly count: number } {
  if (item.kind !== "struct") return { leaves: [leaf(item, "a0", 0)], count: 1 };
  const { fields } = item;
  return { leaves: fields.flatMap((field, i) => inside(field, `a${i}`, "", 0)), count: fields.length };
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
      bad: `!is${type.bytes}(${expression})`,
      write: (address) => `put${type.bytes}(${expression}, ${address});`,
      bytes: type.bytes,
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

export const element = ({ name, bytes }: Scalar, address: string): string =>
  `${name}[${address} >>> ${SHIFT[bytes]}]`;
