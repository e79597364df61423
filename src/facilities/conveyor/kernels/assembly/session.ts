/*
 * The loop of a session whose items are in rows, within a node and over one hop:
 *
 *     scatter ─▶ publish what is full ─▶ poll ─▶ …  until a buffer was received, or the rows are pushed
 *                     last buffers ─▶ publish ─▶ poll ─▶ …  until all links have sent their last one
 *
 * Where the program pushes and pulls itself, turn() does what is left: one round of this, each time it advances.
 *
 * It returns to JavaScript for whatever needs that: to hand out a received buffer, to stage further rows, to wake a PE
 * that sleeps, to wait, to throw. It does what engine/outbox.ts, engine/receiver.ts and links/transport/heap/porter.ts
 * do together, on the same memory, so that both may take turns in a session; a PE at the other end does not notice
 * which of them it is.
 *
 * Layouts: of the links, and the buffers' descriptions, links/transport/heap/layout.ts; of the arrays by link,
 * geometry/link-table.ts and links/transport/heap/link-counters.ts; of the number of a buffer, engine/receiver.ts.
 */
import { scatter } from "./scatter";

// reasons to return: belts/compiled-session.ts
const IDLE: u32 = 0;
const PUSHED: u32 = 1;
const ARRIVED: u32 = 2;
const OVER: u32 = 3;
const ASLEEP: u32 = 4;
const MISFIT: u32 = 5;
const MISMATCH: u32 = 6;

// arrays by link
const END: u32 = 1;
const BASE: u32 = 4;
const FULL: u32 = 5;
const UNENDED: u32 = 6;
const SENT: u32 = 7;
const BACK: u32 = 8;
const GOT: u32 = 9;
const OUT: u32 = 10;
const IN: u32 = 11;
const WAKER: u32 = 12;
const ORDER: u32 = 13;
const LARGE: u32 = 14;

// words of a link, and of a buffer's description
const LINK_BACK: usize = 128;
const LINK_BUFFERS: usize = 4;
const LINK_HEAD: usize = 256;
const ABOUT_BYTES: u32 = 20;
const COUNTER_MASK: u32 = 0x7fffffff;

// the number that travels with a buffer
const LAST: u32 = 1 << 30;
const COUNT_MASK: u32 = (1 << 29) - 1;
/** Of the number of a session, in the session word. */
const NUMBER_MASK: u32 = 0xff;

const CACHE_LINE: usize = 64;
/** Of reclaim.ts. */
const MOST_RECLAIMED: u32 = 131072;

/** The head: by word as in belts/compiled-session.ts. */
@unmanaged
class Head {
  // set before a session
  /** Byte offset of the arrays. */
  arrays: usize;
  links: u32;
  /** Bytes of an item. */
  stride: u32;
  /** Of a buffer: its bytes, where its items begin, bytes of items that it has room for. */
  bufferBytes: u32;
  base: u32;
  room: u32;
  perLink: u32;
  /** The session word. */
  session: u32;
  // of the session
  /** The next item to be pushed. */
  next: u32;
  /** The last received buffer: its link, where its items are, how many. */
  source: u32;
  at: u32;
  count: u32;
  /** Links whose last buffer has come; those whose own one is not sent. */
  ended: u32;
  unended: u32;
  /** Where in the order the search for the next received buffer begins. */
  turn: u32;
  /** The link whose friend sleeps. */
  asleep: u32;
  /** Since they were read: full buffers sent, bytes in them; the same of last buffers with items. */
  buffers: u32;
  bytes: u32;
  lastBuffers: u32;
  lastBytes: u32;
  /** A word of another session. */
  word: u32;
  /** Of turn(): the sums over the links after the last one, and whether anything has moved since this was 0. */
  trace: u32;
  moved: u32;

  /** The address of an element of an array. */
  @inline of(array: u32, link: u32): usize {
    return this.arrays + ((array * this.links + link) << 2);
  }

  @inline get(array: u32, link: u32): u32 {
    return load<u32>(this.of(array, link));
  }

  @inline set(array: u32, link: u32, value: u32): void {
    store<u32>(this.of(array, link), value);
  }

  /** Of the links that this PE sends over: the description of the buffer of a number. */
  @inline about(link: usize, number: u32): usize {
    return link + LINK_BUFFERS + (number % this.perLink) * ABOUT_BYTES;
  }
}

