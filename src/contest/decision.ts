/**
 * Who wins a contest, and whether its times are to be believed: the decision, apart from the measurement.
 *
 * What: the batches of all contenders come in turns, some batches of each in every turn, so that in one turn all
 * meet the machine in the same state, near or far, busy or idle. Only medians of one turn are compared. The
 * model's favourite stays unless another beats it by {@link MARGIN} in {@link MAJORITY} of the turns. The spread
 * of a contender is the distance of the quartiles of its turns over their median.
 *
 * Example: favourite 100, 100, 500 and another 90, 90, 450 in three turns: the other has won 3 of 3, though the
 * favourite's best turn beats the other's worst; its spread is 1.8, which nobody should believe.
 */
import { median, quantile } from "../base/math.ts";

/** What a turn must be faster by to be won. */
const MARGIN = 0.03;
/** The share of turns to be won. */
const MAJORITY = 0.8;
/** A larger spread is no state of an idle machine: steady ones show 0.02 to 0.2. */
const MOST_SPREAD = 0.5;

/** What was measured of one contender. */
export interface Measured {
  /** Median over the turns, ns. */
  readonly measured: number;
  /** Distance of the quartiles of the turns over their median: 0.1 for 10 %. */
  readonly spread: number;
  /** Turns in which it was clearly faster than the favourite. */
  readonly won: number;
}

/** What a contest has come to. */
export interface Decision {
  /** Place of the one that is kept; 0 is the favourite. */
  readonly winner: number;
  readonly all: readonly Measured[];
  /** Whether the times of the favourite and of the winner are to be believed. */
  readonly steady: boolean;
}

/**
 * Decides between contenders.
 * @param samples ns of each batch, for each contender, the favourite first; as many of each
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
  // one alone as well: its times are told in the choice, and say how busy the machine was
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
