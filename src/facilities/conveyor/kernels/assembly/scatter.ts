/*
 * Scatter: rows, one item in each, are copied into the open buffers of the links to their destinations, in order.
 *
 * The links' places are in memory (geometry/link-table.ts): item i goes to `at` of its link, which then grows by the
 * item's size. `at` equal to `end` means that there is no room. What a place was is always loaded as it was stored, as
 * one u32: a load of two of them at once would wait until the store is in the cache, some 15 cycles.
 *
 * Also a load of `at` waits for the last store of one, whichever link it was: some 10 cycles for each item. So where
 * all links have room for what comes, four items have their places loaded before any is stored (a third to a half of
 * the time).
 */
import { ByteMove, Move, Tag, TwoVectors, Vector, Vectors, Word } from "./move";

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
        : each<ByteMove>(dests, rows, i, end, stride, size, at, links);
  }
}

/** Items that links must have room for at least, so that it pays to look how many it is. */
const LEAST: u32 = 8;

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
  // as many items as there are links to look at
  const least = max(LEAST, links);
  while (i < end) {
    const sure = min(end - i, leastRoom(at, links, least * stride) / stride);
    // one fewer, so that none of them makes its link full
    if (sure > least) i = fours<M>(dests, rows, i, i + ((sure - 1) & ~3), stride, size, at);
    const stop = min(end, i + least);
    for (let row = rows + i * stride; i < stop; i++) {
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
  }
  return i;
}

/** The room of the link that has least, bytes; of the first one with no more than is too little. */
function leastRoom(at: usize, links: u32, tooLittle: u32): u32 {
  const ends: usize = links << 2;
  let least = u32.MAX_VALUE;
  // small buffers of many links fill often, and to look at all links each time took 20 times as long as the items
  for (let place = at; place < at + ends && least > tooLittle; place += 4) {
    least = min(least, load<u32>(place + ends) - load<u32>(place));
  }
  return least;
}

/**
 * Copies rows `i` to `end` - 1, four at a time, to links that have room for all of them.
 * @returns the number of the first of four that were not copied, as one of their destinations is not below `size`; else
 *   `end`
 */
function fours<M extends Move>(dests: usize, rows: usize, i: u32, end: u32, stride: u32, size: u32, at: usize): u32 {
  const item = changetype<M>(0);
  let row = rows + i * stride;
  for (; i < end; i += 4) {
    const four = dests + (i << 2);
    const a = load<u32>(four);
    const b = load<u32>(four, 4);
    const c = load<u32>(four, 8);
    const d = load<u32>(four, 12);
    if (max(max(a, b), max(c, d)) >= size) return i;
    const placeA = at + (a << 2);
    const placeB = at + (b << 2);
    const placeC = at + (c << 2);
    const placeD = at + (d << 2);
    // after those before it that go to the same link
    const toA = load<u32>(placeA);
    const toB = load<u32>(placeB) + u32(b === a) * stride;
    const toC = load<u32>(placeC) + (u32(c === a) + u32(c === b)) * stride;
    const toD = load<u32>(placeD) + (u32(d === a) + u32(d === b) + u32(d === c)) * stride;
    item.move(toA, row, stride);
    item.move(toB, row + stride, stride);
    item.move(toC, row + 2 * stride, stride);
    item.move(toD, row + 3 * stride, stride);
    // in this order: of those to the same link the last one counts
    store<u32>(placeA, toA + stride);
    store<u32>(placeB, toB + stride);
    store<u32>(placeC, toC + stride);
    store<u32>(placeD, toD + stride);
    row += 4 * stride;
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
  const item = changetype<ByteMove>(0);
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
