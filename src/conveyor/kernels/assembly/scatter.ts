/*
 * Scatter: rows, one item in each, are copied into the open buffers of the links to their destinations, in order.
 *
 * The links' places are in memory (geometry/link-table.ts): item i goes to `at` of its link, which then grows by the item's size.
 * `at` equal to `end` means that there is no room. What a place was is always loaded as it was stored, as one u32: a load
 * of two of them at once would wait until the store is in the cache, some 15 cycles.
 */
import { Bytes, Move, Tag, TwoVectors, Vector, Vectors, Word } from "./move";

/**
 * Copies rows `i` to `end` - 1, until a link is full, or has no room, or a destination is not below `size`. Row i is at
 * `rows + i * stride`, its destination at `dests + 4 * i`.
 * @param at of the first link's place; the ends follow `links` words after it
 * @returns the number of the first row that was not copied: if row `i` - 1 has made its link full, i
 */
export function scatter(
  dests: usize,
  rows: usize,
  i: u32,
  end: u32,
  stride: u32,
  size: u32,
  at: usize,
  links: u32,
): u32 {
  switch (stride) {
    case 4:
      return each<Word<u32>>(dests, rows, i, end, 4, size, at, links);
    case 8:
      return each<Word<u64>>(dests, rows, i, end, 8, size, at, links);
    case 16:
      return each<Vector>(dests, rows, i, end, 16, size, at, links);
    case 32:
      return each<TwoVectors>(dests, rows, i, end, 32, size, at, links);
    default:
      return stride > 16 && stride < 512
        ? each<Vectors>(dests, rows, i, end, stride, size, at, links)
        : each<Bytes>(dests, rows, i, end, stride, size, at, links);
  }
}

function each<M extends Move>(
  dests: usize,
  rows: usize,
  i: u32,
  end: u32,
  stride: u32,
  size: u32,
  at: usize,
  links: u32,
): u32 {
  const item = changetype<M>(0);
  const ends: usize = links << 2;
  let row = rows + i * stride;
  for (; i < end; i++) {
    const dest = load<u32>(dests + (i << 2));
    if (dest >= size) return i;
    const place = at + (dest << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    if (to === limit) return i;
    item.move(to, row, stride);
    const next = to + stride;
    store<u32>(place, next);
    if (next === limit) return i + 1;
    row += stride;
  }
  return i;
}

/**
 * As {@link scatter}, with tags.
 * @param routes by destination, the link, and `size` words later the tag
 * @param width of the tags, bytes; they grow downwards
 */
export function scatterTagged(
  dests: usize,
  rows: usize,
  i: u32,
  end: u32,
  stride: u32,
  size: u32,
  at: usize,
  links: u32,
  routes: usize,
  width: u32,
): u32 {
  const item = changetype<Bytes>(0);
  const ends: usize = links << 2;
  let row = rows + i * stride;
  for (; i < end; i++) {
    const dest = load<u32>(dests + (i << 2));
    if (dest >= size) return i;
    const route = routes + (dest << 2);
    const place = at + (load<u32>(route) << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    if (to === limit) return i;
    item.move(to, row, stride);
    const tagAt = load<u32>(place + 2 * ends);
    Tag.store(tagAt, load<u32>(route + (size << 2)), width);
    store<u32>(place + 2 * ends, tagAt - width);
    const next = to + stride;
    store<u32>(place, next);
    if (next === limit) return i + 1;
    row += stride;
  }
  return i;
}
