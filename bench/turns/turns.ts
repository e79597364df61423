/**
 * Compares contenders in turns.
 *
 * All contenders are measured in turn, several times. The distance of the CPUs, which on some machines changes within
 * seconds, is probed before and after each turn, by some contenders around each batch. Batches in different modes
 * (modes.ts) are told apart, and each contender gets figures for each: medians and quartiles over its batches in the
 * mode. A contender with none in any has the figures of those during which the mode changed.
 *
 * Limits: a machine that changes its mode and back between two probes is not detected.
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
  /** Cache-line round trips in ns before and after each batch. @default those before and after the turn */
  readonly probes?: readonly (readonly number[])[];
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
  /** Turns of each contender in the mode that was seen most, and the most that are tried to get them. */
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
  /** Number of turns with a batch in it. */
  readonly turns: number;
}

/** The turns and what they say about the machine. */
export interface TurnsMade {
  /** Cache-line round trip in ns before and after each counted turn. */
  readonly probe: readonly number[];
  /** The modes of the counted batches; the one that was seen in most turns first. */
  readonly modes: readonly SeenMode[];
  /**
   * Whether every contender had a batch in the first of these modes, or in the one that was asked for; if not in that,
   * all of them count.
   */
  readonly complete: boolean;
  /** Number of turns, and of those not counted. */
  readonly turns: number;
  readonly left: number;
}