/**
 * @param rows, dests where item 0 would be, and its destination
 * @param end number of the item after the last one that may be pushed now
 * @param isAll whether no further ones come after these
 * @param takes whether JavaScript takes a received buffer
 * @param back the link of a buffer that is given back before; -1 for none
 * @param spins turns without progress before it returns
 * @returns why
 */
export function proceed(
  head: usize,
  dests: usize,
  rows: usize,
  end: u32,
  isAll: bool,
  takes: bool,
  back: i32,
  spins: u32,
): u32 {
  const h = changetype<Head>(head);
  if (back >= 0 && giveBack(h, back)) return ASLEEP;
  for (let left = spins + 1; left > 0; ) {
    const trace = h.next - h.unended + h.ended;
    if (h.next < end) {
      const why = push(h, dests, rows, end);
      if (why !== IDLE) return why;
    }
    if (h.next === end) {
      if (!isAll) return PUSHED;
      if (h.unended > 0 && close(h)) return ASLEEP;
    }
    if (takes) {
      const why = receive(h);
      if (why !== IDLE) return why;
      if (h.ended === h.links && h.unended === 0) return OVER;
    }
    left = h.next - h.unended + h.ended === trace ? left - 1 : spins + 1;
  }
  return IDLE;
}

/** Pushes rows until a link has no room; sends the buffers that they fill. */
function push(h: Head, dests: usize, rows: usize, end: u32): u32 {
  const links = h.links;
  for (let i = h.next; i < end; ) {
    const dest = load<u32>(dests + (i << 2));
    if (dest >= links) return MISFIT;
    const at = h.get(0, dest);
    if (at === h.get(END, dest)) {
      if (at !== 0 && send(h, dest, 0)) return ASLEEP;
      if (!open(h, dest)) return IDLE;
    }
    i = scatter(dests, rows, i, end, h.stride, links, h.arrays, links);
    h.next = i;
    const last = load<u32>(dests + ((i - 1) << 2));
    if (h.get(0, last) === h.get(END, last) && send(h, last, 0)) return ASLEEP;
  }
  return IDLE;
}

/**
 * A turn of a session whose items the program pushes and pulls: sends what is full, or the last buffers if nothing more
 * is pushed, and looks for a received buffer.
 * @param takes, back as for proceed @returns as proceed
 */
export function turn(head: usize, isDone: bool, takes: bool, back: i32): u32 {
  const h = changetype<Head>(head);
  if (back >= 0 && giveBack(h, back)) return ASLEEP;
  if (h.unended > 0) {
    const isAsleep = isDone ? close(h) : sendFull(h);
    // what the program has pushed, and what was sent
    let trace: u32 = 0;
    for (let link: u32 = 0; link < h.links; link++) trace += h.get(0, link) + h.get(SENT, link);
    if (trace !== h.trace) h.moved = 1;
    h.trace = trace;
    if (isAsleep) return ASLEEP;
  }
  if (!takes) return IDLE;
  const ended = h.ended;
  const why = receive(h);
  if (h.ended !== ended) h.moved = 1;
  return why;
}

/** Sends the full buffers; whether a friend sleeps. */
function sendFull(h: Head): bool {
  for (let k: u32 = 0; k < h.links; k++) {
    const link = h.get(ORDER, k);
    const at = h.get(0, link);
    const after = at + h.stride;
    if (at === 0 || after <= h.get(BASE, link) + h.get(FULL, link)) continue;
    // what only the slow start calls full goes on being filled where there is no other: as in engine/outbox.ts
    const isEarly = after <= h.get(BASE, link) + h.room;
    if (isEarly && !isFree(h, link, h.get(SENT, link) + 1)) continue;
    if (send(h, link, 0)) return true;
  }
  return false;
}

/** Whether a link has a buffer in flight less than it has buffers, once so many were sent. */
function isFree(h: Head, link: u32, sent: u32): bool {
  if (((sent - h.get(BACK, link)) & COUNTER_MASK) < h.perLink) return true;
  // pairs with the store in giveBack(), or that of SharedPorter: the receiver reads no more what it has given back
  const back = atomic.load<u32>((h.get(OUT, link) as usize) + LINK_BACK) >> 1;
  h.set(BACK, link, back);
  return ((sent - back) & COUNTER_MASK) < h.perLink;
}

