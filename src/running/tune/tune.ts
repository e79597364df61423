/**
 * Tunes the plan of a program on the machine: runs it with the most promising choices, in turn, and keeps the fastest.
 *
 * A first run shows the conveyors that the program has, and their loads. Then each run has one choice for each name,
 * drawn so that all choices of a name come once in every round, and beside others each time. The time of a choice is
 * the median over its runs of the time of a session. Those that may be the fastest are run as often again.
 *
 * Over nodes every process does the same, from the same numbers: each run gives the times of all PEs, the clock of node
 * 0, and the costs that plans are made with, to all nodes.
 *
 * Limits: a name is tuned for its mean load; the choices of different names are taken to be independent of each other.
 *
 * Source: autotuning by Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 5.
 */

import type { Trees } from "../../../trees/model/tree.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { sibling } from "../../ground/base/package-file.ts";
import { randomNumbers } from "../../ground/base/random.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { fingerprint } from "../../machine/model/fingerprint.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { readTopology } from "../../machine/topology/topology.ts";
import type { PlanDocument } from "../../plan/document/document.ts";
import { type CostModel, type Forced, optionsFor } from "../../plan/model/cost-model.ts";
import type { SimulatedNetwork } from "../../plan/network/network.ts";
import { launch } from "../launch/launch.ts";
import { resolveModule } from "../run/module.ts";
import { entriesIn, type Trial, TunedEntry } from "./trials.ts";
import type { TunedCosts, TunedJob, TunedRun } from "./tuned.program.ts";

/** Options of a tuning. */
export interface TuneOptions {
  /** The user's program, and its arguments. */
  readonly module: string;
  readonly args: unknown;
  /** PEs of this node. @default as launch() */
  readonly pes?: number | undefined;
  readonly machine?: MachineModel | undefined;
  /** The plan that is added to; its trees and other entries are those of all runs. */
  readonly before?: PlanDocument | undefined;
  readonly trees?: Trees | undefined;
  /** Tunes the conveyors of this name only. @default all */
  readonly only?: string | undefined;
  readonly forced?: Forced | undefined;
  readonly maxBytes?: number | undefined;
  /** Costs between nodes, for the prediction. */
  readonly network?: SimulatedNetwork | undefined;
  /** Predicted choices to try for each name. @default 6 */
  readonly choices?: number | undefined;
  /** Runs of its main before the one that is measured, in each run. @default 0 */
  readonly warm?: number | undefined;
  /** Runs with each choice; twice as many for choices that are close. @default 5 */
  readonly turns?: number | undefined;
  /** No round beyond the first `turns` begins after this time, ms. @default 60000 */
  readonly budgetMs?: number | undefined;
  /** Limit of each run, ms. @default 60000 */
  readonly timeout?: number | undefined;
  readonly seed?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly stage: string; readonly done: number }) => void) | undefined;
}

/** The measurements of a tuning. */
export interface Tuned {
  /** The entries with two choices or more. */
  readonly entries: readonly TunedEntry[];
  /** Those that could not be tuned. */
  readonly settled: readonly SettledConveyors[];
  readonly world: PlanDocument["world"];
  /** When the first run had ended, ISO 8601. */
  readonly created: string;
  /** Number of runs. */
  readonly runs: number;
}

/** Conveyors of a name for which nothing was left open. */
export interface SettledConveyors {
  readonly name: string;
  /** The names of the user's limits that leave nothing open; none if the program's own options do. */
  readonly closing: readonly string[];
}

/** Rounds for each turn, at most: where choices are close, and where a program fixes some itself. */
const MOST_ROUNDS = 5;

