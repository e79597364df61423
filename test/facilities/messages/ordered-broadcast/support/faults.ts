/** Parts of programs/uses.program.ts that end the world, and how. */
import type { Part } from "../programs/uses.program.ts";

export interface Fault {
  readonly part: Part;
  readonly waitTimeout?: number;
  readonly message: RegExp;
  readonly code: string;
}

export const FAULTS: readonly Fault[] = [
  {
    part: "mismatch",
    message: /an ordered broadcast among PE 0, 1(, 2)?: items (u32|f64), slots 64|items|the same/,
    code: "ERR_TUNDISH_MISMATCH",
  },
  {
    part: "member throws",
    message: /^PE 1 threw RangeError: out of messages/,
    code: "ERR_TUNDISH_RANK_LOST",
  },
  {
    part: "one-sided",
    message: /PE \d has returned, or left, and has not made the ordered broadcast|PE \d has freed its end/,
    code: "ERR_TUNDISH_(RANK_LOST|STATE)",
  },
  {
    part: "cut off",
    waitTimeout: 500,
    message: /There was no room: some member does not deliver, or makes no call/,
    code: "ERR_TUNDISH_TIMEOUT",
  },
];

/** A seed, new in each run. */
export const seedOf = (): number => Math.floor(Math.random() * 2 ** 30);