/** Opens a buffer for a link; false while all are in flight. */
function open(h: Head, link: u32): bool {
  const sent = h.get(SENT, link);
  const out = h.get(OUT, link) as usize;
  if (!isFree(h, link, sent)) return false;
  const start = out + LINK_HEAD + (sent % h.perLink) * h.bufferBytes;
  if (h.get(LARGE, link) !== 0) {
    for (let line = start; line < start + h.bufferBytes; line += CACHE_LINE) store<u32>(line, 0);
  }
  const base = (start as u32) + h.base;
  h.set(BASE, link, base);
  h.set(FULL, link, h.room);
  h.set(0, link, base);
  h.set(END, link, base + h.room);
  return true;
}

/** Sends the open buffer of a link. @param last LAST for the session's last one @returns whether its friend sleeps */
function send(h: Head, link: u32, last: u32): bool {
  const out = h.get(OUT, link) as usize;
  const base = h.get(BASE, link);
  const bytes = h.get(0, link) - base;
  const sent = h.get(SENT, link);
  h.set(0, link, 0);
  h.set(END, link, 0);
  const about = h.about(out, sent);
  store<u32>(about, base - (out as u32));
  store<u32>(about, bytes, 4);
  store<u32>(about, (bytes / h.stride) | last, 8);
  store<u32>(about, 0, 12);
  store<u32>(about, h.session, 16);
  const isOwn = (out as u32) === h.get(IN, link);
  h.set(LARGE, link, u32(!isOwn && bytes > h.bufferBytes >> 1 && h.bufferBytes <= MOST_RECLAIMED));
  if (last === 0) {
    h.buffers++;
    h.bytes += bytes;
  } else if (bytes > 0) {
    h.lastBuffers++;
    h.lastBytes += bytes;
  }
  const next = (sent + 1) & COUNTER_MASK;
  h.set(SENT, link, next);
  // pairs with the load in receive(), or in SharedPorter.borrow(): the buffer and its description are visible with it
  atomic.store<u32>(out, next);
  return sleeps(h, link);
}

/** Sends the last buffers of the links that have room for one; whether a friend sleeps. */
function close(h: Head): bool {
  for (let k: u32 = 0; k < h.links; k++) {
    const link = h.get(ORDER, k);
    if (h.get(UNENDED, link) === 0 || (h.get(0, link) === 0 && !open(h, link))) continue;
    h.set(UNENDED, link, 0);
    h.unended--;
    if (send(h, link, LAST)) return true;
  }
  return false;
}

/** Looks for a received buffer with items. */
function receive(h: Head): u32 {
  for (let looked: u32 = 0; looked < h.links; looked++) {
    const link = h.get(ORDER, h.turn);
    h.turn = h.turn + 1 === h.links ? 0 : h.turn + 1;
    const from = h.get(IN, link) as usize;
    const got = h.get(GOT, link);
    // pairs with the store in send(), or that of SharedPorter
    if (atomic.load<u32>(from) === got) continue;
    const about = h.about(from, got);
    const word = load<u32>(about, 16);
    if (word !== h.session) {
      // of the same number: filled under other terms; else of the next session
      if (((word ^ h.session) & NUMBER_MASK) !== 0) continue;
      h.word = word;
      return MISMATCH;
    }
    const number = load<u32>(about, 8);
    if ((number & LAST) !== 0) h.ended++;
    h.source = link;
    h.count = number & COUNT_MASK;
    if (h.count > 0) {
      h.at = (from as u32) + load<u32>(about);
      return ARRIVED;
    }
    if (giveBack(h, link)) return ASLEEP;
  }
  return IDLE;
}

/** Returns the oldest received buffer of a link to its sender; whether that sleeps. */
function giveBack(h: Head, link: u32): bool {
  const got = (h.get(GOT, link) + 1) & COUNTER_MASK;
  h.set(GOT, link, got);
  // pairs with the load in open(), or those of SharedPorter: what was read from the buffer was read before
  atomic.store<u32>((h.get(IN, link) as usize) + LINK_BACK, got << 1);
  return sleeps(h, link);
}

/** Whether the friend of a link sleeps, after a store that it may wait for. */
function sleeps(h: Head, link: u32): bool {
  // pairs with the store in Wakers.announce(): of the two stores and loads at least one load sees the other's store
  if (atomic.load<u32>(h.get(WAKER, link) as usize) === 0) return false;
  h.asleep = link;
  return true;
}
