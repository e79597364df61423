/** The PEs of several nodes and the costs of their work and messages: the input of plans and of the simulator. */
import { UsageError } from "../../ground/base/errors.ts";
import { amount, type OptionFields, optionsOf, unchecked, whole } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { domainsOfNode, domainsOfWorld } from "../../links/world/domains.ts";
import type { MachineModel, OpenTimes } from "../../machine/model/machine-model.ts";
import { CYCLE_NS } from "../../machine/model/node-costs.ts";
import type { Levels } from "../../route/geometry/grid.ts";
import { networkOfModel } from "./measured-network.ts";
import type { NetworkName, NetworkSettings, SimulatedNetwork } from "./network.ts";
import { networkOf } from "./network-settings.ts";

/** The costs of a PE's own work, ns. */
export interface SimulatedCosts {
  /** Pushing one item, or forwarding it to the next hop; more where the machine has `items.open`. @default 3 */
  readonly push?: number | undefined;
  /** Pulling one item. @default 3 */
  readonly pull?: number | undefined;
  /** One call of advance. @default 30 */
  readonly advance?: number | undefined;
  /** One byte within a node. @default 0.02 */
  readonly byte?: number | undefined;
}

/** Description of a job's nodes. */
export interface JobOptions {
  /** Number of PEs of all nodes. */
  readonly pes: number;
  /** @default 1 */
  readonly nodes?: number | undefined;
  /** A model with at least as many PEs as a node has. @default 50 ns to send, 50 to receive */
  readonly machine?: MachineModel | undefined;
  /** @default alpha 1500, beta 0.1, receiver 300 */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
  /** @default push 3, pull 3, advance 30, byte 0.02 */
  readonly costs?: SimulatedCosts | undefined;
}

/** The same with all defaults filled in. */
export interface SimulatedJob {
  readonly pes: number;
  readonly nodes: number;
  /** By rank: the number of its node. */
  readonly nodeOf: Int32Array;
  readonly nodeSize: number;
  /** nodeSize x nodeSize, ns. */
  readonly send: readonly (readonly number[])[] | null;
  readonly receive: readonly (readonly number[])[] | null;
  readonly propagate: readonly (readonly number[])[] | null;
  /** By PE of a node, ns. */
  readonly relay: readonly number[] | null;
  /** The domains of near PEs: those of a node, and the domains of its machine. */
  readonly levels: Levels;
  readonly network: NetworkSettings;
  readonly costs: Required<{ [K in keyof SimulatedCosts]: number }> & { readonly open?: OpenTimes | undefined };
}

/** More would be no job of today, and its costs no matrix that fits. */
export const MOST_PES: number = 2 ** 20;

/** The check of each of them. */
export const JOB_FIELDS: OptionFields<JobOptions> = {
  pes: whole(1, MOST_PES),
  nodes: whole(1),
  // with the number of PEs: jobOf
  machine: unchecked,
  // with the nodes and the machine: networkOf
  network: unchecked,
  costs: optionsOf<SimulatedCosts>({ push: amount, pull: amount, advance: amount, byte: amount }),
};

/**
 * @param options as {@link JOB_FIELDS} says
 * @param known the domains of near PEs, if they are: it takes long to find those of many PEs
 * @throws UsageError where PEs, nodes and model do not fit together
 */
export function jobOf({ pes, nodes = 1, machine, network, costs }: JobOptions, known?: Levels): SimulatedJob {
  // also where it was multiplied out of nodes
  if (pes > MOST_PES) throw new UsageError(`pes: expected at most ${MOST_PES} PEs in all, got ${pes}`);
  if (pes % nodes !== 0) {
    throw new UsageError(`nodes: expected a divisor of the number of PEs (${pes}), got ${nodes}`);
  }
  const nodeSize = pes / nodes;
  if (machine !== undefined) checkMachine(machine, nodeSize);
  const scale = machine?.unit === "cycles" ? CYCLE_NS : 1;
  const scaled = (matrix: readonly (readonly number[])[]) =>
    scale === 1 ? matrix : matrix.map((row) => row.map((cost) => cost * scale));
  const nodeOf = Int32Array.from({ length: pes }, (_, rank) => Math.floor(rank / nodeSize));
  let levels = known;
  return {
    pes,
    nodes,
    nodeOf,
    nodeSize,
    send: machine === undefined ? null : scaled(machine.send),
    receive: machine === undefined ? null : scaled(machine.receive),
    propagate: machine?.propagate === undefined ? null : scaled(machine.propagate),
    relay: machine?.relay?.map((time) => time * scale) ?? null,
    // thousands of PEs take seconds, and only conveyors need them
    get levels() {
      levels ??= levelsOf(nodes, nodeSize, machine);
      return levels;
    },
    network: networkOf(network, nodes, networkOfModel(machine)),
    costs: { ...withDefaults(costs, { push: 3, pull: 3, advance: 30, byte: 0.02 }), open: machine?.items?.open },
  };
}

function levelsOf(nodes: number, nodeSize: number, machine: MachineModel | undefined): Levels {
  const domains = machine === undefined ? [] : domainsOfNode(machine, nodeSize);
  const starts = Array.from({ length: nodes + 1 }, (_, node) => node * nodeSize);
  return domainsOfWorld(starts, new Array<typeof domains>(nodes).fill(domains));
}

function withDefaults<T extends object>(given: { readonly [K in keyof T]?: T[K] | undefined } = {}, defaults: T): T {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(said) };
}

function checkMachine(machine: MachineModel, nodeSize: number): void {
  const { pes, send, receive } = (machine ?? {}) as Partial<MachineModel>;
  if ([pes, send, receive].every((list) => Array.isArray(list) && list.length >= nodeSize)) return;
  throw new UsageError(
    `machine: expected a model of at least ${nodeSize} PEs (those of a node), got ${Array.isArray(pes) ? pes.length : shortText(machine)}. ` +
      "Give the model of a larger machine, fewer PEs, or more nodes.",
  );
}
