/*
 * Iterations are handed out (facilities/loop/chunks/layout.ts). The memory is imported and belongs to the importer.
 * Addresses are byte offsets.
 *
 * Why not in JavaScript: a range of two u32 is exchanged as a whole, which takes 64 bits and would be a BigInt for each
 * chunk there.
 */

// bytes from the control line on
const STOP: usize = 8;
// bytes from the line of a PE on
const BEGIN: usize = 8;
const STEALS: usize = 12;
const TURN: usize = 24;
const LINE: usize = 128;

/** In the list of victims: set in the last one of those that are equally near. */
const LAST: u32 = 1 << 31;

/** A range that nobody has touched stands for the PE's block. */
const UNTOUCHED: u64 = 0;
const EMPTY: u64 = u64.MAX_VALUE;

function ranged(begin: u32, end: u32): u64 {
  return begin === end ? EMPTY : ((<u64>begin) << 32) | end;
}

/** The first iteration of the block of PE `pe`; that of the next one is its end. `from`: the first of the node. */
function blockOf(pe: u32, pes: u32, from: u32, count: u32): u32 {
  return from + <u32>((<u64>pe * count) / pes);
}

/** Whether a PE has ended the loop. */
function stopped(control: usize): bool {
  // pairs with the exchange of who stops it
  return atomic.load<i32>(control + STOP) !== 0;
}

/** The part of a claim that is taken however little is left: less would cost more than it evens out. */
const LEAST: u32 = 8;

/**
 * Takes up to `most` iterations from the front of the own range, in chunks. Of a range that is shorter than two claims
 * it takes half, so that the last claims are shorter, and thieves find something.
 * @param first of the PE's block, which ends at `before`
 * @returns how many; the first one is then in BEGIN. 0 if none is left, or the loop is stopped
 */
export function takeOwn(control: usize, line: usize, first: u32, before: u32, most: u32, chunk: u32): u32 {
  if (stopped(control)) return 0;
  let found = atomic.load<u64>(line);
  let seen: u64;
  let begin: u32;
  let taken: u32;
  do {
    seen = found;
    let end: u32;
    if (seen === UNTOUCHED) {
      begin = first;
      end = before;
    } else {
      begin = <u32>(seen >> 32);
      end = <u32>seen;
    }
    const left = end - begin;
    if (left === 0) return 0;
    const half = max(left >> 1, most / LEAST);
    taken = min(left, max(chunk, min(most, half - (half % chunk))));
    // pairs with that of thieves: of two that take from the same range one sees what the other has left
    found = atomic.cmpxchg<u64>(line, seen, ranged(begin + taken, end));
  } while (found !== seen);
  store<u32>(line + BEGIN, begin);
  return taken;
}

/**
 * Takes the back half of the range of the first victim that has one; it becomes the own range, which is empty. Of those
 * that are equally near it looks first at any one, by TURN, so that thieves do not all follow each other.
 * @param victims where their numbers are, nearest first @returns how many iterations; 0 if there are none
 */
export function steal(control: usize, pe: u32, pes: u32, from: u32, count: u32, victims: usize): u32 {
  const own = control + LINE * (1 + pe);
  const turn = load<u32>(own + TURN);
  const end = victims + 4 * (pes - 1);
  while (victims < end) {
    let size: u32 = 1;
    while ((load<u32>(victims + 4 * (size - 1)) & LAST) === 0) size++;
    for (let i: u32 = 0; i < size; i++) {
      const victim = load<u32>(victims + 4 * (((turn % size) + i) % size)) & ~LAST;
      const taken = stealFrom(control + LINE * (1 + victim), victim, pes, from, count, own);
      if (taken !== 0) return taken;
    }
    victims += 4 * size;
  }
  return 0;
}

/** @param line of the victim @param own that of the thief @returns as steal */
function stealFrom(line: usize, victim: u32, pes: u32, from: u32, count: u32, own: usize): u32 {
  let seen = atomic.load<u64>(line);
  while (seen !== EMPTY) {
    let begin = <u32>(seen >> 32);
    let end = <u32>seen;
    if (seen === UNTOUCHED) {
      begin = blockOf(victim, pes, from, count);
      end = blockOf(victim + 1, pes, from, count);
    }
    const taken = (end - begin + 1) >> 1;
    if (taken === 0) break;
    // pairs with those of the owner and of other thieves
    const found = atomic.cmpxchg<u64>(line, seen, ranged(begin, end - taken));
    if (found === seen) {
      store<u32>(own + STEALS, load<u32>(own + STEALS) + 1);
      // pairs with the loads of thieves; nobody else stores to an empty range
      atomic.store<u64>(own, ranged(end - taken, end));
      return taken;
    }
    seen = found;
  }
  return 0;
}

/** Takes half of an even share of what is left, and at least `least` iterations. @returns as takeOwn */
export function takeShare(control: usize, line: usize, count: u32, least: u32, pes: u32): u32 {
  // an addition of 0: unlike a load it takes the cache line away from the others, for the exchange
  let found = atomic.add<u64>(control, 0);
  if (stopped(control)) return 0;
  let seen: u64;
  let taken: u64;
  do {
    seen = found;
    if (seen >= count) return 0;
    const left = count - seen;
    taken = min(left, max(<u64>least, (left + 2 * pes - 1) / (2 * pes)));
    // pairs with that of the others
    found = atomic.cmpxchg<u64>(control, seen, seen + taken);
  } while (found !== seen);
  store<u32>(line + BEGIN, <u32>seen);
  return <u32>taken;
}

/**
 * Takes the back half of a range, rounded down, for another node: what the PE that gives it is about to take stays.
 * @param begin of the range if nobody has touched it, before `end` @param line of the PE that gives it
 * @returns as takeOwn
 */
export function give(range: usize, begin: u32, end: u32, line: usize): u32 {
  let seen = atomic.load<u64>(range);
  while (seen !== EMPTY) {
    if (seen !== UNTOUCHED) {
      begin = <u32>(seen >> 32);
      end = <u32>seen;
    }
    const given = (end - begin) >> 1;
    if (given === 0) break;
    // pairs with those of the owner and of thieves
    const found = atomic.cmpxchg<u64>(range, seen, ranged(begin, end - given));
    if (found === seen) {
      store<u32>(line + BEGIN, end - given);
      return given;
    }
    seen = found;
  }
  return 0;
}

/** The own range, which is empty, becomes one that another node has given. */
export function put(range: usize, begin: u32, end: u32): void {
  // pairs with the loads of thieves; nobody else stores to an empty range
  atomic.store<u64>(range, ranged(begin, end));
}
