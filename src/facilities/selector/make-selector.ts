/** Makes the mailboxes of a selector and checks all arguments. */

import { UsageError } from "../../ground/base/errors.ts";
import { is, oneOf, optionsOf, unchecked } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { type ItemType, isItemType } from "../../ground/item/item-type.ts";
import type { Sites } from "../../pe/seat.ts";
import { CONVEYOR_FIELDS, checkRigidOptions } from "../../route/geometry/options.ts";
import { newBelt } from "../conveyor/belts/rigid.ts";
import { rigidFrame } from "../conveyor/front/make-conveyor.ts";
import { noSimple } from "../conveyor/front/quiet-session.ts";
import { partOf } from "../conveyor/front/sources.ts";
import { SelectorDriver } from "./driver.ts";
import { Mailbox } from "./mailbox.ts";
import type { Mailboxes, SelectorOptions } from "./mailboxes.ts";
import { type Edges, followersOf, orderOf } from "./order.ts";

const SELECTOR = optionsOf<SelectorOptions>({
  ...CONVEYOR_FIELDS,
  steady: is("true, as the conveyors of a selector are always steady, or nothing", (x) => x === true),
  // by names of mailboxes: order.ts
  after: unchecked,
  ends: oneOf(["order", "quiescence"]),
});

/** @throws UsageError; HeapError, MismatchError as conveyors do */
export function driverFor(context: Sites, mailboxes: Mailboxes, options: SelectorOptions): SelectorDriver {
  const items = itemsOf(mailboxes);
  checkRigidOptions(options, "selector", SELECTOR);
  const { after, ends, ...rest } = options;
  const isCyclic = ends === "quiescence";
  if (isCyclic) checkCyclic(options);
  const names = items.map(([name]) => name);
  const parents = isCyclic ? names.map(() => []) : orderOf(names, after);
  // a plan may choose simple conveyors where nothing is said
  const each = { ...rest, ...(isCyclic ? { type: rest.type ?? "tensor" } : {}), steady: true };
  const made: Mailbox[] = [];
  try {
    for (const [number, [name, item]] of items.entries()) {
      const after = isCyclic ? "ends by quiescence" : `after [${namesOf(names, parents, number)}]`;
      const order = `(${number + 1} of ${items.length}) ${after}`;
      const mailbox = `mailbox ${name}`;
      const terms = `${mailbox} ${order}, `;
      const frame = rigidFrame(context, item, partOf(each, name), mailbox, terms, items.length);
      made.push(new Mailbox(name, item, newBelt(frame, item)));
    }
  } catch (error) {
    for (const { belt } of made) belt.free();
    throw error;
  }
  const followers = followersOf(parents);
  const at = (edges: Edges, number: number) =>
    (edges[number] as readonly number[]).map((other) => made[other] as Mailbox);
  for (const [number, mailbox] of made.entries()) mailbox.place(at(parents, number), at(followers, number));
  return new SelectorDriver(made, isCyclic);
}

/** @throws UsageError for options that do not go with quiescence */
function checkCyclic({ after, type }: SelectorOptions): void {
  if (type === "simple") throw noSimple("selector");
  if (after === undefined) return;
  throw new UsageError(
    'selector: after: with ends: "quiescence" the mailboxes have no order, got one. Leave one of the two options out.',
  );
}

function namesOf(names: readonly string[], parents: Edges, number: number): string {
  return (parents[number] as readonly number[]).map((parent) => names[parent]).join(", ");
}

function itemsOf(mailboxes: Mailboxes): [name: string, item: ItemType][] {
  const items = typeof mailboxes === "object" && mailboxes !== null ? Object.entries(mailboxes) : [];
  if (items.length === 0) {
    throw new UsageError(`selector: expected mailboxes, as in { ask: u32, reply: f64 }, got ${shortText(mailboxes)}`);
  }
  for (const [name, item] of items) {
    if (!isItemType(item)) {
      throw new UsageError(
        `selector: expected an item type (f64, bytes(n), struct({ … }), …) for mailbox ${name}, got ${shortText(item)}`,
      );
    }
    // JavaScript would reorder such names
    if (/^\d+$|^__proto__$/.test(name)) {
      throw new UsageError(`selector: a mailbox cannot be called ${name}; call it x${name}`);
    }
  }
  return items;
}
