/*
 * A push into an append buffer (facilities/append/layout.ts): reserve, copy, complete. The memory is imported and
 * belongs to the importer.
 *
 * All counters have 64 bits, which JavaScript could only add to as BigInts. Positions are given as f64: exact up to
 * 2^53 bytes.
 */

// bytes from the control line on
const BASE: usize = 8;
// bytes from a slot on
const MESSAGES: usize = 8;
const STAGE: usize = 64;

// what push does: takes what fits, counts messages, is on a processor that does not keep the order of stores
const TRUNCATES: u32 = 1;
const COUNTS: u32 = 2;
const ORDERS: u32 = 4;

/** The result of reserve where a reset came in between. */
const RACED: f64 = NaN;
/** The largest position that a slot can say; what is beyond the end of a buffer may have any. */
const FARTHEST: u64 = 0xffff_fffe;

/** The word of a push whose position is not known yet, and when it is: see PENDING in layout.ts. */
function begun(bytes: u32): u64 {
  return <u64>bytes + 1;
}
function placed(position: u64, bytes: u32): u64 {
  return ((min(position, FARTHEST) + 1) << 32) | begun(bytes);
}

/**
 * Reserves `bytes` bytes if all of them have room.
 * @param slot of this writer @param length of the buffer
 * @returns the position of the first one; -1 less the room that is left if there is no room; NaN after a reset in
 * between
 */
export function reserve(control: usize, slot: usize, length: u32, bytes: u32): f64 {
  // a reader that sees the reservation sees this, as the exchange below comes after it
  store<u64>(slot, begun(bytes));
  // an addition of 0: unlike a load it takes the cache line away from the others, for the exchange
  let seen = atomic.add<u64>(control, 0);
  let reserved: u64;
  let position: i64;
  do {
    reserved = seen;
    position = <i64>(reserved - load<u64>(control + BASE));
    if (position < 0 || position + <i64>bytes > <i64>length) {
      store<u64>(slot, 0);
      return position < 0 ? RACED : <f64>(position - 1 - <i64>length);
    }
    // pairs with the additions and exchanges of other writers, so that ranges never overlap, and with the owner's load
    seen = atomic.cmpxchg<u64>(control, reserved, reserved + bytes);
  } while (seen !== reserved);
  store<u64>(slot, placed(position, bytes));
  return <f64>position;
}

/** Reserves `bytes` bytes, with or without room. @returns the position of the first; NaN after a reset in between */
export function reserveAny(control: usize, slot: usize, bytes: u32): f64 {
  store<u64>(slot, begun(bytes));
  // pairs as the exchange in reserve()
  const position = <i64>(atomic.add<u64>(control, bytes) - load<u64>(control + BASE));
  if (position < 0) {
    // BASE has counted these bytes already
    store<u64>(slot, 0);
    return RACED;
  }
  store<u64>(slot, placed(position, bytes));
  return <f64>position;
}

/** A push has ended: on processors that keep the order of stores. @param messages how many it counts as */
export function complete(slot: usize, messages: u32): void {
  store<u64>(slot + MESSAGES, load<u64>(slot + MESSAGES) + messages);
  // after the copy: pairs with the load in readable()
  store<u64>(slot, 0);
}

/** As complete, on any processor. */
export function completeInOrder(slot: usize, messages: u32): void {
  store<u64>(slot + MESSAGES, load<u64>(slot + MESSAGES) + messages);
  // publishes the copy: pairs with the load in readable()
  atomic.store<u64>(slot, 0);
}

/** Copies `bytes` bytes, which do not overlap. */
export function copy(to: usize, from: usize, bytes: u32): void {
  if (bytes > 64) {
    memory.copy(to, from, bytes);
  } else if (bytes >= 16) {
    const last = bytes - 16;
    for (let at: u32 = 0; at < last; at += 16) v128.store(to + at, v128.load(from + at));
    v128.store(to + last, v128.load(from + last));
  } else if (bytes >= 8) {
    const tail = load<u64>(from + bytes - 8);
    store<u64>(to, load<u64>(from));
    store<u64>(to + bytes - 8, tail);
  } else {
    for (let at: u32 = 0; at < bytes; at++) store<u8>(to + at, load<u8>(from + at));
  }
}

/**
 * A whole push of the first `bytes` bytes of the stage of its writer.
 * @param start of the buffer @returns the bytes that were taken; else as reserve
 */
export function push(control: usize, slot: usize, start: usize, length: u32, bytes: u32, flags: u32): f64 {
  const truncates = (flags & TRUNCATES) !== 0;
  const position = truncates ? reserveAny(control, slot, bytes) : reserve(control, slot, length, bytes);
  if (!(position >= 0)) return position;
  let taken = bytes;
  if (truncates) taken = position >= <f64>length ? 0 : min(bytes, length - <u32>position);
  copy(start + <usize>position, slot + STAGE, taken);
  const messages: u32 = (flags & COUNTS) !== 0 && (taken > 0 || bytes === 0) ? 1 : 0;
  if (flags & ORDERS) completeInOrder(slot, messages);
  else complete(slot, messages);
  return <f64>taken;
}

/** Bytes reserved since the last reset, perhaps beyond the end. */
export function reserved(control: usize): f64 {
  return <f64>(atomic.load<u64>(control) - load<u64>(control + BASE));
}

/**
 * Bytes from the start below which no push of `writers` writers is under way.
 * @param length of the buffer @returns -1 while the position of a push is not known
 */
export function readable(control: usize, slots: usize, writers: u32, line: u32, length: u32): f64 {
  // pairs with the additions and exchanges of the writers: of each that is counted the slot below shows its push, or
  // that it has ended
  let end = min(atomic.load<u64>(control) - load<u64>(control + BASE), <u64>length);
  for (let i: u32 = 0; i < writers; i++) {
    // pairs with the store of complete(): what was copied before is seen
    const pending = atomic.load<u64>(slots + i * line);
    if (pending === 0) continue;
    const position = pending >> 32;
    if (position === 0) return -1;
    end = min(end, position - 1);
  }
  return <f64>end;
}

/** Messages that `writers` writers have completed in all. */
export function messages(slots: usize, writers: u32, line: u32): f64 {
  let sum: u64 = 0;
  for (let i: u32 = 0; i < writers; i++) sum += atomic.load<u64>(slots + i * line + MESSAGES);
  return <f64>sum;
}

/** The owner begins again at position 0. @returns whether nothing was reserved meanwhile */
export function reset(control: usize): bool {
  const reserved = atomic.load<u64>(control);
  // pairs with the writers' load of BASE after their addition: one that comes after the load below sees this
  atomic.store<u64>(control + BASE, reserved);
  return atomic.load<u64>(control) === reserved;
}