/** The result of the turns. */
export interface TurnsTaken extends TurnsMade {
  /** By contender, operation and mode, in their order, modes as in `modes`. */
  readonly measured: readonly Measured[];
  /** Contenders that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/**
 * Lets the contenders take turns until each has had `turns` in the mode that was seen in most.
 * @throws what a required contender throws; the signal's reason when it aborts
 */
export async function takeTurns(contenders: readonly Contender[], options: TurnOptions): Promise<TurnsTaken> {
  const { turns: wanted, maxTurns, budgetMs, mode, onProgress, signal } = options;
  const missing = new Map<Contender, string>();
  const turns: Turn[] = [];
  let main: readonly Piece[] = [];
  const wanting = (contender: Contender): boolean =>
    !missing.has(contender) && countOf(main, contender) < wanted;
  await using prober = options.probe ? null : await Prober.start(options.cpus);
  const probe = options.probe ?? (() => (prober as Prober).line());
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
        main = mainPieces(piecesOf(turns), mode);
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

/** The batches of one turn that are in one mode. */
interface Piece {
  readonly turn: Turn;
  readonly mode: number | null;
  readonly probes: readonly (readonly number[])[];
  readonly entries: readonly Entry[];
}

/** All batches by turn and mode. */
function piecesOf(turns: readonly Turn[]): Piece[] {
  const modeOf = modeFinder(turns);
  return turns.flatMap((turn) => {
    const modes = new Set(turn.entries.flatMap((entry) => probesOf(entry, turn).map(modeOf)));
    return [...modes].map((mode): Piece => {
      const isIn = (probes: readonly number[]) => modeOf(probes) === mode;
      return {
        ...{ turn, mode },
        probes: turn.entries.flatMap((entry) => probesOf(entry, turn).filter(isIn)),
        entries: turn.entries.flatMap((entry) => {
          const probes = probesOf(entry, turn);
          const samples = entry.samples.filter((_, i) => isIn(probes[i]));
          return samples.length > 0 ? [{ ...entry, samples }] : [];
        }),
      };
    });
  });
}

const probesOf = ({ probes, samples }: Entry, turn: Turn): readonly (readonly number[])[] =>
  probes ?? samples.map(() => turn.probe);

function modeFinder(turns: readonly Turn[]): (probes: readonly number[]) => number | null {
  const all = [...new Set(turns.flatMap((turn) => turn.entries.flatMap((entry) => probesOf(entry, turn))))];
  const modes = modesOf(all);
  const found = new Map(all.map((probes, i) => [probes, modes[i]]));
  return (probes) => found.get(probes) as number | null;
}

/** Pieces by mode, that of most turns first; of several that of most batches, then the one that was seen last. Those in none come last. */
function byMode(pieces: readonly Piece[]): [number | null, Piece[]][] {
  const groups = new Map<number | null, Piece[]>();
  for (const piece of pieces) {
    const group = groups.get(piece.mode) ?? [];
    groups.delete(piece.mode);
    groups.set(piece.mode, [...group, piece]);
  }
  const turnsIn = ([mode, group]: [number | null, Piece[]]) => (mode === null ? 0 : group.length);
  const batchesIn = ([, group]: [number | null, Piece[]]) => group.flatMap(({ probes }) => probes).length;
  return [...groups].reverse().sort((a, b) => turnsIn(b) - turnsIn(a) || batchesIn(b) - batchesIn(a));
}

/** Those in the mode of most turns, or like the one that was asked for. */
function mainPieces(pieces: readonly Piece[], mode: number | undefined): readonly Piece[] {
  if (mode === undefined) return byMode(pieces)[0]?.[1] ?? [];
  return pieces.filter(({ probes }) => probes.flat().every((ns) => isMode(ns, mode)));
}

const countOf = (pieces: readonly Piece[], contender: Contender): number =>
  pieces.filter(({ turn }) => turn.contender === contender).length;

function figuresOf(
  turns: readonly Turn[],
  contenders: readonly Contender[],
  mode: number | undefined,
): TurnsMade & Pick<TurnsTaken, "measured"> {
  const pieces = piecesOf(turns);
  const main = mainPieces(pieces, mode);
  const complete = contenders.every((contender) => countOf(main, contender) > 0);
  const groups = byMode(mode !== undefined && complete ? main : pieces);
  const measured: Measured[] = [];
  const counting = new Set<Piece>();
  for (const contender of contenders) {
    for (const key of keysOf(turns, contender)) {
      // what was measured in a mode is not told again for turns during which it changed
      const all = groups.map(([name, group]) => ({
        name,
        own: group.filter(({ turn, entries }) => turn.contender === contender && entries.some(isOf(key))),
      }));
      const clear = all.filter(({ name, own }) => name !== null && own.length > 0);
      for (const { name, own } of clear.length > 0 ? clear : all) {
        const entries = own.flatMap((piece) => piece.entries.filter(isOf(key)));
        if (entries.length > 0) measured.push(summarize(entries, name));
        for (const piece of own) counting.add(piece);
      }
    }
  }
  const counted = new Set([...counting].map(({ turn }) => turn));
  return {
    measured,
    probe: turns.filter((turn) => counted.has(turn)).flatMap(({ probe }) => probe),
    modes: groups
      .map(([name, group]) => ({ mode: name, turns: group.filter((piece) => counting.has(piece)).length }))
      .filter(({ turns }) => turns > 0),
    complete,
    turns: turns.length,
    left: turns.length - counted.size,
  };
}

const keyOf = ({ name, what }: Pick<Entry, "name" | "what">): string => JSON.stringify([name, what]);
const isOf = (key: string) => (entry: Entry) => keyOf(entry) === key;

/** What a contender measures. */
const keysOf = (turns: readonly Turn[], contender: Contender): Set<string> =>
  new Set(turns.filter((turn) => turn.contender === contender).flatMap(({ entries }) => entries.map(keyOf)));

/** All batches of one operation in one mode. */
function summarize(entries: readonly Entry[], mode: number | null): Measured {
  const { name, what, batch } = entries[entries.length - 1];
  const samples = entries.flatMap((entry) => entry.samples);
  const { low, median: ns, high } = quartiles(samples);
  return { name, what, ns, low, high, batch, batches: samples.length, mode };
}

/** One figure for each program and operation: in the first of these modes that it has one for. */
export function inFirstMode({ measured, modes }: Pick<TurnsTaken, "measured" | "modes">): Measured[] {
  const found = new Map<string, Measured>();
  for (const { mode } of modes)
    for (const one of measured) {
      const key = keyOf(one);
      if (one.mode === mode && !found.has(key)) found.set(key, one);
    }
  return measured.filter((one) => [...found.values()].includes(one));
}
