/** Makes the mailboxes of a selector and checks all arguments. */

import { inWords } from "../base/account.ts";
import { UsageError } from "../base/errors.ts";
import { checkNames } from "../base/options.ts";
import { RigidBelt } from "../conveyor/belts/rigid.ts";
import { type ConveyorContext, mailboxFrameFor } from "../conveyor/front/make.ts";
import { type ConveyorOptions, OPTION_NAMES } from "../conveyor/geometry/options.ts";
import { type ItemType, isItemType } from "../item/types.ts";
import { SelectorDriver } from "./driver.ts";
import { Mailbox } from "./mailbox.ts";
import { type Edges, followersOf, orderOf } from "./order.ts";
import type { Mailboxes, SelectorOptions } from "./types.ts";

const NAMES: readonly string[] = [...OPTION_NAMES, "after"];

/** @throws UsageError; HeapError, MismatchError as conveyors do */
export function driverFor(
  context: ConveyorContext,
  mailboxes: Mailboxes,
  options: SelectorOptions,
): SelectorDriver {
  const items = itemsOf(mailboxes);
  checkNames(options, NAMES, "selector: options");
  const { after, ...rest } = options;
  const names = items.map(([name]) => name);
  const parents = orderOf(names, after);
  const each = optionsOf(rest, items.length);
  const made: Mailbox[] = [];
  try {
    for (const [number, [name, item]] of items.entries()) {
      const order = `(${number + 1} of ${items.length}) after [${namesOf(names, parents, number)}]`;
      const belt = new RigidBelt(mailboxFrameFor(context, item, each, name, order), item);
      made.push(new Mailbox(name, item, belt));
    }
  } catch (error) {
    for (const { belt } of made) belt.free();
    throw error;
  }
  const followers = followersOf(parents);
  const at = (edges: Edges, number: number) =>
    (edges[number] as readonly number[]).map((other) => made[other] as Mailbox);
  for (const [number, mailbox] of made.entries()) mailbox.place(at(parents, number), at(followers, number));
  return new SelectorDriver(made);
}

function namesOf(names: readonly string[], parents: Edges, number: number): string {
  return (parents[number] as readonly number[]).map((parent) => names[parent]).join(", ");
}

function itemsOf(mailboxes: Mailboxes): [name: string, item: ItemType][] {
  const items = typeof mailboxes === "object" && mailboxes !== null ? Object.entries(mailboxes) : [];
  if (items.length === 0) {
    throw new UsageError(
      `selector: expected mailboxes, as in { ask: u32, reply: f64 }, got ${inWords(mailboxes)}`,
    );
  }
  for (const [name, item] of items) {
    if (!isItemType(item)) {
      throw new UsageError(
        `selector: expected an item type (f64, bytes(n), struct({ … }), …) for mailbox ${name}, got ${inWords(item)}`,
      );
    }
    // JavaScript would reorder such names
    if (/^\d+$|^__proto__$/.test(name)) {
      throw new UsageError(`selector: a mailbox cannot be called ${name}; call it x${name}`);
    }
  }
  return items;
}

/** The options of each of `count` conveyors. */
function optionsOf(options: Omit<SelectorOptions, "after">, count: number): ConveyorOptions {
  const { steady, maxBytes } = options;
  if (steady !== undefined && steady !== true) {
    throw new UsageError(
      `steady: the conveyors of a selector are always steady, got ${inWords(steady)}. Leave the option out.`,
    );
  }
  return {
    ...options,
    steady: true,
    // a value that is not a number is rejected by the conveyor
    maxBytes: typeof maxBytes === "number" ? maxBytes / count : maxBytes,
  };
}
