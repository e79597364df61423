/** Our collectives and what Node offers, in turns in one run on the same CPUs, beside the predictions of the model. */

import { median } from "../../src/ground/base/math.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { BatchVolume, Samples } from "../../src/running/contest/batches.ts";
import { launch } from "../../src/running/launch/launch.ts";
import { generateTrees } from "../../trees/generate/generate.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { Prober } from "../pairs/prober.ts";
import type { CompareOptions, Comparison, Measured, Profiled } from "../pairs/profiled.ts";
import { rivals } from "../rivals/contenders.ts";
import { inFirstMode } from "../turns/figures.ts";
import { type Contender, takeTurns } from "../turns/turns.ts";
import type { CompareJob } from "./compare.program.ts";
import { lastLeaf, predictions } from "./predictions.ts";

const TURNS = 3;
/** Further turns that are tried to get those in the profile's mode. */
const MORE_TURNS = 5;
const BUDGET_MS = 20_000;
const BATCHES = 15;
const BATCH_MS = 4;
/** A budget from which on batches are as many and as long as that, ms; with less they are a part of it. */
const FULL_MS = 1000;
const LEAST_BATCHES = 3;
const LEAST_SHARE = 0.02;
const RUN_LIMIT_MS = 60_000;

const program = sibling("./compare.program.js", import.meta.url);

/** What each operation takes one PE that is alone: the call itself. */
async function callsAlone(
  volume: BatchVolume,
  signal: AbortSignal | undefined,
): Promise<Pick<Measured, "what" | "ns">[]> {
  const args: CompareJob = { roots: [0, 0], ...volume };
  const [samples] = (await launch(program, {
    args,
    pes: 1,
    timeout: RUN_LIMIT_MS,
    ...(signal && { signal }),
  })) as Samples[][];
  return samples.map(({ what, samples: times }) => ({ what, ns: median(times) }));
}

function tundish(
  model: Profiled,
  trees: Trees,
  last: number,
  volume: BatchVolume,
  signal: AbortSignal | undefined,
): Contender {
  const job: CompareJob = { roots: [trees.broadcast.root, last], ...volume };
  return {
    name: "tundish",
    required: true,
    run: async () => {
      const [samples] = (await launch(program, {
        args: job,
        machine: model,
        trees,
        pes: model.pes.length,
        timeout: RUN_LIMIT_MS,
        ...(signal && { signal }),
      })) as Samples[][];
      return samples.map((sample) => ({ name: "tundish", ...sample }));
    },
  };
}

/**
 * Measures the collectives on the PEs of a profiled machine, and the other programs, in turns. Turns in which the
 * machine was in another mode than during the profile (near or far, by the probe) are excluded as long as there are
 * others.
 * @throws what {@link launch} throws; a program that cannot run is listed in `missing`
 */
export async function compare(model: Profiled, options: CompareOptions = {}): Promise<Comparison> {
  const { signal, onProgress, turns = TURNS, budgetMs = BUDGET_MS } = options;
  const trees = generateTrees(model);
  const last = lastLeaf(trees.broadcast, model);
  const cpus = model.pes.map(({ cpu }) => cpu);
  const reference = model.noise.mode;
  const share = Math.max(LEAST_SHARE, Math.min(1, budgetMs / FULL_MS));
  const batches = Math.max(LEAST_BATCHES, Math.round(share * BATCHES));
  const volume: BatchVolume = { batches, batchMs: share * BATCH_MS };
  const alone = await callsAlone(volume, signal);
  await using prober = await Prober.start(cpus, share < 1);
  const taken = await takeTurns([tundish(model, trees, last, volume, signal), ...rivals(cpus, { batches, share })], {
    probe: () => prober.probe(), // as while the machine was profiled
    cpus,
    turns,
    maxTurns: turns + MORE_TURNS,
    budgetMs,
    onProgress,
    signal,
    mode: reference,
  });
  const { complete, missing, probe, turns: made, left } = taken;
  const measured = inFirstMode(taken);
  const ours = measured.filter(({ name }) => name === "tundish");
  return {
    pes: cpus.length,
    missing,
    probe,
    turns: made,
    left,
    likeProfile: complete,
    predictions: predictions(trees, model, last, ours, alone),
    ours,
    rivals: measured.filter(({ name }) => name !== "tundish"),
  };
}
