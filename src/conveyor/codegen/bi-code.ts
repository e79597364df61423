/** Code that is generated for the items of a biconveyor: what pushes a query, sends a reply, and pulls one. */
import type { ItemType } from "../../item/types.ts";
import type { ItemRing } from "../engine/item-ring.ts";
import { OPEN } from "../engine/ring.ts";
import type { AnyPush } from "./code.ts";
import { generate, numberOf } from "./generate.ts";

/** What the push of queries asks when it cannot go on. */
export interface Asking {
  /** @throws StateError */
  refuse(call: string): never;
  /** There is no place in the ring. @returns false @throws StateError, RankRangeError */
  full(dest: unknown): boolean;
}

/**
 * The push of a biconveyor: that of its queries, and a place in the ring.
 * @param count arguments of a query
 */
export function askCode(count: number, ring: ItemRing, push: AnyPush, asking: Asking): AnyPush {
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const source = `"use strict";
    const { next } = ring;
    return function ask(dest, ${parameters}) {
      if (ring.state !== ${numberOf({ OPEN })}) asking.refuse("push");
      const place = ring.tail;
      const tail = place === ${ring.places - 1} ? 0 : place + 1;
      if (tail === ring.head) return asking.full(dest);
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) push(...arguments);
      if (!push(dest, ${parameters})) return false;
      next[place] = dest;
      ring.tail = tail;
      return true;
    };`;
  return generate(`biconveyor/push/${count}?places=${ring.places}`, source, {
    ring,
    push,
    asking,
  }) as AnyPush;
}

/**
 * The pull of a biconveyor: the cursor gets the byte offset of the next reply. It calls nothing, see itemCode in code.ts.
 */
export function takeCode(
  ring: ItemRing,
  cursor: { at: number },
  asking: Pick<Asking, "refuse">,
): () => boolean {
  const source = `"use strict";
    const { slots } = ring;
    return function pull() {
      if (ring.state !== ${numberOf({ OPEN })}) asking.refuse("pull");
      const place = ring.head;
      if (place === ring.end) return false;
      if (place === ${ring.places - 1}) {
        ring.head = 0;
        ring.rounds++;
      } else ring.head = place + 1;
      cursor.at = (slots + place * ${ring.stride}) >>> 0;
      return true;
    };`;
  return generate(`biconveyor/pull/${ring.stride}?places=${ring.places}`, source, {
    ring,
    cursor,
    asking,
  }) as () => boolean;
}

/** Sends what an answer has returned; false when there is no room for now. @throws UsageError for what is no reply */
export type SendReply = (dest: number, value: unknown) => boolean;

/** @param push of the conveyor of replies, which refuses what is no reply */
export function replyCode(item: ItemType, push: AnyPush): SendReply {
  if (item.kind !== "struct") return push as SendReply;
  const fields = item.fields.map(({ name }) => `value[${JSON.stringify(name)}]`).join(", ");
  const source = `"use strict";
    return function reply(dest, value) {
      // as many as no struct has
      if (typeof value !== "object" || value === null) push(dest);
      return push(dest, ${fields});
    };`;
  return generate(`biconveyor/reply/${item.fields.length}`, source, { push }) as SendReply;
}
