/** The operations of an array, its visitors and options, as programs see them. */
import type { AtOnce } from "../../../ground/base/promise.ts";
import type { Scalar } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import type { ReduceOp } from "../../../ground/memory/kernels/elements.ts";
import type { ContentArguments, ContentOf } from "../content/content.ts";
import type { Element } from "../element.ts";
import type { Distribution } from "../placement.ts";

/** A function that runs where an element is. @typeParam A content of its arguments */
export interface ElementVisitor<V, A> {
  /** The content of its arguments: of a struct its fields, of any other content one value. @default no arguments */
  readonly args?: A;
  /** It must not wait: what it sends is sent later if there is no room now. */
  run(element: Element<V>, ...args: ContentArguments<A>): AtOnce;
}

/** Visitors by name. @typeParam A contents of their arguments, by name */
export type ElementVisitors<V, A> = { readonly [Name in keyof A]: ElementVisitor<V, A[Name]> };

/** The array of some elements: a typed array of numbers or bigints, else a list; undefined where nothing was set. */
export type ElementsOf<C> = C extends Scalar<number | bigint, infer Name> ? Views[Name] : (ContentOf<C> | undefined)[];

/** The value of an element: undefined where nothing was set, but 0 of numbers. */
export type ElementOf<C> = C extends Scalar ? ContentOf<C> : ContentOf<C> | undefined;

/** Values that can be added to an element: none where elements are not numbers or bigints. */
export type NumberOf<C> = C extends Scalar ? ContentOf<C> : never;

/** The operators for elements of a content: those of bits are for integers. */
export type OpOf<C> =
  C extends Scalar<number | bigint, "f32" | "f64"> ? Exclude<ReduceOp, "and" | "or" | "xor"> : ReduceOp;

/**
 * The operations of an array.
 * @typeParam A contents of the arguments of visitors
 * @typeParam Result as of {@link MapOperations}
 */
export interface ArrayOperations<C, A, Result> {
  /** Sets an element. */
  set(index: number, value: ContentOf<C>): Result;
  /** Adds to an element, which is a number or a bigint. */
  add(index: number, value: NumberOf<C>): Result;
  /** Combines an element, which is a number or a bigint, with a value, as reductions do. */
  combine(index: number, value: NumberOf<C>, op: OpOf<C>): Result;
  /** Runs a visitor with an element. */
  visit<Name extends keyof A & string>(index: number, visitor: Name, ...args: ContentArguments<A[Name]>): Result;
}

/** Options of an array. */
export interface ArrayOptions {
  /** Blocks of elements side by side, or element i at PE i mod PEs, which evens out what is uneven. @default "block" */
  readonly distribution?: Distribution;
}
