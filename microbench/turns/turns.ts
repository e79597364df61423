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

import { sentenceOf } from "../../src/ground/base/errors.ts";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { Prober } from "../pairs/prober.ts";
import type { Progress } from "../pairs/profiled.ts";
import type { Contender, Turn, TurnsTaken } from "./contender.ts";
import { countOf, figuresOf, mainPieces, type Piece, piecesOf } from "./figures.ts";

export type { Contender, Entry, TurnsMade } from "./contender.ts";

/** Options of the turns. */
export interface TurnOptions {
  /** The CPUs of all contenders; the first two are probed. */
  readonly cpus: readonly number[];
  /** Turns of each contender in the mode that was seen most, and the most that are tried to get them. */
  readonly turns: number;
  readonly maxTurns: number;
  /** No turn beyond the first `least` starts after this time, ms. */
  readonly budgetMs: number;
  /** @default `turns` */
  readonly least?: number | undefined;
  /** Only turns with a cache-line round trip like this one count, ns. @default all do */
  readonly mode?: number | undefined;
  /** Measures the round trip of a cache line, ns. @default by two threads on the first two CPUs */
  readonly probe?: (() => Promise<number>) | undefined;
  /** Whether fewer probes than V8 needs to compile these threads' code come before the first turn. @default false */
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets the contenders take turns until each has had `turns` in the mode that was seen in most.
 * @throws what a required contender throws; the signal's reason when it aborts
 */
export async function takeTurns(contenders: readonly Contender[], options: TurnOptions): Promise<TurnsTaken> {
  const { turns: wanted, maxTurns, budgetMs, least = options.turns, mode, onProgress, signal } = options;
  const missing = new Map<Contender, string>();
  const turns: Turn[] = [];
  let main: readonly Piece[] = [];
  const wanting = (contender: Contender): boolean => !missing.has(contender) && countOf(main, contender) < wanted;
  await using prober = options.probe ? null : await Prober.start(options.cpus, options.quick);
  const probe = options.probe ?? (() => (prober as Prober).line());
  const started = monotonic();
  for (let round = 0; round < maxTurns && contenders.some(wanting); round++) {
    if (round >= least && monotonic() - started > budgetMs) break;
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
    missing: [...new Map([...missing].map(([{ name }, reason]) => [name, { name, reason }])).values()],
  };
}
