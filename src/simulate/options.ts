/** What a simulation is told: how many PEs, where they are, what things cost, and what goes wrong. */
import { treeProblem } from "../../trees/model/problem.ts";
import { inWords } from "../base/account.ts";
import { UsageError } from "../base/errors.ts";
import { checkNames } from "../base/options.ts";
import type { Levels } from "../conveyor/geometry/grid.ts";
import type { MachineModel } from "../machine/types.ts";

/** The network between nodes: a message of b bytes takes `alpha + beta * b`. */
export interface SimulatedNetwork {
  /** ns. @default 1500 */
  readonly alpha?: number | undefined;
  /** ns per byte. @default 0.1 */
  readonly beta?: number | undefined;
  /** Time that a node takes to receive one message; messages to one node queue. ns. @default 300 */
  readonly receiver?: number | undefined;
}

/** What a PE's own work takes, ns. */
export interface SimulatedCosts {
  /** Pushing one item, or turning it over to the next hop. @default 3 */
  readonly push?: number | undefined;
  /** Pulling one item. @default 3 */
  readonly pull?: number | undefined;
  /** One call of advance. @default 30 */
  readonly advance?: number | undefined;
  /** One byte within a node. @default 0.02 */
  readonly byte?: number | undefined;
}

/** Something that goes wrong at a virtual time. */
export interface SimulatedFault {
  /** Its rank. */
  readonly pe: number;
  /** When, virtual ns. */
  readonly at: number;
  /** `crash`: it does nothing more, and the others learn of it. `stall`: it does nothing for a while. */
  readonly kind: "crash" | "stall";
  /** How long a stall takes, ns. @default 1e6 */
  readonly lasting?: number | undefined;
}

/** Options of {@link simulate}. */
export interface SimulationOptions<Args = unknown> {
  /** Number of virtual PEs. */
  readonly pes: number;
  /** Nodes that they are on, the same number on each. @default 1 */
  readonly nodes?: number | undefined;
  /** What messages within a node cost: a model with as many PEs as a node has. @default 50 ns to send, 50 to receive */
  readonly machine?: MachineModel | undefined;
  /** What messages between nodes cost. @default alpha 1500, beta 0.1, receiver 300 */
  readonly network?: SimulatedNetwork | undefined;
  /** What a PE's own work takes. @default push 3, pull 3, advance 30, byte 0.02 */
  readonly costs?: SimulatedCosts | undefined;
  /** Of all that is drawn: the same seed gives the same run. @default 1 */
  readonly seed?: number | undefined;
  /** Every delay is made longer by up to so many times itself, drawn anew each time. @default 0 */
  readonly jitter?: number | undefined;
  /** What goes wrong. @default nothing */
  readonly faults?: readonly SimulatedFault[] | undefined;
  /** Handed to the program as its second argument. @default undefined */
  readonly args?: Args | undefined;
  /** Virtual time that the run may take, ms. @default 10 000 */
  readonly timeout?: number | undefined;
  /** Address space for buffers, bytes. @default 1 GiB */
  readonly memoryBytes?: number | undefined;
}

const NAMES: readonly string[] = [
  "pes",
  "nodes",
  "machine",
  "network",
  "costs",
  "seed",
  "jitter",
  "faults",
  "args",
  "timeout",
  "memoryBytes",
];

/** Everything said. */
export interface Settings {
  readonly pes: number;
  readonly nodes: number;
  readonly nodeSize: number;
  /** nodeSize x nodeSize, ns. */
  readonly send: readonly (readonly number[])[] | null;
  readonly receive: readonly (readonly number[])[] | null;
  /** Which PEs are near each other: those of a node, and the domains of its machine. */
  readonly levels: Levels;
  readonly network: Required<{ [K in keyof SimulatedNetwork]: number }>;
  readonly costs: Required<{ [K in keyof SimulatedCosts]: number }>;
  readonly seed: number;
  readonly jitter: number;
  readonly faults: readonly SimulatedFault[];
  readonly args: unknown;
  /** ns */
  readonly timeout: number;
  readonly memoryBytes: number;
}

/** @throws UsageError */
export function settle(options: SimulationOptions): Settings {
  checkNames(options, NAMES, "simulate: options");
  const { pes, nodes = 1, machine, faults = [], seed = 1, jitter = 0, timeout = 10_000 } = options;
  const { memoryBytes = 2 ** 30 } = options;
  whole("pes", pes, 1, 2 ** 20);
  whole("nodes", nodes, 1, pes);
  whole("seed", seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  whole("memoryBytes", memoryBytes, 65536, 2 ** 32);
  amount("jitter", jitter);
  amount("timeout", timeout);
  if (pes % nodes !== 0) {
    throw new UsageError(`nodes: expected a divisor of the number of PEs (${pes}), got ${nodes}`);
  }
  const nodeSize = pes / nodes;
  if (machine !== undefined) checkMachine(machine, nodeSize);
  if (!Array.isArray(faults)) throw new UsageError(`faults: expected an array, got ${inWords(faults)}`);
  const scale = machine?.unit === "cycles" ? CYCLE_NS : 1;
  const scaled = (matrix: readonly (readonly number[])[]) =>
    scale === 1 ? matrix : matrix.map((row) => row.map((cost) => cost * scale));
  for (const fault of faults) checkFault(fault, pes);
  return {
    pes,
    nodes,
    nodeSize,
    send: machine === undefined ? null : scaled(machine.send),
    receive: machine === undefined ? null : scaled(machine.receive),
    levels: levelsOf(pes, nodeSize, machine),
    network: amounts("network", options.network, { alpha: 1500, beta: 0.1, receiver: 300 }),
    costs: amounts("costs", options.costs, { push: 3, pull: 3, advance: 30, byte: 0.02 }),
    seed,
    jitter,
    faults,
    args: options.args,
    timeout: timeout * 1e6,
    memoryBytes,
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

/** A cycle of a machine whose model counts those: as if it ran at 2.5 GHz. */
const CYCLE_NS = 0.4;

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

function checkFault(fault: SimulatedFault, pes: number): void {
  checkNames(fault, ["pe", "at", "kind", "lasting"], "faults");
  whole("faults: pe", fault.pe, 0, pes - 1);
  amount("faults: at", fault.at);
  if (fault.kind !== "crash" && fault.kind !== "stall") {
    throw new UsageError(`faults: expected kind "crash" or "stall", got ${inWords(fault.kind)}`);
  }
  if (fault.lasting !== undefined) amount("faults: lasting", fault.lasting);
}

function whole(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw new UsageError(`${name}: expected a whole number from ${least} to ${most}, got ${inWords(value)}`);
}

function amount(name: string, value: unknown): void {
  if (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY) return;
  throw new UsageError(`${name}: expected a number >= 0, got ${inWords(value)}`);
}
