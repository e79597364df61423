/**
 * Compares contenders in turns.
 *
 * All contenders are measured in turn, several times, each turn between two probes of the distance of the CPUs, which on
 * some machines changes within seconds. Turns in different modes (modes.ts) are told apart, and each contender gets figures
 * for each: medians and quartiles over the batches of all its turns in the mode. A contender with no turn in any has the
 * figures of those during which the mode changed.
 *
 * Limits: a machine that changes its mode and back within one turn is not detected.
 *
 * Example: turns a near, b far, a near, b near: a has one figure, b two; they are compared by those with near CPUs.
 */

import { isMode, modesOf } from "../../microbench/pairs/modes.ts";
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
  /** Turns of each contender in the mode that most turns are in, and the most that are tried to get them. */
  readonly turns: number;
  readonly maxTurns: number;
  /** No turn beyond the first `turns` starts after this time, ms. */
  readonly budgetMs: number;
  /** Only turns with a cache-line round trip like this one count, ns. @default all do */
  readonly mode?: number | undefined;
  /** Measures the round trip of a cache line, ns. @default by two threads on the first two CPUs */
  readonly probe?: (() => Promise<number>) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A mode that the machine was in. */
export interface SeenMode {
  /** Median of the cache-line round trips, ns, rounded; null for turns during which it changed. */
  readonly mode: number | null;
  /** Number of turns. */
  readonly turns: number;
}

/** The turns and what they say about the machine. */
export interface TurnsMade {
  /** Cache-line round trip in ns before and after each counted turn. */
  readonly probe: readonly number[];
  /** The modes of the counted turns; the one that most are in first. */
  readonly modes: readonly SeenMode[];
  /**
   * Whether every contender had a turn in the first of these modes, or in the one that was asked for; if not in that,
   * all turns count.
   */
  readonly complete: boolean;
  /** Number of turns, and of those not counted. */
  readonly turns: number;
  readonly left: number;
}

/** The result of the turns. */
export interface TurnsTaken extends TurnsMade {
  /** By contender, operation and mode, in the order of the contenders and of `modes`. */
  readonly measured: readonly Measured[];
  /** Contenders that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/**
 * Lets the contenders take turns until each has had `turns` in the mode that most turns are in.
 * @throws what a required contender throws; the signal's reason when it aborts
 */
export async function takeTurns(contenders: readonly Contender[], options: TurnOptions): Promise<TurnsTaken> {
  const { turns: wanted, maxTurns, budgetMs, mode, onProgress, signal } = options;
  const missing = new Map<Contender, string>();
  const turns: Turn[] = [];
  const wanting = (contender: Contender): boolean =>
    !missing.has(contender) && countOf(mainTurns(turns, mode), contender) < wanted;
  await using prober = options.probe ? null : await Prober.start(options.cpus);
  const probe = options.probe ?? (() => (prober as Prober).probe());
  const started = performance.now();
  for (let round = 0; round < maxTurns && contenders.some(wanting); round++) {
    if (round >= wanted && performance.now() - started > budgetMs) break;
    for (const [index, contender] of contenders.entries()) {
      if (!wanting(contender)) continue;
      signal?.throwIfAborted();
      const done = Math.min(0.99, (round + index / contenders.length) / wanted);
      onProgress?.({ stage: `turn ${round + 1}: ${contender.name}`, done });
      const before = await probe();
      try {
        const entries = await contender.run();
        turns.push({ contender, probe: [before, await probe()], entries });
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
  const there = contenders.filter((contender) => !missing.has(contender));
  return {
    ...figuresOf(turns, there, mode),
    missing: [...missing].map(([{ name }, reason]) => ({ name, reason })),
  };
}

const countOf = (turns: readonly Turn[], contender: Contender): number =>
  turns.filter((turn) => turn.contender === contender).length;

/** Turns by mode, that of most turns first; of several the one that was seen last. Those in none come last. */
function byMode(turns: readonly Turn[]): [number | null, Turn[]][] {
  const groups = new Map<number | null, Turn[]>();
  const modes = modesOf(turns.map(({ probe }) => probe));
  for (const [i, turn] of turns.entries()) {
    const group = groups.get(modes[i]) ?? [];
    groups.delete(modes[i]);
    groups.set(modes[i], [...group, turn]);
  }
  const rank = ([mode, group]: [number | null, Turn[]]) => (mode === null ? 0 : group.length);
  return [...groups].reverse().sort((a, b) => rank(b) - rank(a));
}

/** Those in the mode of most turns, or like the one that was asked for. */
function mainTurns(turns: readonly Turn[], mode: number | undefined): readonly Turn[] {
  if (mode !== undefined) return turns.filter(({ probe }) => probe.every((ns) => isMode(ns, mode)));
  return byMode(turns)[0]?.[1] ?? [];
}

function figuresOf(
  turns: readonly Turn[],
  contenders: readonly Contender[],
  mode: number | undefined,
): TurnsMade & Pick<TurnsTaken, "measured"> {
  const main = mainTurns(turns, mode);
  const complete = contenders.every((contender) => countOf(main, contender) > 0);
  const groups = byMode(mode !== undefined && complete ? main : turns);
  const isClear = new Set(
    groups.flatMap(([name, group]) => (name === null ? [] : group)).map((turn) => turn.contender),
  );
  const counted = groups
    .map(([name, group]): [number | null, Turn[]] => [
      name,
      name === null ? group.filter(({ contender }) => !isClear.has(contender)) : group,
    ])
    .filter(([, group]) => group.length > 0);
  const counting = turns.filter((turn) => counted.some(([, group]) => group.includes(turn)));
  return {
    measured: contenders.flatMap((contender) =>
      counted.flatMap(([name, group]) =>
        merge(group.filter((turn) => turn.contender === contender)).map((entry) => summarize(entry, name)),
      ),
    ),
    probe: counting.flatMap(({ probe }) => probe),
    modes: counted.map(([name, group]) => ({ mode: name, turns: group.length })),
    complete,
    turns: turns.length,
    left: turns.length - counting.length,
  };
}

/** The samples of some turns of one contender, by operation. */
function merge(turns: readonly Turn[]): Entry[] {
  const merged = new Map<string, Entry>();
  for (const entry of turns.flatMap(({ entries }) => entries)) {
    const key = JSON.stringify([entry.name, entry.what]);
    const samples = [...(merged.get(key)?.samples ?? []), ...entry.samples];
    merged.set(key, { ...entry, samples });
  }
  return [...merged.values()];
}

function summarize({ name, what, batch, samples }: Entry, mode: number | null): Measured {
  const { low, median: ns, high } = quartiles(samples);
  return { name, what, ns, low, high, batch, batches: samples.length, mode };
}

/** One figure for each program and operation: in the first of these modes that it has one for. */
export function inFirstMode({ measured, modes }: Pick<TurnsTaken, "measured" | "modes">): Measured[] {
  const found = new Map<string, Measured>();
  for (const { mode } of modes)
    for (const one of measured) {
      const key = JSON.stringify([one.name, one.what]);
      if (one.mode === mode && !found.has(key)) found.set(key, one);
    }
  return measured.filter((one) => [...found.values()].includes(one));
}
