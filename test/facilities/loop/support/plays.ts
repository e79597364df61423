/** Random loops, and what every PE must see of them: each index exactly once, and the same result or error at all. */
import * as assert from "uvu/assert";
import type { IndexRange, LoopOptions, LoopSchedule } from "../../../../src/loop.ts";

/** A whole number below n that depends on the words. */
export function pick(n: number, ...words: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % n;
}

const SCHEDULES: readonly (LoopSchedule | undefined)[] = ["static", "dynamic", "guided", "steal", "auto", undefined];
const SIZES = [0, 1, 2, 3, 7, 40, 100, 300];

/** A loop of a seed. */
export interface Play {
  readonly count: number;
  readonly options: LoopOptions;
  /** Of the range. */
  readonly begin: number;
  readonly step: number;
  /** The index at which the body throws; -1 for none. */
  readonly throwsAt: number;
}

export function playOf(seed: number, k: number, pes: number, mayThrow = true): Play {
  const schedule = SCHEDULES[pick(SCHEDULES.length, seed, k, 1)];
  const count = SIZES[pick(SIZES.length, seed, k, 2)] as number;
  const chunk = pick(2, seed, k, 3) === 0 ? undefined : 1 + pick(9, seed, k, 4);
  const weighted = schedule === "static" && chunk === undefined && pick(3, seed, k, 5) === 0;
  const weights = weighted ? Array.from({ length: pes }, (_, pe) => 1 + pick(4, seed, k, 6, pe)) : undefined;
  const throwsAt = mayThrow && pick(4, seed, k, 7) === 0 && count > 0 ? pick(count, seed, k, 8) : -1;
  const step = [1, 1, 2, -3][pick(4, seed, k, 9)] as number;
  return {
    count,
    options: { schedule, chunk, weights },
    begin: step === 1 ? 0 : pick(50, seed, k, 10),
    step,
    throwsAt,
  };
}

/** The range of a play. */
export const rangeOf = ({ count, begin, step }: Play): number | IndexRange =>
  step === 1 && begin === 0 ? count : { begin, end: begin + count * step, step };

/** What one PE has seen of a loop: the iterations that it ran, and how it ended. */
export interface Seen {
  readonly ran: number[];
  readonly ended: string;
}

/** @throws unless each index was run exactly once, or at most once with an error, and all ended alike */
export function check(play: Play, all: readonly Seen[], where: string): void {
  const ran = all.flatMap((one) => one.ran).toSorted((a, b) => a - b);
  assert.is(new Set(ran).size, ran.length, `${where}: an index was run twice`);
  assert.ok(
    ran.every((k) => k >= 0 && k < play.count),
    `${where}: an index is out of range`,
  );
  const [ended] = all.map((one) => one.ended);
  for (const one of all) assert.is(one.ended, ended, where);
  if (play.throwsAt < 0) {
    assert.is(ran.length, play.count, `${where}: indices were left out`);
    assert.is(ended, "", where);
  } else {
    assert.is(ended, `at ${play.throwsAt}`, where);
  }
}
