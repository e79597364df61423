/** The keys of IS (is.ts): their classes, the ranks that are checked, and the generator. Source: NPB 3.4, IS/is.c. */

/** A class: 2^log2Keys keys below 2^log2Limit, in 2^log2Buckets buckets. */
export interface Class {
  readonly log2Keys: number;
  readonly log2Limit: number;
  readonly log2Buckets: number;
  /**
   * The keys whose ranks are checked: their places, and their ranks; whether the keys that are changed before iteration i make these
   * greater or smaller, which they do by i, less `late`.
   */
  readonly tests: readonly (readonly [place: number, rank: number, way: "up" | "down"])[];
  readonly late: { readonly up: number; readonly down: number };
}

export const CLASSES: Readonly<Record<"S" | "W" | "A" | "B", Class>> = {
  S: {
    ...{ log2Keys: 16, log2Limit: 11, log2Buckets: 9, late: { up: 0, down: 0 } },
    tests: [
      [48427, 0, "up"],
      [17148, 18, "up"],
      [23627, 346, "up"],
      [62548, 64917, "down"],
      [4431, 65463, "down"],
    ],
  },
  W: {
    ...{ log2Keys: 20, log2Limit: 16, log2Buckets: 10, late: { up: 2, down: 0 } },
    tests: [
      [357773, 1249, "up"],
      [934767, 11698, "up"],
      [875723, 1039987, "down"],
      [898999, 1043896, "down"],
      [404505, 1048018, "down"],
    ],
  },
  A: {
    ...{ log2Keys: 23, log2Limit: 19, log2Buckets: 10, late: { up: 1, down: 1 } },
    tests: [
      [2112377, 104, "up"],
      [662041, 17523, "up"],
      [5336171, 123928, "up"],
      [3642833, 8288932, "down"],
      [4250760, 8388264, "down"],
    ],
  },
  B: {
    ...{ log2Keys: 25, log2Limit: 21, log2Buckets: 10, late: { up: 0, down: 0 } },
    tests: [
      [41869, 33422937, "down"],
      [812306, 10244, "up"],
      [5102857, 59149, "up"],
      [18232239, 33135281, "down"],
      [26860214, 99, "up"],
    ],
  },
};

const SEED = 314_159_265;
const FACTOR = 5 ** 13;

/** The state of the generator `randlc` after so many numbers: SEED * FACTOR^steps modulo 2^46. */
function stateAfter(steps: number): number {
  let state = BigInt(SEED);
  for (let power = BigInt(FACTOR), left = steps; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) state = BigInt.asUintN(46, state * power);
    power = BigInt.asUintN(46, power * power);
  }
  return Number(state);
}

/** FACTOR in two halves of 23 bits, so that their products are exact in a double. */
const HIGH = Math.floor(FACTOR / 2 ** 23);
const LOW = FACTOR % 2 ** 23;

/** The keys from `first` to before `end`: the means of four random numbers each, times the limit. */
export function makeKeys(limit: number, first: number, end: number): Uint32Array {
  const keys = new Uint32Array(end - first);
  let state = stateAfter(4 * first);
  for (let i = 0; i < keys.length; i++) {
    let sum = 0;
    for (let four = 0; four < 4; four++) {
      const high = Math.floor(state / 2 ** 23);
      const low = state - high * 2 ** 23;
      const middle = HIGH * low + LOW * high;
      const product = (middle - Math.floor(middle / 2 ** 23) * 2 ** 23) * 2 ** 23 + LOW * low;
      state = product - Math.floor(product / 2 ** 46) * 2 ** 46;
      sum += state / 2 ** 46;
    }
    keys[i] = (limit / 4) * sum;
  }
  return keys;
}
