/**
 * How items are shown: code that is generated for reading them where they lie.
 *
 * Views of items of a type are of one class, whatever conveyor they belong to, and have the same getters: the code of a
 * program that reads items meets one kind of object then, and V8 compiles it once.
 *
 * Source: code made once per schema, as fastify does for serialisation.
 */
import type { Field, ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { generateOnce, typesOf } from "./generate.ts";
import { element } from "./parts.ts";

/** An object that shows an item of a type. */
export interface ItemView {
  /** Says where the item is. */
  readonly cursor: { readonly at: number };
  /** The view of a struct. */
  readonly view: object | null;
}

/** Gives the string of bytes at a byte offset, as a view. */
export type BytesReader = (at: number) => Uint8Array;

/**
 * The view of a struct: one plain object, whose fields are always those of the item at `cursor.at`. Null for other
 * items.
 *
 * Its getters are defined one by one, and views of a type share them. V8 makes a dictionary of an object literal with
 * getters, and of an object whose getters are others than those of the one before; calls to them are then not inlined,
 * which is sixteen times slower. They find the cursor in a private field, which is put on a plain object by a
 * constructor that returns one.
 */
export function viewOf(item: ItemType, store: Views, cursor: ItemView["cursor"]): object | null {
  if (item.kind !== "struct") return null;
  let makers = viewMakers.get(store);
  if (makers === undefined) {
    makers = new WeakMap();
    viewMakers.set(store, makers);
  }
  let maker = makers.get(item);
  if (maker === undefined) {
    maker = viewMaker(item, store);
    makers.set(item, maker);
  }
  const { make, lengths } = maker;
  return make(cursor, ...lengths.map((length) => bytesReader(store, length)));
}

/** The maker of views, and the lengths of the strings of bytes in them. */
interface ViewMaker {
  readonly make: (...parts: unknown[]) => object;
  readonly lengths: readonly number[];
}

/** By memory and item type, so that the text is put together once. */
const viewMakers = new WeakMap<Views, WeakMap<ItemType, ViewMaker>>();

function viewMaker(item: ItemType & { kind: "struct" }, store: Views): ViewMaker {
  const { text, lengths } = viewCode(item.fields, 0);
  const source = `"use strict";
    class Plain { constructor(object) { return object; } }
    return ${text};`;
  const make = generateOnce(store, `view/${typesOf(item)}`, source, { ...store }) as ViewMaker["make"];
  return { make, lengths };
}

/** The code of what makes views, and the lengths of the strings of bytes in them. */
function viewCode(
  fields: readonly Field[],
  base: number,
): { readonly text: string; readonly lengths: readonly number[] } {
  const lengths = [...new Set(fields.flatMap(({ type }) => lengthsOf(type)))];
  const parts = ["cursor", ...lengths.map((length) => `bytes${length}`)];
  const statics: string[] = [];
  const definitions = fields.map(({ name, type, offset }, i) => {
    const define = (property: string) =>
      `Object.defineProperty(this, ${JSON.stringify(name)}, { __proto__: null, enumerable: true, ${property} });`;
    if (type.kind === "struct") {
      const inner = viewCode(type.fields, base + offset);
      const given = ["cursor", ...inner.lengths.map((length) => `bytes${length}`)].join(", ");
      statics.push(`static #of${i} = ${inner.text};`);
      return define(`value: View.#of${i}(${given})`);
    }
    const from = type.kind === "bytes" ? "this.#" : "";
    const read = readCode(type, base + offset, "this.#cursor.at", from);
    statics.push(`static #of${i} = function () { return ${read}; };`);
    return define(`get: View.#of${i}`);
  });
  const text = `(() => {
    class View extends Plain {
      ${parts.map((part) => `#${part};`).join(" ")}
      ${statics.join("\n      ")}
      constructor(${parts.join(", ")}) {
        super({});
        ${parts.map((part) => `this.#${part} = ${part};`).join(" ")}
        ${definitions.join("\n        ")}
        Object.preventExtensions(this);
      }
    }
    return (${parts.join(", ")}) => new View(${parts.join(", ")});
  })()`;
  return { text, lengths };
}

/**
 * The code that reads what lies `offset` after a place; a string of bytes by a function of {@link readersFor}. It is an
 * expression without a variable: V8 inlines a getter of up to 27 bytes of bytecode wherever it is read.
 * @param from where the array, or the function, is
 */
export function readCode(type: Exclude<ItemType, { kind: "struct" }>, offset: number, place = "at", from = ""): string {
  const address = offset === 0 ? place : `(${place} + ${offset})`;
  return type.kind === "bytes" ? `${from}bytes${type.bytes}(${address})` : `${from}${element(type, address)}`;
}

/** The code that reads what lies `offset` after `at`; a struct is an object. */
export function valueCode(type: ItemType, offset: number): string {
  if (type.kind !== "struct") return readCode(type, offset);
  const fields = type.fields.map(
    (field) => `${JSON.stringify(field.name)}: ${valueCode(field.type, offset + field.offset)}`,
  );
  return `{ ${fields.join(", ")} }`;
}

/** The scope that {@link readCode} needs, for an item without fields. */
export const readersFor = (item: ItemType, store: Views): Readonly<Record<string, unknown>> =>
  item.kind === "bytes" ? { [`bytes${item.bytes}`]: bytesReader(store, item.bytes) } : {};

/** The lengths of the strings of bytes in an item. */
function lengthsOf(item: ItemType): readonly number[] {
  if (item.kind === "struct") return item.fields.flatMap(({ type }) => lengthsOf(type));
  return item.kind === "bytes" ? [item.bytes] : [];
}

/**
 * Views of strings of bytes that are kept: a power of two. In the buffers of eight links, as they are by default, there
 * are 2048 strings of 128 bytes. A link of another PE lies far from the next, so in as few places many would share one,
 * and be made again and again: by calculation 43 % of them with eight links, 96 % with six.
 */
const KEPT = 16_384;

/**
 * Gives strings of `length` bytes as views. Buffers lie where they lie, so the same views are needed again and again:
 * they are kept by where they begin, as making one takes as long as reading it. There is one reader of a length for
 * each memory.
 */
export function bytesReader(store: Views, length: number): BytesReader {
  const source = `"use strict";
    const kept = new Array(${KEPT}).fill(u8);
    const begin = new Uint32Array(${KEPT}).fill(0xffffffff);
    return function bytes(at) {
      const place = (at >>> ${31 - Math.clz32(length)}) & ${KEPT - 1};
      if (begin[place] === at) return kept[place];
      begin[place] = at;
      return kept[place] = u8.subarray(at, at + ${length});
    };`;
  return generateOnce(store, `get-bytes/${length}`, source, { u8: store.u8 }) as BytesReader;
}
