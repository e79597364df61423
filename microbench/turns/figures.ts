/** The figures of turns: batches by mode (modes.ts), medians and quartiles of each. It measures nothing. */
import { isMode, modesOf } from "../pairs/modes.ts";
import type { Measured } from "../pairs/profiled.ts";
import { quartiles } from "../pairs/statistics.ts";
import type { Contender, Entry, Turn, TurnsMade, TurnsTaken } from "./contender.ts";

/** The batches of one turn that are in one mode. */
export interface Piece {
  readonly turn: Turn;
  readonly mode: number | null;
  readonly probes: readonly (readonly number[])[];
  readonly entries: readonly Entry[];
}

/** All batches by turn and mode. */
export function piecesOf(turns: readonly Turn[]): Piece[] {
  const modeOf = modeFinder(turns);
  return turns.flatMap((turn) => {
    const modes = new Set(turn.entries.flatMap((entry) => probesOf(entry, turn).map(modeOf)));
    return [...modes].map((mode): Piece => {
      const isIn = (probes: readonly number[]) => modeOf(probes) === mode;
      return {
        turn,
        mode,
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

/** Pieces by mode: of most turns first, then of most batches, then seen last. Those in none come last. */
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
export function mainPieces(pieces: readonly Piece[], mode: number | undefined): readonly Piece[] {
  if (mode === undefined) return byMode(pieces)[0]?.[1] ?? [];
  return pieces.filter(({ probes }) => probes.flat().every((ns) => isMode(ns, mode)));
}

export const countOf = (pieces: readonly Piece[], contender: Contender): number =>
  pieces.filter(({ turn }) => turn.contender === contender).length;

export function figuresOf(
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
  for (const key of keysOf(turns, contenders)) {
    // what was measured in a mode is not told again for turns during which it changed
    const all = groups.map(([name, group]) => ({
      name,
      own: group.filter(({ entries }) => entries.some(isOf(key))),
    }));
    const clear = all.filter(({ name, own }) => name !== null && own.length > 0);
    for (const { name, own } of clear.length > 0 ? clear : all) {
      const entries = own.flatMap((piece) => piece.entries.filter(isOf(key)));
      if (entries.length > 0) measured.push(summarize(entries, name));
      for (const piece of own) counting.add(piece);
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

/** The measured ways, in the order of the contenders; several may measure the same. */
const keysOf = (turns: readonly Turn[], contenders: readonly Contender[]): Set<string> =>
  new Set(
    contenders.flatMap((contender) =>
      turns.filter((turn) => turn.contender === contender).flatMap(({ entries }) => entries.map(keyOf)),
    ),
  );

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
