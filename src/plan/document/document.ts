/** Plans as documents, format `tundish/plan@1`: what was chosen for a world, to be kept in a file and loaded. */

import type { Trees } from "../../../trees/model/tree.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { wallClock } from "../../ground/base/event-loop/timers.ts";
import { isRecord } from "../../ground/base/names.ts";
import { checkOptions, optionsOf, unchecked } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { ExchangeChoices, ExchangeLoad } from "../../route/disciplines/options.ts";
import type { ConveyorChoices } from "../../route/geometry/options.ts";
import type { ConveyorPlan } from "../conveyor/plan.ts";
import type { ExchangePlan } from "../exchange/plan.ts";
import type { ExchangePrediction } from "../exchange/predict.ts";
import type { ConveyorWorkload, Forced } from "../model/cost-model.ts";
import type { Prediction } from "../model/predict.ts";
import type { NetworkName, SimulatedNetwork } from "../network/network.ts";

/** The name of the entry for all conveyors that have none of their own. */
export const ALL_OTHERS = "*";

/** The world that a plan is for. */
export interface PlanWorld {
  /** Number of PEs on all nodes. */
  readonly pes: number;
  /** Number of nodes. */
  readonly nodes: number;
  /** Number of PEs of each node. */
  readonly pesOfNode: readonly number[];
  /** The fingerprint of the nodes' machines. @default any machine */
  readonly fingerprint?: string;
  /** The name of the machine model. */
  readonly name?: string;
  /** The network that was given beside the model. @default that of the model, or of a plan without one */
  readonly network?: SimulatedNetwork;
}

/** The plan of a conveyor, or of all that have no entry of their own. */
export interface PlannedConveyor {
  /** The load that it is for; with `fit: "adapt"` it is planned for again. */
  readonly workload: Omit<ConveyorWorkload, "scratch">;
  /** The choices. What is left out is chosen as without a plan. */
  readonly choice: ConveyorChoices;
  /** Names of the choices that were forced. @default none */
  readonly forced?: readonly string[];
  /** The predicted time, its parts, and the memory. */
  readonly expected?: Prediction;
  /** The best alternatives. */
  readonly others?: readonly Prediction[];
  /** Number of candidates compared. */
  readonly candidates?: number;
  /** Why it was chosen, a line each. */
  readonly reasons?: readonly string[];
  /** Its measurements: `tundish plan --tune`. @default nothing */
  readonly measured?: MeasuredConveyor;
}

/** The measurement of a choice: a program was run with it several times. Times are ns. */
export interface MeasuredChoice {
  readonly choice: Forced;
  /** Median over the runs of the mean time of a session at the slowest PE, and the quartiles. */
  readonly time: number;
  readonly low: number;
  readonly high: number;
  /** Number of runs. */
  readonly turns: number;
  /** The prediction, and how many times it the measured time is. */
  readonly expected: number;
  readonly ratio: number;
}

/** The measurement of what is kept, and of what it was compared with. */
export interface MeasuredConveyor extends MeasuredChoice {
  /** Sessions of each run. */
  readonly sessions: number;
  /**
   * `predicted`: the predicted best was the fastest; `no difference`: its quartiles overlap with those of the fastest,
   * and it is kept; `fastest`: another one is faster, and kept.
   */
  readonly verdict: "predicted" | "no difference" | "fastest";
  readonly others: readonly MeasuredChoice[];
}

/** The plan of an exchange, or of all that have no entry of their own. */
export interface PlannedExchange {
  /** The load of a phase that it is for; with `fit: "adapt"` it is planned for again. */
  readonly workload: ExchangeLoad;
  /** The choices. What is left out is chosen as without a plan. */
  readonly choice: ExchangeChoices;
  /** Names of the choices that were forced. @default none */
  readonly forced?: readonly string[];
  /** The predicted time and its parts. */
  readonly expected?: ExchangePrediction;
  /** Why it was chosen, a line each. */
  readonly reasons?: readonly string[];
}

/** A plan, format `tundish/plan@1`. Fields that are not known are kept. */
export interface PlanDocument {
  readonly schema: "tundish/plan@1";
  /** When it was made, ISO 8601. */
  readonly created: string;
  readonly world: PlanWorld;
  /** By the name of a conveyor; `*` is for all others. */
  readonly conveyors: Readonly<Record<string, PlannedConveyor>>;
  /** By the name of an exchange; `*` is for all others. @default none */
  readonly exchanges?: Readonly<Record<string, PlannedExchange>>;
  /** The trees of each node, over the ranks in the node. @default chosen as without a plan */
  readonly trees?: Trees;
}

/** The parts of a document beside the plans. */
export interface PlanDocumentOptions {
  /** Plans of exchanges, by name; `*` is for all others. @default none */
  readonly exchanges?: Readonly<Record<string, ExchangePlan>> | undefined;
  /** The machine model that the plans were made with: its name and fingerprint. @default none: for any machine */
  readonly machine?: MachineModel | undefined;
  /** The trees of each node. @default none */
  readonly trees?: Trees | undefined;
  /** The network that the plans were made with. @default that of the model */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
}

const OPTIONS = optionsOf<PlanDocumentOptions>({
  exchanges: unchecked,
  machine: unchecked,
  trees: unchecked,
  network: unchecked,
});

