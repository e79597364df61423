/**
 * Compares contenders in turns.
 *
 * All contenders are measured in turn, several times, each turn between two probes of the distance of the CPUs. Only
 * turns in one mode, near or far, count, so that no contender is measured near and another one far. The figures are
 * medians and quartiles over the batches of all counted turns.
 *
 * Limits: a machine that changes its mode and back within one turn is not detected.
 *
 * Example: turns a near, b far, a near, b near: near has three of the four, the far one is excluded, and a and b are
 * compared by their near turns.
 */

import { Prober } from "../../microbench/pairs/prober.ts";
import { quartiles } from "../../microbench/pairs/statistics.ts";
import type { Measured, Missing, Progress } from "../../microbench/pairs/types.ts";
import { sentenceOf } from "../../src/base/errors.ts";

/** The batches of one contender for one operation, in one turn. */
export interface Entry {
  /** The contender's name. */
  readonly name: string;
  /** The operation. */
  readonly what: string;
  /** Operations per batch. */
  readonly batch: number;
  /** ns per operation of each batch. */
  readonly samples: readonly number[];
}

/** A program that takes turns. */
export interface Contender {
  readonly name: string;
  /** Its failure is thrown; failures of others are listed in `missing`. @default false */
  readonly required?: boolean;
  /** Takes one turn. */
  run(): Promise<readonly Entry[]>;
}

/** One turn of one contender, between two probes. */
export interface Turn {
  readonly contender: Contender;
  readonly probe: readonly [before: number, after: number];
  readonly entries: readonly Entry[];
}

/** Options of the turns. */
export interface TurnOptions {
  /** The CPUs of all contenders; the first two are probed. */
  readonly cpus: readonly number[];
  /** Turns of each contender in the counted mode, and the most that are tried to get them. */
  readonly turns: number;
  readonly maxTurns: number;
  /** No turn beyond the first `turns` starts after this time, ms. */
  readonly budgetMs: number;
  /** The turns so far that are in the counted mode. */
  readonly choose: (turns: readonly Turn[]) => readonly Turn[];
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of the turns. */
export interface TurnsTaken {
  /** By contender and operation, in the order of the contenders. */
  readonly measured: readonly Measured[];
  /** Cache-line round trip in ns before and after each counted turn. */
  readonly probe: readonly number[];
  /** Whether every contender had a turn in the mode; if not, all turns count, whatever their mode. */
  readonly complete: boolean;
  /** Number of turns, and of those not counted. */
  readonly turns: number;
  readonly left: number;
  /** Contenders that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/**
 * Lets the contenders take turns until each has had `turns` in the counted mode.
 * @throws what a required contender throws; the signal's reason when it aborts
 */
export async function takeTurns(contenders: readonly Contender[], options: TurnOptions): Promise<TurnsTaken> {
  const { turns: wanted, maxTurns, budgetMs, choose, onProgress, signal } = options;
  const missing = new Map<Contender, string>();
  const turns: Turn[] = [];
  const wanting = (contender: Contender): boolean =>
    !missing.has(contender) && choose(turns).filter((turn) => turn.contender === contender).length < wanted;
  await using prober = await Prober.start(options.cpus);
  const started = performance.now();
  for (let round = 0; round < maxTurns && contenders.some(wanting); round++) {
    if (round >= wanted && performance.now() - started > budgetMs) break;
    for (const [index, contender] of contenders.entries()) {
      if (!wanting(contender)) continue;
      signal?.throwIfAborted();
      const done = Math.min(0.99, (round + index / contenders.length) / wanted);
      onProgress?.({ stage: `turn ${round + 1}: ${contender.name}`, done });
      const before = await prober.probe();
      try {
        const entries = await contender.run();
        turns.push({ contender, probe: [before, await prober.probe()], entries });
      } catch (error) {
        signal?.throwIfAborted();
        if (contender.required) throw error;
        missing.set(
          contender,
          sentenceOf(error as Error)
            .split("\n")[0]
            .slice(0, 200),
        );
      }
    }
  }
  const like = choose(turns);
  const complete = contenders.every(
    (contender) => missing.has(contender) || like.some((turn) => turn.contender === contender),
  );
  const counting = complete ? like : turns;
  return {
    measured: merge(contenders, counting).map(summarize),
    probe: counting.flatMap(({ probe }) => probe),
    complete,
    turns: turns.length,
    left: turns.length - counting.length,
    missing: [...missing].map(([{ name }, reason]) => ({ name, reason })),
  };
}

/** The samples of all turns of one contender for one operation. */
function merge(contenders: readonly Contender[], turns: readonly Turn[]): Entry[] {
  const merged = new Map<string, Entry>();
  for (const contender of contenders) {
    for (const entry of turns
      .filter((turn) => turn.contender === contender)
      .flatMap(({ entries }) => entries)) {
      const key = JSON.stringify([entry.name, entry.what]);
      const samples = [...(merged.get(key)?.samples ?? []), ...entry.samples];
      merged.set(key, { ...entry, samples });
    }
  }
  return [...merged.values()];
}

function summarize({ name, what, batch, samples }: Entry): Measured {
  const { low, median: ns, high } = quartiles(samples);
  return { name, what, ns, low, high, batch, batches: samples.length };
}
