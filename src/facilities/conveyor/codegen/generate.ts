/**
 * The maker of functions of generated code, and of its names: profiles and stack traces say
 * `tundish://conveyor/push-pull/{u32,f64}?tags=1,1`.
 *
 * Each text is compiled once in a thread, and a class once for a memory (item-class.ts): V8 has learnt and optimized
 * the code of a type when the next conveyor is made. A name is made of nothing but what its code is made of, so types
 * of items that differ in the names of their fields alone share their code, too.
 */

import { namedCode } from "../../../ground/base/call-site/named-code.ts";
import { EnvironmentError } from "../../../ground/base/errors.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";

/** A function that runs code with the values of a scope. */
type Maker = (...scope: readonly unknown[]) => unknown;

/** By text, arguments included: what makes the functions. */
const compiled = new Map<string, Maker>();
/** A program has some; one that makes types of items without end must not fill the memory. */
const MOST = 1024;

/**
 * Runs code with a scope; gives what it returns.
 * @param name of the code, after `tundish://conveyor/`
 * @throws EnvironmentError where no code may be generated
 */
export function generate(name: string, source: string, scope: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(scope);
  const text = namedCode(source, `tundish://conveyor/${name}`);
  const key = `${names}:${text}`;
  let make = compiled.get(key);
  if (make === undefined) {
    make = compile(names, text);
    if (compiled.size === MOST) compiled.clear();
    compiled.set(key, make);
  }
  return make(...Object.values(scope));
}

/** Results, by the object that they were made for, and their text. */
const made = new WeakMap<object, Map<string, unknown>>();

/** As {@link generate}; what is made for an object is made once. */
export function generateOnce(
  owner: object,
  name: string,
  source: string,
  scope: Readonly<Record<string, unknown>>,
): unknown {
  let of = made.get(owner);
  if (of === undefined) {
    of = new Map();
    made.set(owner, of);
  }
  const key = `${name}\n${source}`;
  let one = of.get(key);
  if (one === undefined) {
    one = generate(name, source, scope);
    if (of.size === MOST) of.clear();
    of.set(key, one);
  }
  return one;
}

function compile(names: readonly string[], text: string): Maker {
  try {
    return new Function(...names, text) as Maker;
  } catch (cause) {
    if (!(cause instanceof EvalError)) throw cause;
    throw new EnvironmentError(
      "Conveyors generate code for each type of items, and this process does not allow that " +
        "(--disallow-code-generation-from-strings). Start it without.",
      { cause },
    );
  }
}

/** A state, as generated code has it: its number, and for who reads the code its name. */
export function numberOf(state: Readonly<Record<string, number>>): string {
  const [[name, value]] = Object.entries(state);
  return `${value} /* ${name} */`;
}

/** Longest name of the types of an item, characters. */
const LONGEST = 80;

/** The types that an item consists of, for a name: `u32,f64` for a struct with two fields, whatever they are called. */
export function typesOf(item: ItemType): string {
  const types = item.kind === "struct" ? item.fields.map(({ type }) => typeName(type)).join(",") : typeName(item);
  return types.length > LONGEST ? `${types.slice(0, LONGEST)}...` : types;
}

/** As {@link typesOf}; a struct in braces, as its items are read in another way than those of its one field. */
export const itemName = (item: ItemType): string => (item.kind === "struct" ? `{${typesOf(item)}}` : typesOf(item));

/** The type of a field, for a name. */
export function typeName(type: ItemType): string {
  if (type.kind === "scalar") return type.name;
  return type.kind === "bytes"
    ? `bytes(${type.bytes})`
    : `{${type.fields.map((field) => typeName(field.type)).join(",")}}`;
}
