/**
 * Chooses the winner of a contest and judges the reliability of its times: the decision, separate from the measurement.
 *
 * The batches of all candidates are done in turns, some batches of each in every turn, so that within a turn all run in
 * the same state of the machine, for example idle or busy. Only medians of the same turn are compared. The candidate
 * that the model prefers (the favourite) is kept unless another one beats it by {@link MARGIN} in {@link MAJORITY} of
 * the turns. The spread of a candidate is the interquartile range of its turns divided by their median.
 *
 * Example: favourite 100, 100, 500 and another 90, 90, 450 in three turns: the other has won 3 of 3, although the
 * favourite's best turn beats the other's worst. Its spread is 1.8, so its times are unreliable.
 */
import { median, quantile } from "../../ground/base/math.ts";

/** A turn is won by a time that is shorter by this fraction. */
const MARGIN = 0.03;
/** The fraction of turns that must be won. */
const MAJORITY = 0.8;
/** A larger spread shows that the machine was not idle: steady times have 0.02 to 0.2. */
const MOST_SPREAD = 0.5;

/** The measurement of one candidate. */
export interface Measured {
  /** Median over the turns, ns. */
  readonly measured: number;
  /** Interquartile range of the turns divided by their median: 0.1 for 10 %. */
  readonly spread: number;
  /** Turns in which it was clearly faster than the favourite. */
  readonly won: number;
}

/** The result of a contest. */
export interface Decision {
  /** Index of the candidate that is kept; 0 is the favourite. */
  readonly winner: number;
  readonly all: readonly Measured[];
  /** Whether the times of the favourite and of the winner are reliable. */
  readonly steady: boolean;
}

/**
 * Chooses between candidates.
 * @param samples ns of each batch, for each candidate, the favourite first; the same number for each
 * @param perTurn batches of each in one turn
 */
export function decide(samples: readonly (readonly number[])[], perTurn: number): Decision {
  const turns = samples.map((batches) => byTurn(batches, perTurn));
  const favourite = turns[0] as readonly number[];
  const all = turns.map(
    (times): Measured => ({
      measured: median([...times]),
      spread: spreadOf(times),
      won: times.filter((time, turn) => time < (favourite[turn] as number) * (1 - MARGIN)).length,
    }),
  );
  let winner = 0;
  for (const [i, { won, measured }] of all.entries()) {
    const isClear = won >= MAJORITY * favourite.length;
    if (isClear && measured < (all[winner] as Measured).measured) winner = i;
  }
  // a single candidate is judged, too: its times are reported with the choice and show how busy the machine was
  const steady = [0, winner].every((i) => (all[i] as Measured).spread <= MOST_SPREAD);
  return { winner, all, steady };
}

/** The median of each turn. */
function byTurn(batches: readonly number[], perTurn: number): number[] {
  return Array.from({ length: Math.floor(batches.length / perTurn) }, (_, turn) =>
    median(batches.slice(turn * perTurn, (turn + 1) * perTurn)),
  );
}

function spreadOf(times: readonly number[]): number {
  const list = [...times];
  return (quantile(list, 0.75) - quantile(list, 0.25)) / median(list);
}
