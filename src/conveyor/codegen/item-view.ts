/**
 * How items are shown: code that is generated for reading them where they lie.
 *
 * Source: code made once per schema, as fastify does for serialisation.
 */
import type { Field, ItemType } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import { element, NAMES } from "./code.ts";
import { generate, typesOf } from "./generate.ts";

/** What shows an item of a type. */
export interface ItemView {
  /** Says where the item is. */
  readonly cursor: { readonly at: number };
  /** The view of a struct. */
  readonly view: object | null;
}

/**
 * The view of a struct: one object, whose fields are always those of the item at `cursor.at`. Null for other items.
 *
 * Its getters are defined one by one: V8 makes a dictionary of an object literal with getters, and calls to them are then
 * not inlined, which is sixteen times slower.
 */
export function viewOf(item: ItemType, views: Views, cursor: ItemView["cursor"]): object | null {
  if (item.kind !== "struct") return null;
  const code = viewCode(item.fields, 0);
  const source = `"use strict"; const { ${NAMES} } = views; return ${code.text};`;
  return generate(`view/${typesOf(item)}`, source, {
    ...{ views, cursor },
    ...readersFor(code.lengths, views),
  }) as object;
}

/** The code of a view, and the lengths of the strings of bytes in it. */
function viewCode(
  fields: readonly Field[],
  base: number,
): { readonly text: string; readonly lengths: number[] } {
  const lengths: number[] = [];
  const definitions = fields.map(({ name, type, offset }) => {
    const define = (property: string) =>
      `Object.defineProperty(view, ${JSON.stringify(name)}, { enumerable: true, ${property} });`;
    if (type.kind === "struct") {
      const inner = viewCode(type.fields, base + offset);
      lengths.push(...inner.lengths);
      return define(`value: ${inner.text}`);
    }
    if (type.kind === "bytes") lengths.push(type.bytes);
    return define(`get() { const { at } = cursor; return ${readCode(type, base + offset)}; }`);
  });
  return {
    text: `(() => { const view = {}; ${definitions.join(" ")} return Object.preventExtensions(view); })()`,
    lengths,
  };
}

/** The code that reads what lies `offset` after `at`; a string of bytes by a function of {@link readersFor}. */
export function readCode(type: Exclude<ItemType, { kind: "struct" }>, offset: number): string {
  const address = offset === 0 ? "at" : `(at + ${offset})`;
  return type.kind === "bytes" ? `bytes${type.bytes}(${address})` : element(type, address);
}

/** What {@link readCode} needs in its scope, for strings of bytes of some lengths. */
export function readersFor(lengths: readonly number[], views: Views): Readonly<Record<string, unknown>> {
  return Object.fromEntries(lengths.map((length) => [`bytes${length}`, bytesReader(views.u8, length)]));
}

/** The lengths of the strings of bytes that an item without fields consists of: one or none. */
export const lengthsOf = (item: ItemType): readonly number[] => (item.kind === "bytes" ? [item.bytes] : []);

/** Views of strings of bytes that are kept: a power of two. There are 512 strings of 128 bytes in the buffers of two links, as they are by default. */
const KEPT = 2048;

/**
 * Gives strings of `length` bytes as views. Buffers lie where they lie, so the same views are needed again and again: they are
 * kept by where they begin, as making one takes as long as reading it.
 */
function bytesReader(u8: Uint8Array, length: number): (at: number) => Uint8Array {
  const source = `"use strict";
    const kept = new Array(${KEPT}).fill(u8);
    const begin = new Uint32Array(${KEPT}).fill(0xffffffff);
    return function bytes(at) {
      const place = (at >>> ${31 - Math.clz32(length)}) & ${KEPT - 1};
      if (begin[place] === at) return kept[place];
      begin[place] = at;
      return kept[place] = u8.subarray(at, at + ${length});
    };`;
  return generate(`get-bytes/${length}`, source, { u8 }) as (at: number) => Uint8Array;
}

/**
 * Lets `owner.item` show items of a type. The getter is a prototype's of its own, one for each type of items: in one for all
 * types V8 finds numbers and objects, and then makes an object of every number.
 */
export function viewItems(owner: ItemView, item: ItemType, views: Views): void {
  const { prototype } = owner.constructor;
  const types = prototypes.get(views) ?? new WeakMap<ItemType, Map<object, object>>();
  const owners = types.get(item) ?? new Map<object, object>();
  const shown = owners.get(prototype) ?? prototypeFor(prototype, item, views);
  prototypes.set(views, types.set(item, owners.set(prototype, shown)));
  Object.setPrototypeOf(owner, shown);
}

/** By memory, type of items, and class. */
const prototypes = new WeakMap<Views, WeakMap<ItemType, Map<object, object>>>();

function prototypeFor(base: object, item: ItemType, views: Views): object {
  const source = `"use strict";
    const { ${NAMES} } = views;
    return { get item() { ${item.kind === "struct" ? "return this.view;" : `const { at } = this.cursor; return ${readCode(item, 0)};`} } };`;
  const name = item.kind === "struct" ? "item" : `item/${typesOf(item)}`;
  const getter = generate(name, source, { views, ...readersFor(lengthsOf(item), views) }) as object;
  return Object.create(base, Object.getOwnPropertyDescriptors(getter)) as object;
}
