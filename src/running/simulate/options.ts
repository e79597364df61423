/** Options of a simulation: the number of PEs, their nodes, costs, and faults. */

import { AsyncResource } from "node:async_hooks";
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { UsageError } from "../../ground/base/errors.ts";
import {
  amount,
  callback,
  checkOptions,
  listOf,
  oneOf,
  optionsOf,
  unchecked,
  whole,
} from "../../ground/base/options.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { PlanDocument } from "../../plan/document/document.ts";
import { fileOf } from "../../plan/document/file.ts";
import type { Fit } from "../../plan/document/fits.ts";
import { parsePlan } from "../../plan/document/schema.ts";
import { adopt, type Planning } from "../../plan/document/world-plan.ts";
import { JOB_FIELDS, jobOf, type SimulatedCosts, type SimulatedJob } from "../../plan/network/cluster.ts";
import type { NetworkName, SimulatedNetwork } from "../../plan/network/network.ts";
import { networkLines } from "../../plan/network/network-text.ts";

/** A fault at a virtual time. */
export interface SimulatedFault {
  /** The PE's rank. */
  readonly pe: number;
  /** The virtual time, ns. */
  readonly at: number;
  /** `crash`: the PE stops for ever, and the other PEs learn of it. `stall`: it pauses. */
  readonly kind: "crash" | "stall";
  /** Length of a stall, ns. @default 1e6 */
  readonly lasting?: number | undefined;
}

/** Options of {@link simulate}. */
export interface SimulationOptions<Args = unknown> {
  /** Number of virtual PEs. @default those of a plan that must fit; else it is required */
  readonly pes?: number | undefined;
  /** Number of nodes, with the same number of PEs on each. @default those of the plan if it gives the PEs, else 1 */
  readonly nodes?: number | undefined;
  /** Costs of messages within a node: a model of at least a node's PEs. @default 50 ns to send, 50 to receive */
  readonly machine?: MachineModel | undefined;
  /**
   * Costs of messages between nodes, and what they share; the name of a network ({@link networks}); or `measured`: what
   * the machine model has (`internode`). @default alpha 1500, beta 0.1, receiver 300
   */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
  /** Costs of a PE's own work. @default push 3, pull 3, advance 30, byte 0.02 */
  readonly costs?: SimulatedCosts | undefined;
  /** A plan for the conveyors, as for `launch`. @default none */
  readonly plan?: PlanDocument | undefined;
  /** The treatment of a plan that does not fit, as for `launch`. @default "exact" */
  readonly fit?: Fit | undefined;
  /**
   * The trees of the collectives among the PEs of a node, the same on each, as for `launch`. @default those that a
   * world of threads would get for the model; binomial ones on nodes of more than 256 PEs
   */
  readonly trees?: Trees | undefined;
  /** Seed of all random numbers: the same seed gives the same run. @default 1 */
  readonly seed?: number | undefined;
  /** Every delay is increased by a random amount of up to `jitter` times itself. @default 0 */
  readonly jitter?: number | undefined;
  /** The faults to inject. @default none */
  readonly faults?: readonly SimulatedFault[] | undefined;
  /** The handling of a lost PE, as for `launch`. The result of a lost PE is a RankLostError. @default "end" */
  readonly onLoss?: "end" | "continue" | undefined;
  /** Passed to the program as its second argument. @default undefined */
  readonly args?: Args | undefined;
  /** Called with a clone of each value that `simulateAsync` programs post (`pe.post`), and the rank. @default none */
  readonly onMessage?: ((value: unknown, rank: number) => void) | undefined;
  /** Limit of the run in virtual time, ms. @default 10 000 */
  readonly timeout?: number | undefined;
  /** Address space for buffers, bytes. @default 1 GiB */
  readonly memoryBytes?: number | undefined;
}

const FAULT = optionsOf<SimulatedFault>(
  { pe: whole(0), at: amount, kind: oneOf(["crash", "stall"]), lasting: amount },
  ["pe", "at", "kind"],
  "field",
);
const SIMULATION = optionsOf<SimulationOptions>({
  ...JOB_FIELDS,
  // with the number of PEs: settle
  plan: unchecked,
  fit: oneOf(["exact", "adapt"]),
  // with the number of PEs: settle
  trees: unchecked,
  seed: whole(Number.MIN_SAFE_INTEGER),
  jitter: amount,
  faults: listOf(FAULT, "an array of faults"),
  onLoss: oneOf(["end", "continue"]),
  args: unchecked,
  onMessage: callback,
  timeout: amount,
  memoryBytes: whole(65536, 2 ** 32),
});

/** All settings. */
export interface SimulationSettings extends SimulatedJob {
  /** Where the costs between nodes are from, for explanations of plans. */
  readonly measured: readonly string[];
  readonly seed: number;
  readonly jitter: number;
  readonly faults: readonly SimulatedFault[];
  readonly onLoss: "end" | "continue";
  readonly args: unknown;
  readonly onMessage: (value: unknown, rank: number) => void;
  /** ns */
  readonly timeout: number;
  readonly memoryBytes: number;
  readonly planning: Planning;
  /** Those that were given, by themselves or by the plan. */
  readonly trees: Trees | null;
}

/** How many PEs and nodes there are: as the options say, else as the plan does. @throws UsageError if nobody says */
export function sizeOf({ pes, nodes, plan, fit = "exact" }: SimulationOptions): {
  readonly pes: number;
  readonly nodes: number;
} {
  if (pes !== undefined) return { pes, nodes: nodes ?? 1 };
  if (plan === undefined || fit === "adapt") {
    throw new UsageError("pes: expected a whole number >= 1, or a plan that must fit, got undefined");
  }
  const { world } = plan;
  return { pes: world.pes, nodes: nodes ?? world.nodes };
}

/** @throws UsageError; PlanError for a plan that is none, or does not fit */
export function settle(options: SimulationOptions): SimulationSettings {
  checkOptions("simulate", SIMULATION, options);
  const { machine, network, costs, faults = [], seed = 1, jitter = 0, timeout = 10_000 } = options;
  const { memoryBytes = 2 ** 30, plan, fit = "exact", trees = null, onLoss = "end" } = options;
  const given = plan === undefined ? null : { document: parsePlan(plan), source: fileOf(plan) ?? "the option plan" };
  const { pes, nodes } = sizeOf(options);
  const job = jobOf({ pes, nodes, machine, network, costs });
  const odd = faults.findIndex((fault) => fault.pe >= pes);
  if (odd >= 0) throw new UsageError(`faults.${odd}.pe: expected a rank from 0 to ${pes - 1}, got ${faults[odd]?.pe}`);
  if (trees !== null) checkTrees(trees, job.nodeSize);
  const machines = machine?.fingerprint === undefined ? [] : [machine.fingerprint];
  const place = { pesOfNode: new Array<number>(job.nodes).fill(job.nodeSize), machines };
  const otherTrees = trees === null ? null : "the option trees comes before them";
  const { plan: world, trees: planned } = adopt(given, fit, place, otherTrees);
  const planning = { world, used: new Set<string>() };
  // what explanations of plans go by
  const measured = job.nodes > 1 ? networkLines(network, job.network, machine, job.nodeSize) : [];
  const limits = { timeout: timeout * 1e6, memoryBytes };
  // not spread: levels are found when they are needed
  return Object.assign(job, {
    measured,
    planning,
    trees: trees ?? planned,
    seed,
    jitter,
    faults,
    onLoss,
    args: options.args,
    // called inside of a PE's program
    onMessage: AsyncResource.bind(options.onMessage ?? (() => {})),
    ...limits,
  });
}
