/** The handlers of tasks. */
import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { type AtOnce, isAsync, isGenerator, isPromise, promiseError } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { ArgumentsOf, TypedHandler } from "../../ground/item/handlers.ts";
import { describeItem, f64, type ItemType, isItemType, showsBytes, struct } from "../../ground/item/item-type.ts";
import { MOST_BYTES } from "./layout.ts";

/**
 * Handlers by name. A function takes at most 7 numbers; one with the type of its `args`, up to 56 bytes, takes what
 * that says: the fields of a struct in order, or one value.
 */
export type TaskHandlers = Readonly<Record<string, ((...args: number[]) => AtOnce) | TypedHandler>>;

/** A function for each handler that makes a task of it. */
export type Spawn<H extends TaskHandlers> = { readonly [K in keyof H]: (...args: ArgumentsOf<H[K]>) => void };

/** Any handler, as it is called. */
type Handler = (...args: readonly unknown[]) => unknown;

/** One of a table. */
export interface TaskEntry {
  readonly name: string;
  readonly run: Handler;
  /** The type of the arguments; null for none. */
  readonly item: ItemType | null;
  /** What it takes, for messages, and what PEs must agree about. */
  readonly takes: string;
}

/** @throws UsageError for what is no table of handlers */
export function entriesOf(table: unknown): readonly TaskEntry[] {
  if (!isRecord(table) || Object.keys(table).length === 0) {
    throw new UsageError(`tasks: expected handlers, as in { visit(from, to) { … } }, got ${shortText(table)}`);
  }
  return Object.entries(table).map(([name, handler]) => {
    const isTyped = typeof handler === "object" && handler !== null;
    const { args, run } = isTyped ? (handler as { args?: unknown; run?: unknown }) : { args: null, run: handler };
    if (typeof run !== "function" || isAsync(run) || isGenerator(run)) {
      throw new UsageError(
        `tasks: ${name}: expected a function that does not await, or { args, run } with one, got ${shortText(isTyped ? run : handler)}`,
      );
    }
    const item = isTyped ? checkedItem(name, args) : numbersOf(name, run.length);
    const takes = isTyped ? describeItem(item as ItemType) : `${run.length} ${run.length === 1 ? "number" : "numbers"}`;
    return { name, run: run as Handler, item, takes };
  });
}

/** @throws UsageError unless it is the type of a task's arguments */
function checkedItem(name: string, args: unknown): ItemType {
  if (isItemType(args) && !showsBytes(args) && args.bytes <= MOST_BYTES) return args;
  const got = isItemType(args) ? `${describeItem(args)} of ${args.bytes} bytes` : shortText(args);
  throw new UsageError(
    `tasks: ${name}: args: expected the type of numbers (u32, struct({ … }), …), without bytes(n), of at most ${MOST_BYTES} bytes, got ${got}. ` +
      "Put the rest into an array of allocShared, and pass where it is.",
  );
}

/** So many f64. */
function numbersOf(name: string, count: number): ItemType | null {
  if (8 * count > MOST_BYTES) {
    throw new UsageError(
      `tasks: ${name}: expected at most ${MOST_BYTES / 8} numbers, got ${count}. Put the others into an array of allocShared, and pass where they are.`,
    );
  }
  if (count === 0) return null;
  return struct(Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, f64])));
}

/** @throws UsageError: a task is made of what its handler takes */
export function misfit({ name, takes }: TaskEntry, given: ArrayLike<unknown>): never {
  const got = Array.from(given, (one) => shortText(one)).join(", ");
  throw new UsageError(`spawn.${name}: expected ${takes}, got ${got === "" ? "nothing" : got}`);
}

/** @throws UsageError where a handler has returned a promise */
export function refusePromise({ name }: TaskEntry, returned: unknown): void {
  if (returned !== undefined && isPromise(returned)) {
    throw promiseError(`tasks: the handler ${name}`, "make it a function that computes, and await outside of the run.");
  }
}
