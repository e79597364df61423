/**
 * Code that is generated for a type of items: push, pull, and reading. Every
 * method is made for one item type and one tag width, so that it is a few loads and stores to V8.
 *
 * Source: code made once per schema, as fastify does for serialisation.
 */

import { lengthOf } from "../../../ground/base/byte-length.ts";
import { StateError, UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/for-v8.ts";
import type { Field, ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { COMPLETE, WORKING } from "../../../links/status/state.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { PushEntry } from "../engine/outbox.ts";
import { generate, itemName, numberOf } from "./generate.ts";
import type { ItemMembers } from "./item-class.ts";
import { argumentsOf, element, tagAt } from "./parts.ts";
import { drainMembers, senderText } from "./run-code.ts";
import { copyCode, isShort, WORDS, widthOf, wordsOf } from "./short-copy.ts";

/** A conveyor, as the methods need it. */
export interface ItemSeat {
  /** A number of state.ts. */
  readonly phase: number;
  /** Number of PEs. */
  readonly size: number;
  /**
   * Of the first hop, or all of a mesh: the outbox, the word of the heap with the first `at`, and the number of links
   * (link-table.ts).
   */
  readonly outbox: PushEntry;
  readonly places: number;
  readonly links: number;
  /** With more than one hop: the word of the heap with the first link of the routes (route.ts, mesh-ways.ts). */
  readonly routes: number;
  readonly cursor: Inbox;
  /** Makes room for an item to a PE, in the buffer of a link; whether there is some now. */
  makesRoom(dest: number, link: number): boolean;
  /** @throws RankRangeError unless it is a rank */
  checkRank(dest: unknown): void;
  /** @throws UsageError, RigidError */
  misfit(given: ArrayLike<unknown>): never;
  /** @throws StateError */
  refuse(call: string): never;
}

/**
 * The methods that push and pull items of a type, for a class (item-class.ts) whose objects are an {@link ItemSeat}.
 * What they know is in the object or in the heap, whose arrays are constants to V8: code that was compiled for one
 * conveyor is right for the next one of the type.
 *
 * Push leaves a buffer that it has filled: the next item for its link sends it, or the next advance. To look after each
 * item takes 6 to 12 % of the time of an item.
 *
 * Pull calls nothing, not even for the next buffer, which comes with the next advance: V8 keeps in registers what a
 * loop around it works with, as long as nothing is called. That is a third of the time of an item.
 * @param tagBytes width of the tags of the first hop
 * @param lastTagBytes width of those of the last
 */
export function itemMembers(
  item: ItemType,
  tagBytes: number,
  lastTagBytes: number,
  isDirect: boolean,
  views: Views,
): ItemMembers {
  const leaves = leavesOf(item);
  const { count, parameters } = argumentsOf(item);
  const at = (offset: number) => (offset === 0 ? "at" : `(at + ${offset})`);
  // begins again when there is room, as what V8 has loaded for an item stays known where nothing else can have come
  // before; but fields of objects are read once
  const isTaken = leaves.some(({ take }) => take !== "");
  // one call whether there is room or not: what is first called in compiled code ends that code
  const hasRoom = "noInline(c.makesRoom, c, dest, link)";
  const again = `noInline(this.push, this, dest, ${parameters})`;
  const open = isTaken
    ? `{ if (!${hasRoom}) return false; at = u32[place] | 0; }`
    : // a boolean by its form: who pushes in a loop need not look at what it is
      `return (${hasRoom} && ${again}) ? true : false;`;
  const drains = drainMembers(item, lastTagBytes, views);
  const port: ItemMembers["port"] = (belt) => `
    push(dest, ${parameters}) {
      ${belt("push")}
      ${leaves.map((leaf) => leaf.take).join(" ")}
      if (c.phase !== ${numberOf({ WORKING })}) refuse(c, "push");
      if (typeof dest !== "number" || !(dest >>> 0 === dest && dest < c.size)) c.checkRank(dest);
      if (arguments.length !== ${count + 1}${leaves.map((leaf) => ` || ${leaf.bad}`).join("")}) c.misfit(arguments);
      const { links } = c;
      const link = ${isDirect ? "dest" : "u32[c.routes + dest]"};
      const place = c.places + link;
      ${isTaken ? "let" : "const"} at = u32[place] | 0;
      if (at === (u32[place + links] | 0)) ${open}
      ${leaves.map((leaf) => leaf.write(at(leaf.offset))).join("\n      ")}
      ${tagBytes > 0 ? `const tagAt = u32[place + 2 * links]; ${tagAt(tagBytes)} = u32[c.routes + c.size + dest]; u32[place + 2 * links] = tagAt - ${tagBytes};` : ""}
      u32[place] = (at + ${item.bytes}) | 0;
      return true;
    }
    pull() {
      ${belt("pull")}
      const { cursor, phase } = c;
      if (!(phase >= ${numberOf({ WORKING })} && phase <= ${numberOf({ COMPLETE })})) refuse(c, "pull");
      const at = cursor.next;
      if (at === cursor.limit) {
        cursor.wanted = true;
        return false;
      }
      cursor.at = at;
      cursor.next = at + ${item.bytes};
      ${lastTagBytes > 0 ? `cursor.tagAt -= ${lastTagBytes};` : ""}
      return true;
    }`;
  return {
    name: `push-pull/${itemName(item)}?tags=${tagBytes},${lastTagBytes}`,
    port,
    text: senderText(item) + drains.text,
    scope: { detached, refuse, stale, noInline, ...stringsFor(leaves, views), ...drains.scope },
  };
}

/** @throws UsageError for a method that was called as a function */
export function detached(call: string): never {
  throw new UsageError(
    `${call}: expected to be called on its conveyor, got a call of ${call} alone; write c.${call}(…), or (…) => c.${call}(…).`,
  );
}

/** @throws StateError, or UsageError if it was called on something else */
export function refuse(c: Partial<Refusing>, call: string): never {
  if (typeof c.refuse !== "function") detached(call);
  return c.refuse(call);
}

/** @throws StateError for a function that was made for other items */
export function stale(call: string): never {
  throw new StateError(
    `${call}: this function was taken before begin changed the item type; read it from the conveyor again.`,
  );
}

interface Refusing {
  /** @throws StateError */
  refuse(call: string): never;
}

/**
 * The functions that recognize and write the strings of bytes among some leaves: `is128`, `put128`, for each length.
 */
export function stringsFor(leaves: readonly Leaf[], views: Views): Readonly<Record<string, unknown>> {
  const lengths = new Set(leaves.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes])));
  return Object.fromEntries(
    [...lengths].flatMap((length) => {
      const { is, put } = stringCode(length, views);
      return [
        [`is${length}`, is],
        [`put${length}`, put],
      ];
    }),
  );
}

/** The functions that {@link stringCode} makes. */
interface StringCode {
  /** Whether it is a string of so many bytes. */
  is(bytes: unknown): boolean;
  /** Writes one to a place, which is negative from 2 GiB on. */
  put(bytes: Uint8Array, at: number): void;
}

/**
 * The functions for strings of `length` bytes. Who pushes one array again and again, with other bytes in it, has it
 * written word by word; its words also tell its length, for which V8 would be called.
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

/** The scalars and byte strings that an item consists of, in order. */
export function leavesOf(item: ItemType): Leaf[] {
  if (item.kind !== "struct") return [leaf(item, "a0", 0)];
  return item.fields.flatMap((field, i) => inside(field, `a${i}`, "", 0));
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
