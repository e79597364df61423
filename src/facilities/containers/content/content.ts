/** Kinds of keys, values and arguments: item types, text, and whatever can be cloned. */
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ItemArguments } from "../../../ground/item/arguments.ts";
import { describeItem, type ItemType, type ItemValue, isItemType } from "../../../ground/item/item-type.ts";

/** Strings, of any length. */
export interface Text {
  /** Discriminates contents. */
  readonly kind: "text";
}

/** JavaScript values of a type. */
export interface Values<T = unknown> {
  /** Discriminates contents. */
  readonly kind: "value";
  /** Never present; carries the type. */
  readonly value?: T;
}

/** The description of a key, a value or the arguments of a visitor. */
export type Content = ItemType | Text | Values;

/** The JavaScript value of a content. */
export type ContentOf<C> = C extends Text ? string : C extends Values<infer T> ? T : ItemValue<C>;

/** The arguments that a content stands for: a struct's fields in order; of others one value; none without content. */
export type ContentArguments<C> = C extends Text
  ? readonly [text: string]
  : C extends Values<infer T>
    ? readonly [value: T]
    : C extends ItemType
      ? ItemArguments<C>
      : readonly [];

/** Strings of any length and any code units, sent as UTF-8; a lone surrogate as the three bytes it would have. */
export const text: Text = Object.freeze({ kind: "text" });

const anyValue: Values<never> = Object.freeze({ kind: "value" });

/**
 * JavaScript values. As values, and as arguments of visitors: whatever `v8.serialize` clones. As keys: undefined, null,
 * booleans, numbers, bigints, strings, and arrays and plain objects of these, which are equal if all their parts are,
 * in whatever order their properties are.
 * @typeParam T the type of the values
 */
export const value = <T>(): Values<T> => anyValue;

/** Whether x is what {@link Content} says. */
export const isContent = (x: unknown): x is Content => x === text || x === anyValue || isItemType(x);

/** As text, complete: contents that differ have different ones. */
export const describeContent = (content: Content): string =>
  content.kind === "text" || content.kind === "value" ? content.kind : describeItem(content);

/** @param what of which container: `map: key` @throws UsageError unless x is a content */
export function checkContent(what: string, x: unknown): asserts x is Content {
  if (isContent(x)) return;
  throw new UsageError(
    `${what}: expected an item type (u32, f64, struct({ … }), …), text, or value(), got ${shortText(x)}`,
  );
}
