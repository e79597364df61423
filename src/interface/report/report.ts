/**
 * The document of a report: what is derived from a machine model, and what is measured if it is the model of this
 * machine.
 *
 * The parts that depend on what users ask for come first, so that an error is told before anything is measured.
 */

import { generateTrees } from "../../../trees/generate/generate.ts";
import { denoise } from "../../../trees/model/denoise.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { wallClock } from "../../ground/base/event-loop/timers.ts";
import { setting } from "../../ground/base/settings.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { makePlan } from "../../plan/conveyor/make-plan.ts";
import { planDocument } from "../../plan/document/document.ts";
import { contestNow } from "../../running/contest/now.ts";
import type { ReportDocument } from "./document.ts";
import { reportHost, versions } from "./host.ts";
import { type MeasuredParts, measuredParts } from "./measured.ts";
import { overNodes } from "./nodes.ts";
import { nodesOf, type ReportOptions } from "./options.ts";

const ITEM_BYTES = 16;
const LOAD = 100_000;
const BUDGET_MS = 40_000;
/** Of a larger machine, matrices that no figure shows are left out. */
const MOST_WITH_DETAIL = 32;

/** Makes the document. @throws UsageError for bad nodes, items and loads; the signal's reason; errors of a contest */
export async function makeReport(options: ReportOptions): Promise<ReportDocument> {
  const { machine, origin, here, unmeasured, command, signal, title = machine.name } = options;
  const plan = planOf(options);
  const nodes = overNodes(options);
  options.onProgress?.({ stage: "search for trees", done: 0 });
  // measurements of this machine contain noise; a model that a user wrote is not changed
  const smooth = here !== null && machine.noise !== undefined ? denoise(machine) : machine;
  const trees = await treesOf(smooth, options);
  signal?.throwIfAborted();
  return {
    schema: "tundish/report@1",
    title,
    created: new Date(wallClock()).toISOString(),
    command,
    versions: versions(),
    host:
      here === null
        ? { absent: "The model is of another machine than the one that made this report." }
        : reportHost(here),
    machine: machine.pes.length > MOST_WITH_DETAIL ? withoutDetail(machine) : machine,
    origin,
    topology: here ?? {
      absent: "The model is of another machine: the picture is drawn from the PEs of the model.",
    },
    trees,
    nodes,
    ...(unmeasured === null ? await measuredHere(smooth, trees, options) : notMeasured(unmeasured)),
    plan,
  };
}

function planOf(options: ReportOptions): ReportDocument["plan"] {
  const { machine, itemBytes = ITEM_BYTES, load = LOAD } = options;
  const plan = makePlan(machine, { itemBytes, load, nodes: nodesOf(options) });
  return planDocument({ "*": plan }, { machine });
}

/** The fastest here, where it may be measured and each PE has a CPU; else those that the model predicts. */
async function treesOf(machine: MachineModel, options: ReportOptions): Promise<Trees> {
  const { here: topology, machine: found, unmeasured, quick, signal } = options;
  const isMeasured = unmeasured === null && !quick && found.noise !== undefined;
  if (topology !== null && isMeasured && setting("contest") !== "off" && machine.pes.length > 1) {
    const chosen = await contestNow({ topology, found, machine, signal });
    if (chosen !== null) return chosen;
  }
  return generateTrees(machine);
}

const measuredHere = (machine: MachineModel, trees: Trees, options: ReportOptions): Promise<MeasuredParts> =>
  measuredParts({
    machine,
    trees,
    budgetMs: options.budgetMs ?? BUDGET_MS,
    warnings: options.warnings ?? [],
    ...(options.quick && { quick: true }),
    ...(options.onProgress && { onProgress: options.onProgress }),
    ...(options.signal && { signal: options.signal }),
  });

const notMeasured = (absent: string): MeasuredParts => ({
  conditions: { absent },
  predictions: { absent },
  collectives: { absent },
  starts: { absent },
  conveyors: { absent },
});

function withoutDetail({ batches: _, deviation: __, ...machine }: MachineModel): MachineModel {
  const { rtt: ___, stream: ____, bandwidth: _____, ...rest } = machine;
  return rest;
}
