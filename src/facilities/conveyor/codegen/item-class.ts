/**
 * Classes of conveyors: one for each type of items, with the methods that are generated for it.
 *
 * In one class for all types V8 finds numbers and objects as items, and then makes an object of every number. And it is
 * one for each memory, whose arrays are constants to V8 then. All conveyors of a type are of one class, so that code
 * which V8 has compiled for a conveyor is right for the next one.
 */
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { generateOnce } from "./generate.ts";
import { type ItemView, readCode, readersFor } from "./item-view.ts";

/** Methods of a class, as text, and what they know beside their object and the arrays of the heap. */
export interface ItemMembers {
  /** Of the code, see generate. */
  readonly name: string;
  /** Push and pull, of belts and of faces. @param belt gives what declares `c`, the belt, in a method of this name */
  port(belt: (call: string) => string): string;
  /** Those of belts alone. */
  readonly text: string;
  readonly scope: Readonly<Record<string, unknown>>;
}

type Class = abstract new (...args: never[]) => ItemView;

/** A kind of classes: how its code is named, and what it is; `item` shows items of a type. */
interface Kind {
  readonly prefix: string;
  text(item: ItemType, members: ItemMembers): string;
}

/**
 * The class whose `item` shows items of a type, with generated methods.
 * @param form what else the methods depend on
 * @param members makes them; the text is put together once
 */
export const itemClass = <Base extends Class>(base: Base, ...of: ClassParts): Base => classOf(base, BELT, ...of);

/** A class of faces; each shows a belt, in a private field that only generated code reads. */
interface FaceClass {
  /** Makes one. */
  of(belt: object): object;
  /** Has one of another class show its belt by these methods from now on. */
  show(face: object, belt: object): void;
}

const faceClass = (base: object, of: ClassParts): FaceClass =>
  classOf(base as Class, FACE, ...of) as unknown as FaceClass;

/** A class whatever its constructor is: those of faces are private. */
export interface Base<Face> {
  readonly prototype: Face;
}

/** Makes a face of a class, with the push, pull and item of its belt: generated as those of the belt, and as fast. */
export const newFace = <Face>(base: Base<Face>, belt: object, ...of: ClassParts): Face =>
  faceClass(base, of).of(belt) as Face;

/** Gives a face those of its belt, which has become one of other items. */
export const showItems = (face: object, belt: object, ...of: ClassParts): void =>
  faceClass(face.constructor, of).show(face, belt);

/** The parts of a class beside its base: see {@link itemClass}. */
export type ClassParts = readonly [item: ItemType, store: Views, form: string, members: () => ItemMembers];

function classOf<Base extends Class>(
  base: Base,
  { prefix, text }: Kind,
  ...[item, store, form, members]: ClassParts
): Base {
  const bases = within(classes, store, () => new WeakMap<Class, WeakMap<ItemType, Map<string, Class>>>());
  const items = within(bases, base, () => new WeakMap<ItemType, Map<string, Class>>());
  const forms = within(items, item, () => new Map<string, Class>());
  let one = forms.get(form);
  if (one === undefined) {
    const made = members();
    const scope = { base, ...store, ...readersFor(item, store), ...made.scope };
    one = generateOnce(items, prefix + made.name, text(item, made), scope) as Class;
    forms.set(form, one);
  }
  return one as Base;
}

/** By memory, class and item type. */
const classes = new WeakMap<Views, WeakMap<Class, WeakMap<ItemType, Map<string, Class>>>>();

/** The value of a map for a key, made when it is first needed. */
function within<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Reads the item of what has a view and a cursor. */
const itemOf = (item: ItemType, belt: string): string =>
  item.kind === "struct" ? `${belt}.view` : readCode(item, 0, `${belt}.cursor.at`);

const BELT: Kind = {
  prefix: "belt/",
  text: (item, { port, text }) => `"use strict";
    class Shown extends base {
      get item() { return ${itemOf(item, "this")}; }
      ${port(() => "const c = this;")}
      ${text}
    }
    Object.defineProperty(Shown, "name", { __proto__: null, value: base.name });
    Object.defineProperty(Shown.prototype, "constructor", { __proto__: null, value: base });
    return Shown;`,
};

/**
 * The belt is put into its field by an initializer: V8 forgets the kind of what is assigned to a field later. An object
 * that is a face already gets the field by a constructor that returns it.
 */
const FACE: Kind = {
  prefix: "",
  text: (item, { port }) => `"use strict";
    let belt = null;
    class Given extends base {
      constructor(one, face) {
        if (face !== undefined) return face;
        super(one);
      }
    }
    class Shown extends Given {
      #belt = belt;
      static of(one, face) {
        belt = one;
        const made = new Shown(one, face);
        belt = null;
        return made;
      }
      static show(face, one) {
        if (!(#belt in face)) Shown.of(one, face);
        Object.setPrototypeOf(face, Shown.prototype);
      }
      get item() { return ${itemOf(item, "this.#belt")}; }
      ${port((call) => `if (this === undefined || !(#belt in this)) detached("${call}"); const c = this.#belt;`)}
    }
    Object.defineProperty(Shown.prototype, "constructor", { __proto__: null, value: base });
    return Shown;`,
};
