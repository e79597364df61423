/** What a selector is made of and what is made for it, typed by its mailboxes. */

import type { ConveyorStats } from "../conveyor/engine/stats.ts";
import type { ConveyorOptions } from "../conveyor/geometry/options.ts";
import type { ItemArguments, ItemType, ItemValue } from "../item/types.ts";
import type { After } from "./order.ts";

/** The mailboxes of a selector: what their items are, by name. */
export interface Mailboxes {
  readonly [name: string]: ItemType;
}

/** By mailbox, what sends to it: takes the destination, and the item as {@link Conveyor.push} takes it. */
export type Send<M extends Mailboxes> = {
  readonly [Name in keyof M]: (dest: number, ...values: ItemArguments<M[Name]>) => void;
};

/** As {@link Send}, for programs that await: a promise when there is no room, to be awaited before the next send. */
export type SendAsync<M extends Mailboxes> = {
  readonly [Name in keyof M]: (dest: number, ...values: ItemArguments<M[Name]>) => Promise<void> | undefined;
};

/**
 * By mailbox, what takes an item (of a struct a view, good until the handler returns) and who sent it. One runs at a time.
 * It must not wait, and return no promise; nothing else that it returns matters.
 */
export type Handlers<M extends Mailboxes> = {
  readonly [Name in keyof M]: (item: ItemValue<M[Name]>, from: number) => unknown;
};

/** Options of a selector, the same at all PEs; those of conveyors hold for each of its mailboxes. */
export interface SelectorOptions<Names extends string = string> extends ConveyorOptions {
  /**
   * By mailbox, those that must be complete before a PE is done with it by itself; the others when the source has
   * returned. @default each after the one that is named before it
   */
  readonly after?: After<Names> | undefined;
  /** Bytes of the heap for each PE, at most: all mailboxes share them evenly. @default no limit */
  readonly maxBytes?: number | undefined;
  /** The conveyors of mailboxes always are; false is refused. @default true */
  readonly steady?: boolean | undefined;
}

/** What a PE has counted of one mailbox. */
export interface MailboxStats extends ConveyorStats {
  /** Most sends of handlers that waited in memory at once, in this session. */
  readonly held: number;
}
