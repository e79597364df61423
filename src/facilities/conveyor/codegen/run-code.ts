/**
 * Code that is generated for {@link Conveyor.run}: a push that waits for room, and a loop that hands items to a sink.
 */
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { generate } from "./generate.ts";
import type { ItemMembers } from "./item-class.ts";
import { readCode, readersFor } from "./item-view.ts";
import { argumentsOf, originCode, type Pushing } from "./parts.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "./returned.ts";

const refusePromised = (returned: unknown): void => refusePromise(returned, "run: the sink", INSTEAD.conveyor);

/** A push that comes back when the item is in the conveyor. */
export type AnySend = (dest: number, ...values: readonly unknown[]) => void;

/** How a send waits for room. */
export interface Waits {
  wait(): unknown;
}

/** Makes a {@link AnySend}. */
export type SendMaker = (waits: Waits) => AnySend;

/**
 * Hands the items of one buffer to a sink; false when the sink has returned false, then the others stay. It is one
 * buffer, so that pushing and pulling alternate at all PEs in small steps: who has no room while another one pulls
 * much, waits.
 */
export type Drain = (sink: (item: never, from: number) => boolean) => boolean;

/**
 * As {@link Drain}, for a sink of the user's: it stops by {@link PUT_BACK}.
 * @throws UsageError when it returns a promise
 */
export type UserDrain = (sink: (item: never, from: number) => unknown) => boolean;

/** The method `sender`, for a class that has a push for these items: see {@link SendMaker}. */
export function senderText(item: ItemType): string {
  const { count, parameters } = argumentsOf(item);
  return `
    sender(waits) {
      const c = this, { push } = this;
      return function send(dest, ${parameters}) {
        // begin has made it a conveyor of other items
        if (c.push !== push) stale("send");
        // push says what is wrong with too many or too few
        if (arguments.length !== ${count + 1}) c.push(...arguments);
        while (!c.push(dest, ${parameters})) noInline(waits.wait, waits);
      };
    }`;
}

/** A send; gives nothing when the item is in the conveyor, else what the {@link Rest} gives. */
export type AnySendTo = (dest: number, ...values: readonly unknown[]) => unknown;

/** The way of an item where there is no room, or where others have to go first. */
export type Rest = (dest: number, values: readonly unknown[]) => unknown;

/** Says whether a push is in order. */
export interface Gate {
  readonly isClear: boolean;
}

/** A send that makes no list of its arguments where there is room. */
export function sendToCode(item: ItemType, gate: Gate, c: Pushing, rest: Rest): AnySendTo {
  const { count, parameters } = argumentsOf(item);
  const source = `"use strict";
    return function send(dest, ${parameters}) {
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) c.push(...arguments);
      if (gate.isClear && c.push(dest, ${parameters})) return undefined;
      return rest(dest, [${parameters}]);
    };`;
  return generate(`run/send-to/${count}`, source, { gate, c, rest }) as AnySendTo;
}

/** Of most sinks it is known when they are compiled what they return. */
const USER_RETURNED = `if (returned === PUT_BACK) return false;
        if (typeof returned === "object" || typeof returned === "function") refusePromised(returned);`;

/**
 * The methods {@link Drain} and {@link UserDrain}, as {@link itemMembers}.
 * @param tagBytes width of the tags of the last hop
 */
export function drainMembers(item: ItemType, tagBytes: number, views: Views): Pick<ItemMembers, "text" | "scope"> {
  const call = `sink(${item.kind === "struct" ? "view" : readCode(item, 0)}, from)`;
  const text = (name: string, isUsers: boolean) => `
    ${name}(sink) {
      const { cursor: inbox, view } = this;
      ${tagBytes > 0 ? "const { ranks, plane, row, low } = this.frame.choice.route;" : ""}
      let at = inbox.next;
      if (at === inbox.limit) {
        if (!noInline(this.refill, this)) return true;
        at = inbox.next;
      }
      do {
        const next = at + ${item.bytes};
        inbox.at = at;
        inbox.next = next;
        ${tagBytes > 0 ? `const tagAt = inbox.tagAt - ${tagBytes}; inbox.tagAt = tagAt;` : ""}
        ${originCode(tagBytes)}
        ${isUsers ? `const returned = ${call}; ${USER_RETURNED}` : `if (${call} === false) return false;`}
        // where the next item is does not come from memory, unless the sink has pulled or put back
        at = inbox.next === next ? next : inbox.next;
      } while (at !== inbox.limit);
      // the next advance gives it back, and gets the next one
      inbox.wanted = true;
      return true;
    }`;
  return {
    text: text("drain", false) + text("userDrain", true),
    scope: { refusePromised, PUT_BACK, ...readersFor(item, views) },
  };
}
