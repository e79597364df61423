/*
 * The ring of a biconveyor (engine/item-ring.ts): its queries get their slots, and replies are copied to theirs.
 *
 *     ring   ┌────────────┬────────────┬────────────┬──────────────┬─────────────────┐
 *            │ first: u32 │ last: u32  │ missing:u32│ next: u32    │ present: u8     │
 *            └────────────┴────────────┴────────────┴──────────────┴─────────────────┘
 *              by PE                                  by slot
 */
import { ByteMove, Move, Tag, Vector, Word } from "./move";

/**
 * Assigns slots from `tail` on to the queries `i` to `end` - 1, whose destinations are at `dests + 4 * i`.
 * @returns the slot after the last one
 */
export function enlist(dests: usize, i: u32, end: u32, tail: u32, ring: usize, pes: u32, places: u32): u32 {
  const lasts: usize = pes << 2;
  const next = ring + 3 * lasts;
  const present = next + (places << 2);
  for (; i < end; i++) {
    const pe = ring + (load<u32>(dests + (i << 2)) << 2);
    const missing = load<u32>(pe + 2 * lasts);
    store<u32>(pe + 2 * lasts, missing + 1);
    store<u32>(missing === 0 ? pe : next + (load<u32>(pe + lasts) << 2), tail);
    store<u32>(pe + lasts, tail);
    store<u8>(present + tail, 0);
    tail++;
    if (tail === places) tail = 0;
  }
  return tail;
}

/** Number of replies that have come, in adjacent slots from `head` on, `most` at most. */
export function ready(head: u32, most: u32, ring: usize, pes: u32, places: u32): u32 {
  const present = ring + 12 * pes + (places << 2) + head;
  let count: u32 = 0;
  while (most - count >= 16 && i8x16.all_true(v128.load(present + count))) count += 16;
  while (count < most && load<u8>(present + count) !== 0) count++;
  return count;
}

/** Copies `count` replies of `stride` bytes from `at` on, all from PE `from`, to their slots; slot 0 is at `slots`. */
export function settle(
  at: usize,
  count: u32,
  stride: u32,
  from: u32,
  slots: usize,
  ring: usize,
  pes: u32,
  places: u32,
): void {
  if (stride === 8) each<Word<u64>>(at, count, 8, from, slots, ring, pes, places);
  else if (stride === 4) each<Word<u32>>(at, count, 4, from, slots, ring, pes, places);
  else if (stride === 16) each<Vector>(at, count, 16, from, slots, ring, pes, places);
  else each<ByteMove>(at, count, stride, from, slots, ring, pes, places);
}

function each<M extends Move>(
  at: usize,
  count: u32,
  stride: u32,
  from: u32,
  slots: usize,
  ring: usize,
  pes: u32,
  places: u32,
): void {
  const item = changetype<M>(0);
  const pe = ring + (from << 2);
  const next = ring + 12 * pes;
  const present = next + (places << 2);
  const missing = pe + 8 * pes;
  let place = load<u32>(pe);
  store<u32>(missing, load<u32>(missing) - count);
  for (; count > 0; count--) {
    // after the last one that is missing it is of no meaning, and not read
    const after = load<u32>(next + (place << 2));
    item.move(slots + place * stride, at, stride);
    store<u8>(present + place, 1);
    place = after;
    at += stride;
  }
  store<u32>(pe, place);
}

/**
 * As {@link settle}, for replies with tags, which say who they are from (Route.plane, row, low).
 * @param tagAt of the tag before the first one
 * @param ranks by position in the grid
 * @param before what the link contributes to the position
 */
export function settleTagged(
  at: usize,
  tagAt: usize,
  count: u32,
  stride: u32,
  width: u32,
  ranks: usize,
  before: u32,
  plane: u32,
  low: u32,
  slots: usize,
  ring: usize,
  pes: u32,
  places: u32,
): void {
  const item = changetype<ByteMove>(0);
  const next = ring + 12 * pes;
  const present = next + (places << 2);
  for (; count > 0; count--) {
    tagAt -= width;
    const tag = Tag.load(tagAt, width);
    const pe = ring + (Tag.sender(tag, ranks, before, plane, low) << 2);
    const place = load<u32>(pe);
    store<u32>(pe, load<u32>(next + (place << 2)));
    store<u32>(pe + 8 * pes, load<u32>(pe + 8 * pes) - 1);
    item.move(slots + place * stride, at, stride);
    store<u8>(present + place, 1);
    at += stride;
  }
}

/** The PEs that have sent `count` items with tags, as a column at `to`; for the others see {@link settleTagged}. */
export function senders(
  to: usize,
  tagAt: usize,
  count: u32,
  width: u32,
  ranks: usize,
  before: u32,
  plane: u32,
  low: u32,
): void {
  for (; count > 0; count--) {
    tagAt -= width;
    store<u32>(to, Tag.sender(Tag.load(tagAt, width), ranks, before, plane, low));
    to += 4;
  }
}
