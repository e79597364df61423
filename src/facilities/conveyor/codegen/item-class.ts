/**
 * Classes of conveyors: one for each type of items, with the methods that are generated for it.
 *
 * In one class for all types V8 finds numbers and objects as items, and then makes an object of every number. And it is one for
 * each memory, whose arrays are constants to V8 then. All conveyors of a type are of one class, so that code which V8 has
 * compiled for a conveyor is right for the next one.
 */
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { generateOnce } from "./generate.ts";
import { type ItemView, readCode, readersFor } from "./item-view.ts";

/** Methods of a class, as text, and what they know beside their object and the arrays of the heap. */
export interface Members {
  /** Of the code, see generate. */
  readonly name: string;
  readonly text: string;
  readonly scope: Readonly<Record<string, unknown>>;
}

type Class = abstract new (...args: never[]) => ItemView;

/**
 * The class whose `item` shows items of a type, with generated methods.
 * @param form what else the methods depend on
 * @param members makes them; the text is put together once
 */
export function itemClass<Base extends Class>(
  base: Base,
  item: ItemType,
  store: Views,
  form: string,
  members: () => Members,
): Base {
  const bases = within(classes, store, () => new WeakMap<Class, WeakMap<ItemType, Map<string, Class>>>());
  const items = within(bases, base, () => new WeakMap<ItemType, Map<string, Class>>());
  const forms = within(items, item, () => new Map<string, Class>());
  let one = forms.get(form);
  if (one === undefined) {
    one = newClass(base, item, store, items, members());
    forms.set(form, one);
  }
  return one as Base;
}

/** By memory, class and item type. */
const classes = new WeakMap<Views, WeakMap<Class, WeakMap<ItemType, Map<string, Class>>>>();

/** What a map has for a key, made when it is first needed. */
function within<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** @param owner of the classes of this base and memory; types with the same text share one */
function newClass(base: Class, item: ItemType, store: Views, owner: object, members: Members): Class {
  const { name, text, scope } = members;
  const read = item.kind === "struct" ? "this.view" : readCode(item, 0, "this.cursor.at");
  const source = `"use strict";
    class Shown extends base {
      get item() { return ${read}; }
${text}
    }
    Object.defineProperty(Shown, "name", { __proto__: null, value: base.name });
    Object.defineProperty(Shown.prototype, "constructor", { __proto__: null, value: base });
    return Shown;`;
  return generateOnce(owner, name, source, { base, ...store, ...readersFor(item, store), ...scope }) as Class;
}
