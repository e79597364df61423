/** Types of tables of handlers: functions, or functions with the type of their arguments. */
import type { AtOnce } from "../base/promise.ts";
import type { ItemArguments } from "./arguments.ts";
import type { ItemType } from "./item-type.ts";

/** A handler whose arguments are items of a type: nothing is serialized. */
export interface TypedHandler {
  /** The type of the arguments: of a struct, its fields in order; of any other type, one value. */
  readonly args: ItemType;
  /**
   * A function that takes the arguments ({@link Checked} says so). Byte strings are views of memory that are valid
   * until it returns.
   */
  readonly run: unknown;
}

/** A table whose typed handlers take what their item types say. */
export type Checked<H extends object> = {
  readonly [Name in keyof H]: H[Name] extends { readonly args: infer I }
    ? { readonly args: I; run(...args: ItemArguments<I>): AtOnce }
    : unknown;
};

/** The arguments of a handler. */
export type ArgumentsOf<Handler> = Handler extends { readonly run: (...args: infer A) => unknown }
  ? A
  : Handler extends (...args: infer A) => unknown
    ? A
    : never;
