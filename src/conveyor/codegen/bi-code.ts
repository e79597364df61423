/** Code that is generated for the items of a biconveyor: what pushes a query, sends a reply, and takes replies in. */
import type { ItemType } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import type { Inbox } from "../engine/inbox.ts";
import { OPEN, type Ring } from "../engine/ring.ts";
import type { Route } from "../geometry/route.ts";
import { type AnyPush, originCode } from "./code.ts";
import { generate, numberOf } from "./generate.ts";
import { copyCode, WORDS, widthOf } from "./short-copy.ts";

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
export function askCode(count: number, ring: Ring, push: AnyPush, asking: Asking): AnyPush {
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const source = `"use strict";
    const { first, last, next, missing } = ring;
    return function ask(dest, ${parameters}) {
      if (ring.state !== ${numberOf({ OPEN })}) asking.refuse("push");
      if (ring.free === 0) return asking.full(dest);
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) push(...arguments);
      if (!push(dest, ${parameters})) return false;
      const place = ring.tail;
      if (missing[dest]++ === 0) first[dest] = place;
      else next[last[dest]] = place;
      last[dest] = place;
      ring.tail = place === ${ring.places - 1} ? 0 : place + 1;
      ring.free--;
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
 * @param stride bytes between two places
 */
export function takeCode(
  ring: Ring,
  stride: number,
  cursor: { at: number },
  asking: Pick<Asking, "refuse">,
): () => boolean {
  const source = `"use strict";
    const { present } = ring;
    return function pull() {
      if (ring.state !== ${numberOf({ OPEN })}) asking.refuse("pull");
      const place = ring.head;
      if (present[place] === 0) return false;
      present[place] = 0;
      if (place === ${ring.places - 1}) {
        ring.head = 0;
        ring.rounds++;
      } else ring.head = place + 1;
      ring.free++;
      cursor.at = place * ${stride};
      return true;
    };`;
  return generate(`biconveyor/pull/${stride}?places=${ring.places}`, source, {
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

/** What replies come in. */
export interface Replies {
  /** Gets the next buffer if there is nothing left to pull; whether there is something then. */
  refill(): boolean;
  readonly cursor: Inbox;
}

/**
 * The function that takes in all replies that have come; whether there were any.
 * @param stride bytes between two places of `store`
 */
export function collectCode(
  item: ItemType,
  route: Route,
  replies: Replies,
  views: Views,
  store: Views,
  stride: number,
  ring: Ring,
): () => boolean {
  const { tagBytes } = route.each[route.hops - 1];
  const width = widthOf(item.bytes, stride);
  const source = `"use strict";
    const { u8, u16, u32, ${WORDS[width]}: source } = views;
    const { ${WORDS[width]}: target, u8: target8 } = store;
    const { ranks, plane, row, low } = route;
    const { cursor: inbox } = replies;
    const { first, next, missing, present } = ring;
    // V8 knows the arrays, and where they lie, in a function of ours that it inlines, but not in the outermost one
    function keep(at, from) {
      const place = first[from];
      first[from] = next[place];
      missing[from]--;
      present[place] = 1;
      const to = place * ${stride};
      ${copyCode(item.bytes, width, ["target", "to", "target8"], ["source", "at", "u8"])}
    }
    return function collect() {
      let any = false;
      for (; replies.refill(); any = true) {
        const { limit } = inbox;
        ${tagBytes === 0 ? "" : "let { tagAt } = inbox;"}
        for (let at = inbox.next; at !== limit; at = (at + ${item.bytes}) >>> 0) {
          ${tagBytes === 0 ? "" : `tagAt -= ${tagBytes};`}
          ${originCode(tagBytes)}
          keep(at, from);
        }
        inbox.take();
      }
      return any;
    };`;
  const name = `biconveyor/collect/${item.bytes}?tag=${tagBytes}`;
  return generate(name, source, { views, store, route, replies, ring }) as () => boolean;
}
