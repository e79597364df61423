/** Code that is generated for the items of a biconveyor: what pushes a query, sends a reply, and pulls one. */
import { noInline } from "../../../ground/base/for-v8.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { ItemRing } from "../engine/item-ring.ts";
import { OPEN } from "../engine/ring.ts";
import { detached, refuse, stale } from "./code.ts";
import { generate, itemName, numberOf } from "./generate.ts";
import type { ItemMembers } from "./item-class.ts";
import { argumentsOf, type Pushing } from "./parts.ts";
import { senderText } from "./run-code.ts";

/** A biconveyor, as the methods need it. */
export interface BiSeat {
  readonly ring: ItemRing;
  readonly queries: Pushing;
  readonly cursor: { at: number };
  /** There is no place in the ring. @returns false @throws StateError, RankRangeError */
  full(dest: unknown): boolean;
  /** @throws StateError */
  refuse(call: string): never;
}

/**
 * The methods of a biconveyor, for a class whose objects are a {@link BiSeat}: its push is that of its queries, and a
 * place in the ring; its pull puts the byte offset of the next reply into the cursor, and calls nothing, see
 * itemMembers in code.ts.
 */
export function biMembers(query: ItemType, reply: ItemType): ItemMembers {
  const { count, parameters } = argumentsOf(query);
  const port: ItemMembers["port"] = (belt) => `
    push(dest, ${parameters}) {
      ${belt("push")}
      const { ring, queries } = c;
      if (ring === undefined || ring.state !== ${numberOf({ OPEN })}) refuse(c, "push");
      const place = ring.tail;
      const tail = place === ring.window ? 0 : place + 1;
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) queries.push(...arguments);
      // one call for both, as one of them comes late: what is first called in compiled code ends that code
      if (tail === ring.head || !queries.push(dest, ${parameters})) return c.full(dest);
      u32[ring.nextAt + place] = dest;
      ring.tail = tail;
      return true;
    }
    pull() {
      ${belt("pull")}
      const { ring } = c;
      if (ring === undefined || ring.state !== ${numberOf({ OPEN })}) refuse(c, "pull");
      const place = ring.head;
      if (place === ring.end) return false;
      ring.head = place === ring.window ? 0 : place + 1;
      c.cursor.at = (ring.slots + place * ring.stride) >>> 0;
      return true;
    }`;
  return {
    name: `biconveyor/push-pull/${itemName(query)}/${itemName(reply)}`,
    port,
    text: senderText(query),
    scope: { detached, refuse, stale, noInline },
  };
}

/** Sends what an answer has returned; false when there is no room for now. @throws UsageError for what is no reply */
export type SendReply = (dest: number, value: unknown) => boolean;

/** @param replies whose push refuses what is no reply */
export function replyCode(item: ItemType, replies: Pushing): SendReply {
  if (item.kind !== "struct") return (dest, value) => replies.push(dest, value);
  const fields = item.fields.map(({ name }) => `value[${JSON.stringify(name)}]`).join(", ");
  const source = `"use strict";
    return function reply(dest, value) {
      // as many as no struct has
      if (typeof value !== "object" || value === null) replies.push(dest);
      return replies.push(dest, ${fields});
    };`;
  return generate(`biconveyor/reply/${item.fields.length}`, source, { replies }) as SendReply;
}
