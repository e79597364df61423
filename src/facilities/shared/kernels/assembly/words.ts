/** Words of locks (facilities/shared/sync/layout.ts). */

/** The part of the state of a lock that names its owner. */
const OWNER: u32 = 1023;

/** Steps between two looks at a lock, some tenths of a ns each. */
const LEAST_PAUSE: u32 = 64;
const MOST_PAUSE: u32 = 1024;

/**
 * Takes a lock that is free and that nobody waits for: pairs with the stores and exchanges that give it back.
 * @param mine the owner @returns the state before: 0 if it has it
 */
export function takeAtOnce(word: usize, mine: i32): i32 {
  return atomic.cmpxchg<i32>(word, 0, mine);
}

let idle: u32 = 0;

/**
 * Takes a lock that is free, or becomes free within so many looks. Between two looks it waits, longer each time: a line
 * that is looked at all the time is taken away from its owner each time.
 * @param mine the owner @returns whether it has it
 */
export function takeSoon(word: usize, mine: i32, looks: u32): bool {
  for (let pause: u32 = LEAST_PAUSE; looks > 0; looks--) {
    const state = atomic.load<i32>(word);
    // pairs with the exchanges of the owner that gives it back
    if ((state & OWNER) === 0 && atomic.cmpxchg<i32>(word, state, state | mine) === state) return true;
    if (looks === 1) break;
    for (let k: u32 = 0; k < pause; k++) idle += k ^ idle;
    if (pause < MOST_PAUSE) pause += pause;
  }
  return false;
}

/**
 * Begins to read.
 * @param held of this reader @param state of the lock of the writers
 * @returns 0, or the owner plus 1 of a lock that a writer has: this PE is no reader then; -1 if it is one already
 */
export function beginRead(held: usize, state: usize): i32 {
  if (load<i32>(held) !== 0) return -1;
  // pairs with the loads of the writer that waits for readers: it sees this, or this PE sees it
  atomic.store<i32>(held, 1);
  const owner = atomic.load<u32>(state) & OWNER;
  if (owner !== 0) atomic.store<i32>(held, 0);
  return owner;
}

/** Ends to read. @returns the owner plus 1 of the lock, which may wait for this; 0 for none, -1 if it did not read */
export function endRead(held: usize, state: usize): i32 {
  if (load<i32>(held) === 0) return -1;
  // pairs as in beginRead()
  atomic.store<i32>(held, 0);
  return atomic.load<u32>(state) & OWNER;
}

/** Takes one off a word that is more than `floor`. @returns whether it was */
export function takeOne(word: usize, floor: i32): bool {
  let seen = atomic.load<i32>(word);
  while (seen > floor) {
    // pairs with itself and with the additions of other PEs
    const before = atomic.cmpxchg<i32>(word, seen, seen - 1);
    if (before === seen) return true;
    seen = before;
  }
  return false;
}
