/*
 * Hash tables of which all PEs of a node read and write the entries (facilities/shared/tables/layout.ts): open
 * addressing, linear probing. A key stays where it is once it is there, also deleted, until the table is replaced.
 *
 * A change takes the owner bits of the entry by a compare-exchange, and marks that it writes; a reader that has seen
 * another word after it has copied the value copies it again (a seqlock for each entry).
 *
 * The arguments: `table` and how many `slots` it has; `stage`, memory of this PE with a key and behind it a value; the
 * bytes of both; `me`, the rank + 1.
 */

const KIND: u32 = 3;
const EMPTY: u32 = 0;
const FULL: u32 = 1;
const TOMB: u32 = 2;
const MOVED: u32 = 4;
const WRITING: u32 = 8;
const OWNER: u32 = 0x3ff0;
const OWNER_SHIFT: u32 = 4;
const VERSION: u32 = 0x4000;
const VERSIONS: u32 = ~0x3fff;

const META: usize = 4;

/** Looks at an entry that another PE changes before the caller waits in another way. */
const MOST_LOOKS: u32 = 200;

// results
const ABSENT: i32 = 0;
const THERE: i32 = 1;
/** A new key. */
const ADDED: i32 = 2;
/** An entry is locked by another PE: its address is in `busy`. */
const BUSY: i32 = -1;
/** The table is being replaced. */
const GROWING: i32 = -2;
/** A new key has no room: the caller gets some. */
const NO_ROOM: i32 = -3;

/** Whether loads are not kept in order by the processor. */
let reorders: bool = false;
export function setReorders(value: bool): void {
  reorders = value;
}

let found: usize = 0;
/** The entry that the last call was about: locked, or busy. */
export function lastEntry(): usize {
  return found;
}

// odd numbers of 64 bits, without a pattern
const MIX: u64 = ((<u64>0xd6e8feb8) << 32) | <u64>0x6659fd93;
const SPREAD: u64 = ((<u64>0x9e3779b9) << 32) | <u64>0x7f4a7c15;

function mixed(hash: u64): u32 {
  hash ^= hash >> 32;
  hash *= MIX;
  hash ^= hash >> 32;
  hash *= MIX;
  return <u32>(hash ^ (hash >> 32));
}

function hashOf(key: usize, keyBytes: u32): u32 {
  if (keyBytes === 8) return mixed(load<u64>(key));
  if (keyBytes === 4) return mixed(load<u32>(key));
  let hash: u64 = keyBytes;
  for (let at: u32 = 0; at < keyBytes; at += 4) hash = (hash ^ load<u32>(key + at)) * SPREAD;
  return mixed(hash);
}

/** The slot where the search of a key begins: as many slots as there are, so that tables grow by halves. */
function firstOf(hash: u32, slots: u32): u32 {
  return <u32>((<u64>hash * <u64>slots) >> 32);
}

function after(slot: u32, slots: u32): u32 {
  return slot + 1 === slots ? 0 : slot + 1;
}

function isEqual(key: usize, other: usize, keyBytes: u32): bool {
  if (keyBytes === 8) return load<u64>(key) === load<u64>(other);
  if (keyBytes === 4) return load<u32>(key) === load<u32>(other);
  for (let at: u32 = 0; at < keyBytes; at += 4) if (load<u32>(key + at) !== load<u32>(other + at)) return false;
  return true;
}

function move(to: usize, from: usize, bytes: u32): void {
  if (bytes === 8) store<u64>(to, load<u64>(from));
  else for (let at: u32 = 0; at < bytes; at += 4) store<u32>(to + at, load<u32>(from + at));
}

/** Copies the value of an entry to the stage. @returns its kind, or BUSY */
function read(entry: usize, keyBytes: u32, valueBytes: u32, to: usize): i32 {
  for (let looks: u32 = 0; looks < MOST_LOOKS; looks++) {
    // pairs with the stores of those that change the entry
    const meta = atomic.load<u32>(entry);
    if ((meta & WRITING) !== 0) continue;
    move(to, entry + META + keyBytes, valueBytes);
    // the copy before the look: an atomic operation on memory of this PE is a fence
    if (reorders) atomic.add<u32>(to, 0);
    if (atomic.load<u32>(entry) === meta) return meta & KIND;
  }
  found = entry;
  return BUSY;
}

