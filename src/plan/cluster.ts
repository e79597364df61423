/** The PEs of several nodes and the costs of their work and messages: the input of plans and of the simulator. */
import { treeProblem } from "../../trees/model/problem.ts";
import { inWords } from "../base/account.ts";
import { UsageError } from "../base/errors.ts";
import { checkNames } from "../base/options.ts";
import type { Levels } from "../conveyor/geometry/grid.ts";
import type { MachineModel } from "../machine/types.ts";

/** The network between nodes: a message of b bytes takes `alpha + beta * b`. */
export interface SimulatedNetwork {
  /** Latency, ns. @default 1500 */
  readonly alpha?: number | undefined;
  /** ns per byte. @default 0.1 */
  readonly beta?: number | undefined;
  /** Time for which a node is busy receiving one message, ns; messages to one node queue. @default 300 */
  readonly receiver?: number | undefined;
}

/** The costs of a PE's own work, ns. */
export interface SimulatedCosts {
  /** Pushing one item, or forwarding it to the next hop. @default 3 */
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
  readonly network?: SimulatedNetwork | undefined;
  /** @default push 3, pull 3, advance 30, byte 0.02 */
  readonly costs?: SimulatedCosts | undefined;
}

/** The same with all defaults filled in. */
export interface SimulatedJob {
  readonly pes: number;
  readonly nodes: number;
  readonly nodeSize: number;
  /** nodeSize x nodeSize, ns. */
  readonly send: readonly (readonly number[])[] | null;
  readonly receive: readonly (readonly number[])[] | null;
  /** The domains of near PEs: those of a node, and the domains of its machine. */
  readonly levels: Levels;
  readonly network: Required<{ [K in keyof SimulatedNetwork]: number }>;
  readonly costs: Required<{ [K in keyof SimulatedCosts]: number }>;
}

/** Assumed ns per cycle for a model in cycles: a machine at 2.5 GHz. */
const CYCLE_NS = 0.4;

/** @throws UsageError if PEs, nodes and model do not fit together, or a cost is invalid */
export function jobOf({ pes, nodes = 1, machine, network, costs }: JobOptions): SimulatedJob {
  whole("pes", pes, 1, 2 ** 20);
  whole("nodes", nodes, 1, pes);
  if (pes % nodes !== 0) {
    throw new UsageError(`nodes: expected a divisor of the number of PEs (${pes}), got ${nodes}`);
  }
  const nodeSize = pes / nodes;
  if (machine !== undefined) checkMachine(machine, nodeSize);
  const scale = machine?.unit === "cycles" ? CYCLE_NS : 1;
  const scaled = (matrix: readonly (readonly number[])[]) =>
    scale === 1 ? matrix : matrix.map((row) => row.map((cost) => cost * scale));
  return {
    pes,
    nodes,
    nodeSize,
    send: machine === undefined ? null : scaled(machine.send),
    receive: machine === undefined ? null : scaled(machine.receive),
    levels: levelsOf(pes, nodeSize, machine),
    network: amounts("network", network, { alpha: 1500, beta: 0.1, receiver: 300 }),
    costs: amounts("costs", costs, { push: 3, pull: 3, advance: 30, byte: 0.02 }),
  };
}

function levelsOf(pes: number, nodeSize: number, machine: MachineModel | undefined): Levels {
  const nodes = Int32Array.from({ length: pes }, (_, rank) => Math.floor(rank / nodeSize));
  if (machine === undefined) return [nodes];
  const cores = Array.from({ length: nodeSize }, (_, pe) => pe);
  const inside = treeProblem(machine, cores).domains;
  const overall = inside.map((domain) => {
    const parts = Math.max(...domain) + 1;
    return nodes.map((node, rank) => node * parts + domain[rank % nodeSize]);
  });
  return [nodes, ...overall];
}

function amounts<T extends Record<string, number>>(
  name: string,
  given: { readonly [K in keyof T]?: number | undefined } | undefined,
  defaults: T,
): T {
  if (given === undefined) return defaults;
  checkNames(given, Object.keys(defaults), name);
  const all = { ...defaults };
  for (const key of Object.keys(defaults) as (keyof T & string)[]) {
    const value = given[key];
    if (value === undefined) continue;
    amount(`${name}.${key}`, value);
    (all as Record<string, number>)[key] = value;
  }
  return all;
}

function checkMachine(machine: MachineModel, nodeSize: number): void {
  const { pes, send, receive } = (machine ?? {}) as Partial<MachineModel>;
  if ([pes, send, receive].every((list) => Array.isArray(list) && list.length >= nodeSize)) return;
  throw new UsageError(
    `machine: expected a model of at least ${nodeSize} PEs (those of a node), got ${Array.isArray(pes) ? pes.length : inWords(machine)}`,
  );
}

/** @throws UsageError */
export function whole(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw new UsageError(`${name}: expected a whole number from ${least} to ${most}, got ${inWords(value)}`);
}

/** @throws UsageError */
export function amount(name: string, value: unknown): void {
  if (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY) return;
  throw new UsageError(`${name}: expected a number >= 0, got ${inWords(value)}`);
}
