/** Types of the arguments of push: the values of an item, a struct's fields in the order in which they are named. */

import type { ItemType, ItemValue, Struct } from "./item-type.ts";

/** An item type to whose values nothing is known: `ItemType` or `Struct` itself. */
type AnyValues = readonly ItemValue<ItemType>[];

/** The arguments of push after the destination: the fields in order, or one value for an item that is not a struct. */
export type ItemArguments<I> =
  I extends Struct<infer F, infer Order>
    ? ValuesOf<F, Order>
    : ItemType extends I
      ? AnyValues
      : readonly [value: ItemValue<I>];

/**
 * The type of a push: it takes a destination and the values of an item. It is the type of a method, whose parameters
 * TypeScript compares both ways, so that a conveyor of any items is a `Conveyor`.
 */
export type Pushes<I, Result> = { push(dest: number, ...values: ItemArguments<I>): Result }["push"];

/** As {@link Pushes}, without a destination. */
export type Takes<I, Result> = { take(...values: ItemArguments<I>): Result }["take"];

type ValuesOf<F, Order extends readonly unknown[]> = {
  readonly [At in keyof Order]: ItemValue<F[Order[At] & keyof F]>;
};