/** Copies the value of a key to the stage. @returns THERE, ABSENT or BUSY */
export function get(table: usize, slots: u32, stage: usize, keyBytes: u32, valueBytes: u32): i32 {
  const stride = META + keyBytes + valueBytes;
  for (let slot = firstOf(hashOf(stage, keyBytes), slots); ; slot = after(slot, slots)) {
    const entry = table + <usize>slot * stride;
    // pairs with the store that has made it full: its key is seen
    const kind = atomic.load<u32>(entry) & KIND;
    // nobody has gone on behind a slot that is not full yet
    if (kind === EMPTY) return ABSENT;
    if (!isEqual(entry + META, stage, keyBytes)) continue;
    const now = read(entry, keyBytes, valueBytes, stage + keyBytes);
    return now === BUSY ? BUSY : now === FULL ? THERE : ABSENT;
  }
}

/**
 * Takes the entry of a key, for whoever changes it: `lastEntry` is its address.
 * @param adds whether it may take a new slot @returns THERE; ABSENT: it was deleted; ADDED: a new slot, whose key is
 * written; BUSY, GROWING, NO_ROOM: nothing is taken
 */
export function take(table: usize, slots: u32, stage: usize, keyBytes: u32, valueBytes: u32, me: u32, adds: bool): i32 {
  const stride = META + keyBytes + valueBytes;
  let looks: u32 = 0;
  for (let slot = firstOf(hashOf(stage, keyBytes), slots); ; ) {
    const entry = table + <usize>slot * stride;
    found = entry;
    const meta = atomic.load<u32>(entry);
    const kind = meta & KIND;
    if (kind !== EMPTY && !isEqual(entry + META, stage, keyBytes)) {
      slot = after(slot, slots);
      continue;
    }
    if ((meta & MOVED) !== 0) return GROWING;
    if ((meta & OWNER) !== 0) {
      if (++looks > MOST_LOOKS) return BUSY;
      continue;
    }
    if (kind === EMPTY && !adds) return NO_ROOM;
    // pairs with the same exchange of others, and with that of who moves the entry
    if (atomic.cmpxchg<u32>(entry, meta, meta | (me << OWNER_SHIFT)) !== meta) continue;
    if (kind === FULL) return THERE;
    if (kind === TOMB) return ABSENT;
    move(entry + META, stage, keyBytes);
    return ADDED;
  }
}

/** Gives a taken entry back with the value in the stage. */
export function put(entry: usize, stage: usize, keyBytes: u32, valueBytes: u32): void {
  const meta = atomic.load<u32>(entry);
  // pairs with the loads of read(), before and after its copy. An exchange, as a store may be behind the next ones
  atomic.xchg<u32>(entry, meta | WRITING);
  move(entry + META + keyBytes, stage + keyBytes, valueBytes);
  atomic.store<u32>(entry, ((meta & VERSIONS) + VERSION) | FULL);
}

export function zero(at: usize, bytes: u32): void {
  memory.fill(at, 0, bytes);
}

/** Gives it back as it was. @param removes whether it is deleted */
export function giveBack(entry: usize, removes: bool): void {
  const meta = atomic.load<u32>(entry);
  const kind = removes ? TOMB : meta & KIND;
  atomic.store<u32>(entry, ((meta & VERSIONS) + VERSION) | kind);
}

/** Copies the value of a taken entry to the stage. */
export function fetch(entry: usize, stage: usize, keyBytes: u32, valueBytes: u32): void {
  move(stage + keyBytes, entry + META + keyBytes, valueBytes);
}

/** Sets the value of a key. @returns as take */
export function set(table: usize, slots: u32, stage: usize, keyBytes: u32, valueBytes: u32, me: u32, adds: bool): i32 {
  const taken = take(table, slots, stage, keyBytes, valueBytes, me, adds);
  if (taken >= 0) put(found, stage, keyBytes, valueBytes);
  return taken;
}

