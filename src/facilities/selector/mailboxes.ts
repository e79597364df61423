/** Types of a selector's arguments and members, derived from its mailboxes. */

import type { AtOnce } from "../../ground/base/promise.ts";
import type { Pushes } from "../../ground/item/arguments.ts";
import type { ItemType, ItemValue } from "../../ground/item/item-type.ts";
import type { ConveyorOptions } from "../../route/geometry/options.ts";
import type { ConveyorStats } from "../conveyor/engine/stats.ts";
import type { After } from "./order.ts";

/** The mailboxes of a selector: their item types, by name. */
export interface Mailboxes {
  readonly [name: string]: ItemType;
}

/** The send functions by mailbox: each takes the destination, and the item as {@link Conveyor.push} takes it. */
export type Send<M extends Mailboxes> = {
  readonly [Name in keyof M]: Pushes<M[Name], void>;
};

/**
 * As {@link Send}, for asynchronous programs: returns a promise if there is no room; await it before the next send.
 */
export type SendAsync<M extends Mailboxes> = {
  readonly [Name in keyof M]: Pushes<M[Name], Promise<void> | undefined>;
};

/**
 * The handlers by mailbox: each receives an item (a struct as a view, valid until the handler returns) and the rank of
 * its sender. One runs at a time. A handler must not wait and must not return a promise; any other return value is
 * ignored.
 */
export type Handlers<M extends Mailboxes> = {
  readonly [Name in keyof M]: (item: ItemValue<M[Name]>, from: number) => AtOnce;
};

/** Options of a selector, the same at all PEs. Those of conveyors apply to each of its mailboxes. */
export interface SelectorOptions<Names extends string = string> extends ConveyorOptions {
  /**
   * By mailbox: the mailboxes that must be complete before a PE is done with it. A mailbox without predecessors is done
   * when the source has returned. @default each after the one named before it
   */
  readonly after?: After<Names> | undefined;
  /**
   * How a session ends. `order`: the mailboxes are done one after another, see `after`. `quiescence`: any handler may
   * send to any mailbox, until the source of every PE has returned and no item is under way anywhere; `after` cannot be
   * given then, and `type` cannot be `simple`. @default "order"
   */
  readonly ends?: "order" | "quiescence" | undefined;
  /** Bytes of the heap for each PE, at most; divided evenly among the mailboxes. @default no limit */
  readonly maxBytes?: number | undefined;
  /** Always true for a selector; false is rejected. @default true */
  readonly steady?: boolean | undefined;
}

/** A PE's counts for one mailbox. */
export interface MailboxStats extends ConveyorStats {
  /** Largest number of handlers' sends in the backlog at once, in this session. */
  readonly held: number;
}
