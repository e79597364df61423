/** Code that is generated for {@link Conveyor.run}: a push that waits for room, and a loop that hands items to a sink. */
import { noInline } from "../../base/no-inline.ts";
import type { ItemType } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import type { Inbox } from "../engine/inbox.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "../engine/returned.ts";
import type { Route } from "../geometry/route.ts";
import { type AnyPush, type Gate as ItemGate, originCode } from "./code.ts";
import { generate, typesOf } from "./generate.ts";
import { readCode, readersFor } from "./item-view.ts";

const refuse = (returned: unknown): void => refusePromise(returned, "run: the sink", INSTEAD.conveyor);

/** A push that comes back when the item is in the conveyor. */
export type AnySend = (dest: number, ...values: readonly unknown[]) => void;

/**
 * Hands the items of one buffer to a sink; false when the sink has returned false, then the others stay. It is one buffer,
 * so that pushing and pulling alternate at all PEs in small steps: who has no room while another one pulls much, waits.
 */
export type Drain = (sink: (item: never, from: number) => boolean) => boolean;

/** As {@link Drain}, for a sink of the user's: it stops by {@link PUT_BACK}. @throws UsageError when it returns a promise */
export type UserDrain = (sink: (item: never, from: number) => unknown) => boolean;

/**
 * @param count of arguments beside the destination
 * @param room whose `wait` makes progress
 */
export function sendCode(count: number, push: AnyPush, room: { wait(): void }): AnySend {
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const source = `"use strict";
    return function send(dest, ${parameters}) {
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) push(...arguments);
      while (!push(dest, ${parameters})) noInline(room.wait, room);
    };`;
  return generate(`run/send/${count}`, source, { push, room, noInline }) as AnySend;
}

/** A send; gives nothing when the item is in the conveyor, else what the {@link Rest} gives. */
export type AnySendTo = (dest: number, ...values: readonly unknown[]) => unknown;

/** What is done where there is no room, or what was sent before has to go first. */
export type Rest = (dest: number, values: readonly unknown[]) => unknown;

/** Says whether a push is in order. */
export interface Gate {
  readonly isClear: boolean;
}

/**
 * A send that makes no list of its arguments where there is room.
 * @param count of arguments beside the destination
 */
export function sendToCode(count: number, gate: Gate, push: AnyPush, rest: Rest): AnySendTo {
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const source = `"use strict";
    return function send(dest, ${parameters}) {
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) push(...arguments);
      if (gate.isClear && push(dest, ${parameters})) return undefined;
      return rest(dest, [${parameters}]);
    };`;
  return generate(`run/send-to/${count}`, source, { gate, push, rest }) as AnySendTo;
}

/** Of most sinks it is known when they are compiled what they return. */
const USER_RETURNED = `if (returned === PUT_BACK) return false;
        if (typeof returned === "object" || typeof returned === "function") refuse(returned);`;

/**
 * @param tagBytes width of the tags of the last hop
 * @param view of a struct, which shows the item that was pulled last
 * @param isUsers whether sinks are the user's
 */
export function drainCode(
  item: ItemType,
  tagBytes: number,
  route: Route,
  views: Views,
  gate: ItemGate,
  inbox: Inbox,
  view: object | null,
  isUsers: boolean,
): Drain & UserDrain {
  const { ranks, plane, row, low } = route;
  const call = `sink(${item.kind === "struct" ? "view" : readCode(item, 0)}, from)`;
  const source = `"use strict";
    return function drain(sink) {
      let at = inbox.next;
      if (at === inbox.limit) {
        if (!noInline(gate.fetch, gate)) return true;
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
    };`;
  const shown = item.kind === "struct" ? item.bytes : typesOf(item);
  return generate(`run/drain/${shown}?tag=${tagBytes}${isUsers ? "&sink=user" : ""}`, source, {
    ...views,
    ...{ ranks, plane, row, low, gate, inbox, view, refuse, noInline, PUT_BACK },
    ...readersFor(item, views),
  }) as Drain & UserDrain;
}