/** @throws UsageError for a program without conveyors of the world, or of that name; errors of {@link launch} */
export async function tune(options: TuneOptions): Promise<Tuned> {
  const { before, only, turns = 5, warm = 0, budgetMs = 60_000, onProgress } = options;
  const random = randomNumbers(options.seed ?? 1);
  const machine = fingerprint(await readTopology());
  const module = resolveModule(options.module).href;
  let runs = 0;
  const run = async (plan: PlanDocument | undefined, wantsCosts = false): Promise<TunedRun> => {
    runs++;
    const { args, network } = options;
    return await runOnce(options, { module, args, warm, machine, wantsCosts, network }, plan);
  };
  onProgress?.({ stage: "run 1: the conveyors of the program", done: 0 });
  const first = await run(before, true);
  const { world, entries } = begun(first, options);
  const created = new Date(first.ended).toISOString();
  /** A run in which each entry has one of its trials, or what is best so far, which is not noted. */
  const tryOut = async (pick: (entry: number) => Trial | undefined): Promise<TunedRun> => {
    const picks = entries.flatMap((entry, k) => {
      const trial = pick(k) ?? entry.best;
      return trial === undefined ? [] : [{ entry, trial, isNoted: pick(k) !== undefined }];
    });
    const conveyors = picks.map(({ entry: { name, workload }, trial }) => {
      return [name, { workload, choice: optionsFor(trial.prediction) }];
    });
    const done = await run({
      ...before,
      schema: "tundish/plan@1",
      created,
      world,
      ...(options.trees === undefined ? {} : { trees: options.trees }),
      conveyors: { ...before?.conveyors, ...Object.fromEntries(conveyors) },
    });
    const seen = entriesIn(done);
    for (const { entry, trial, isNoted } of picks) {
      const own = seen.find(({ name }) => name === entry.name);
      if (own !== undefined && isNoted) entry.note(trial, own);
    }
    return done;
  };
  let last = first;
  // the program may fix choices itself, which shows when it does not do as it is told: then others are tried
  for (let round = 0; round < MOST_ROUNDS * turns; round++) {
    const isLate = last.ended - first.ended > budgetMs;
    const orders = entries.map((entry) => shuffled(entry.wanted(turns, isLate), random));
    const most = Math.max(0, ...orders.map(({ length }) => length));
    if (most === 0) break;
    for (let i = 0; i < most; i++) {
      onProgress?.({ stage: `round ${round + 1}: run ${i + 1} of ${most}`, done: round / (2 * turns) });
      last = await tryOut((k) => orders[k]?.[i]);
    }
  }
  // a program may leave out a conveyor in some of its runs
  for (const entry of entries) entry.trials = entry.trials.filter(({ times }) => times.length > 0);
  return {
    entries: entries.filter(({ isOpen }) => isOpen),
    settled: entries.filter(({ isOpen }) => !isOpen).map(({ name, closing }) => ({ name, closing })),
    world,
    created,
    runs,
  };

  function begun(run: TunedRun, { maxBytes, forced = {}, choices = 6, network }: TuneOptions) {
    const found = entriesIn(run);
    const meant = found.filter(({ name }) => only === undefined || name === only);
    if (meant.length === 0) {
      const names = found.map(({ name }) => shortText(name)).join(", ");
      throw new UsageError(
        only === undefined
          ? `--tune expected a program with sessions of conveyors of all PEs, and ${options.module} has none.`
          : `--conveyor expected the name of a conveyor that ${options.module} has, got ${shortText(only)}. It has: ${names || "none"} (* are those without a name).`,
      );
    }
    return {
      world: worldOf(run, options.machine, network),
      entries: meant.map((entry) => {
        const model = (run.costs as TunedCosts)[entry.name] as CostModel;
        return new TunedEntry(entry, maxBytes, model, forced, choices);
      }),
    };
  }
}

async function runOnce(
  { pes, machine, timeout = 60_000, signal }: TuneOptions,
  job: TunedJob,
  plan: PlanDocument | undefined,
): Promise<TunedRun> {
  const results = await launch<TunedRun | undefined>(sibling("./tuned.program.js", import.meta.url), {
    args: job,
    timeout,
    ...(pes === undefined ? {} : { pes }),
    ...(machine === undefined ? {} : { machine }),
    ...(plan === undefined ? {} : { plan }),
    ...(signal === undefined ? {} : { signal }),
  });
  return results[0] as TunedRun;
}

function worldOf(
  { pesOfNode, machines }: TunedRun,
  model: MachineModel | undefined,
  network?: SimulatedNetwork,
): PlanDocument["world"] {
  const [machine] = machines as readonly [string];
  const given = Object.entries(network ?? {}).filter(([, value]) => value !== undefined);
  return {
    pes: pesOfNode.reduce((sum, pes) => sum + pes, 0),
    nodes: pesOfNode.length,
    pesOfNode,
    ...(machines.every((one) => one === machine) ? { fingerprint: machine } : {}),
    ...(model === undefined ? {} : { name: model.name }),
    ...(given.length === 0 ? {} : { network: Object.fromEntries(given) }),
  };
}

/** In an order that is drawn. */
export function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}
