/** The evaluation of Smelt's paper (OSDI'16, section 5), in parts. */
import type { Missing } from "../../../../microbench/pairs/profiled.ts";
import { sentenceOf, UsageError } from "../../../../src/ground/base/errors.ts";
import { smeltAgreement } from "./smelt-agreement.ts";
import { type SmeltBarriers, smeltBarriers } from "./smelt-barriers.ts";
import { smeltCollectives } from "./smelt-collectives.ts";
import type { SmeltOptions } from "./smelt-options.ts";
import type { SmeltPart } from "./smelt-parts.ts";
import type { MeasuredRivals } from "./smelt-rivals.ts";
import { simulatedGroups, smeltSimulated } from "./smelt-simulated.ts";
import { type SmeltStreamcluster, smeltStreamcluster } from "./smelt-streamcluster.ts";
import { type MeasuredTrees, smeltGroups, smeltTrees } from "./smelt-trees.ts";
import type { TreesTable } from "./tree-tables.ts";

/** The results, by part: those that were asked for. */
export interface SmeltBench {
  readonly trees?: MeasuredTrees;
  readonly simulated?: readonly TreesTable[];
  /** On this machine, and in the simulator. */
  readonly groups?: MeasuredTrees & { readonly simulated: readonly TreesTable[] };
  readonly collectives?: MeasuredRivals;
  readonly barriers?: SmeltBarriers;
  readonly streamcluster?: SmeltStreamcluster;
  readonly agreement?: MeasuredRivals;
  /** Parts that could not be run, beside what each part itself lists. */
  readonly missing: readonly Missing[];
  /** Whether the machine was in one mode for a turn of everything. */
  readonly stable: boolean;
}

/** Runs all parts, or one. @throws what the parts throw */
export async function benchSmelt(options: SmeltOptions = {}): Promise<SmeltBench> {
  const { only } = options;
  const missing: Missing[] = [];
  const isMeant = (part: SmeltPart) => only === undefined || only === part;
  const part = async <T>(name: SmeltPart, run: (options: SmeltOptions) => Promise<T>): Promise<T | undefined> =>
    isMeant(name) ? await run(within(name, options)) : undefined;
  /** A published package has no models of other machines: that ends only what needs nothing but them. */
  const simulated = async (
    name: SmeltPart,
    run: (options: SmeltOptions) => Promise<TreesTable[]>,
  ): Promise<TreesTable[]> => {
    try {
      return (await part(name, run)) ?? [];
    } catch (error) {
      if (!(error instanceof UsageError) || options.machines !== undefined || only === "simulated") throw error;
      missing.push({ name: `${name}, in the simulator`, reason: sentenceOf(error) });
      return [];
    }
  };
  const trees = await part("trees", smeltTrees);
  const tables = await simulated("simulated", smeltSimulated);
  const here = await part("groups", smeltGroups);
  const elsewhere = await simulated("groups", simulatedGroups);
  const collectives = await part("collectives", smeltCollectives);
  const barriers = await part("barriers", smeltBarriers);
  const streamcluster = await part("streamcluster", smeltStreamcluster);
  const agreement = await part("agreement", smeltAgreement);
  const measured = [trees, here, collectives, barriers, streamcluster, agreement];
  return {
    ...(trees && { trees }),
    ...(isMeant("simulated") && { simulated: tables }),
    ...(here && { groups: { ...here, simulated: elsewhere } }),
    ...(collectives && { collectives }),
    ...(barriers && { barriers }),
    ...(streamcluster && { streamcluster }),
    ...(agreement && { agreement }),
    missing,
    stable: measured.every((one) => one?.stable ?? true),
  };
}

/** Says which part it is, in what is told of the progress. */
function within(name: SmeltPart, options: SmeltOptions): SmeltOptions {
  const { onProgress } = options;
  if (onProgress === undefined) return options;
  return { ...options, onProgress: ({ stage, done }) => onProgress({ stage: `${name}: ${stage}`, done }) };
}