/** @param load what the workload of such plans has @throws UsageError for anything but plans by name */
function checkPlans(what: string, plans: unknown, load: string, maker: string): void {
  if (!isRecord(plans)) {
    throw new UsageError(`${what}: expected plans by name, as in { "*": plan }, got ${shortText(plans)}`);
  }
  for (const [name, plan] of Object.entries(plans)) {
    if (name === "") throw new UsageError(`${what}: expected names that are not empty, got ""`);
    if (isRecord(plan) && isRecord(plan.workload) && load in plan.workload && isRecord(plan.world)) continue;
    throw new UsageError(`${what}.${name}: expected a result of ${maker}, got ${shortText(plan)}`);
  }
}

/**
 * Makes a document of plans for the same world.
 *
 *     const plan = makePlan(machine, { nodes: 8, itemBytes: 16, load: 100_000 });
 *     await writePlan("plan.json", planDocument({ "*": plan }, { machine }));
 *
 * @param plans by the name of a conveyor; `*` is for all others. None where there are plans of exchanges
 * @throws UsageError for plans of different worlds
 */
export function planDocument(
  plans: Readonly<Record<string, ConveyorPlan>>,
  options: PlanDocumentOptions = {},
): PlanDocument {
  checkOptions("planDocument", OPTIONS, options);
  const { exchanges = {}, machine, trees, network = {} } = options;
  checkPlans("plans", plans, "itemBytes", "makePlan");
  checkPlans("exchanges", exchanges, "bytes", "makeExchangePlan");
  const all = [...Object.entries(plans), ...Object.entries(exchanges)];
  const [first] = all;
  if (first === undefined) {
    throw new UsageError(`planDocument: expected plans by name, as in { "*": plan }, got ${shortText(plans)}`);
  }
  const { pes, nodes } = first[1].world;
  const other = all.find(([, { world }]) => world.pes !== pes || world.nodes !== nodes);
  if (other !== undefined) {
    const [name, { world }] = other;
    throw new UsageError(
      `planDocument: expected plans for one world, got ${pes} PEs on ${nodes} nodes for ${shortText(first[0])} and ` +
        `${world.pes} on ${world.nodes} for ${shortText(name)}`,
    );
  }
  const given = Object.entries(typeof network === "string" ? { like: network } : network).filter(
    ([, value]) => value !== undefined,
  );
  return {
    schema: "tundish/plan@1",
    created: new Date(wallClock()).toISOString(),
    world: {
      pes,
      nodes,
      pesOfNode: new Array<number>(nodes).fill(pes / nodes),
      ...(machine?.fingerprint === undefined ? {} : { fingerprint: machine.fingerprint }),
      ...(machine === undefined ? {} : { name: machine.name }),
      ...(given.length === 0 ? {} : { network: Object.fromEntries(given) }),
    },
    conveyors: entriesWith(plans, entryOf),
    ...(Object.keys(exchanges).length === 0 ? {} : { exchanges: entriesWith(exchanges, exchangeEntryOf) }),
    ...(trees === undefined ? {} : { trees }),
  };
}

const entriesWith = <Plan, Entry>(plans: Readonly<Record<string, Plan>>, entry: (plan: Plan) => Entry) =>
  Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, entry(plan)]));

const exchangeEntryOf = ({ workload, options, forced, expected, reasons }: ExchangePlan): PlannedExchange => ({
  workload,
  choice: options,
  forced,
  expected,
  reasons,
});

function entryOf(plan: ConveyorPlan): PlannedConveyor {
  const { workload, options, forced, expected, others, candidates } = plan;
  const { itemBytes, load, destinations, maxBytes, rate, delayCost, steady = false, elastic = false } = workload;
  return {
    workload: {
      itemBytes,
      load,
      ...(destinations === undefined ? {} : { destinations }),
      ...(steady && { steady }),
      ...(elastic && { elastic }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      ...(rate === undefined ? {} : { rate }),
      ...(delayCost === undefined ? {} : { delayCost }),
    },
    choice: options,
    forced,
    expected,
    others,
    candidates,
    reasons: reasonsIn(plan),
  };
}

/** Why a plan is as it is: what explain() says behind the lines with the load and with the choice. */
export const reasonsIn = (plan: ConveyorPlan): string[] =>
  plan
    .explain()
    .split("\n")
    .slice(2)
    .map((line) => line.trim());

/**
 * The entries for a conveyor or an exchange, the most specific one first: that of its name; without what is behind the
 * last dot, and so on; then that for all others.
 *
 * Example: `edges.queries` has the entries `edges.queries`, `edges`, `*`, as far as the plan has them.
 */
export function entriesFor<Entry>(
  entries: Readonly<Record<string, Entry>>,
  name: string | undefined,
): readonly (readonly [name: string, entry: Entry])[] {
  const names: string[] = [];
  for (let part = name ?? ""; part !== ""; part = part.slice(0, Math.max(0, part.lastIndexOf(".")))) names.push(part);
  names.push(ALL_OTHERS);
  return names.flatMap((one) => (Object.hasOwn(entries, one) ? [[one, entries[one] as Entry]] : []));
}