/** Deletes a key. @returns THERE if it was there; else ABSENT, BUSY, GROWING or NO_ROOM: it was never there */
export function remove(table: usize, slots: u32, stage: usize, keyBytes: u32, valueBytes: u32, me: u32): i32 {
  const taken = take(table, slots, stage, keyBytes, valueBytes, me, false);
  if (taken >= 0) giveBack(found, true);
  return taken;
}

function sum<T>(value: usize, addend: usize): void {
  store<T>(addend, (load<T>(value) + load<T>(addend)) as T);
}

/**
 * Adds the number in the stage to that of a key, or to 0; the sum is in the stage.
 * @param type see SUMMED in tables/map.ts @returns as take
 */
export function add(
  table: usize,
  slots: u32,
  stage: usize,
  keyBytes: u32,
  valueBytes: u32,
  me: u32,
  adds: bool,
  type: u32,
): i32 {
  const taken = take(table, slots, stage, keyBytes, valueBytes, me, adds);
  if (taken < 0) return taken;
  if (taken === THERE) {
    const value = found + META + keyBytes;
    const addend = stage + keyBytes;
    if (type === 0) sum<f64>(value, addend);
    else if (type === 1) sum<f32>(value, addend);
    else if (type === 2) sum<i32>(value, addend);
    else sum<i64>(value, addend);
  }
  put(found, stage, keyBytes, valueBytes);
  return taken;
}

/** Copies the entry of a slot to the stage. @returns THERE, ABSENT, BUSY */
export function slotAt(table: usize, slot: u32, stage: usize, keyBytes: u32, valueBytes: u32): i32 {
  const entry = table + <usize>slot * (META + keyBytes + valueBytes);
  if ((atomic.load<u32>(entry) & KIND) !== FULL) return ABSENT;
  move(stage, entry + META, keyBytes);
  const now = read(entry, keyBytes, valueBytes, stage + keyBytes);
  return now === BUSY ? BUSY : now === FULL ? THERE : ABSENT;
}

let moved: u32 = 0;
/** Entries that were moved since the first slot of a table. */
export function movedEntries(): u32 {
  return moved;
}

/**
 * Moves the entries of slots from `slot` on into another table that nobody else has yet; they cannot be changed any
 * more.
 * @returns the first slot that is not moved: its entry is locked by another PE; all slots if all are
 */
export function moveTo(
  table: usize,
  slots: u32,
  slot: u32,
  next: usize,
  nextSlots: u32,
  keyBytes: u32,
  valueBytes: u32,
): u32 {
  const stride = META + keyBytes + valueBytes;
  if (slot === 0) moved = 0;
  for (let looks: u32 = 0; slot < slots; ) {
    const entry = table + <usize>slot * stride;
    const meta = atomic.load<u32>(entry);
    if ((meta & OWNER) !== 0) {
      found = entry;
      if (++looks > MOST_LOOKS) return slot;
      continue;
    }
    // pairs with that of take(): whoever comes later finds it moved
    if ((meta & MOVED) === 0 && atomic.cmpxchg<u32>(entry, meta, meta | MOVED) !== meta) continue;
    if ((meta & KIND) === FULL) {
      let to = firstOf(hashOf(entry + META, keyBytes), nextSlots);
      while (load<u32>(next + <usize>to * stride) !== 0) to = after(to, nextSlots);
      const copy = next + <usize>to * stride;
      move(copy + META, entry + META, keyBytes + valueBytes);
      store<u32>(copy, FULL);
      moved++;
    }
    slot++;
  }
  return slots;
}

/** The owner plus 1 of an entry. */
export function ownerOf(entry: usize): u32 {
  return (atomic.load<u32>(entry) & OWNER) >> OWNER_SHIFT;
}

/** Gives the entry of a PE that is gone back as it was. @param owner plus 1 */
export function free(entry: usize, owner: u32): void {
  const meta = atomic.load<u32>(entry);
  if ((meta & OWNER) >> OWNER_SHIFT !== owner) return;
  atomic.cmpxchg<u32>(entry, meta, ((meta & VERSIONS) + VERSION) | (meta & KIND));
}

/** Adds to a word of 64 bits. @returns the sum, exact up to 2^53 */
export function count(word: usize, by: f64): f64 {
  // pairs with itself at other PEs
  return <f64>(atomic.add<i64>(word, <i64>by) + <i64>by);
}
