/** What a simulation is told: how many PEs, where they are, what things cost, and what goes wrong. */

import { UsageError } from "../base/errors.ts";
import { amount, checkOptions, listOf, oneOf, optionsOf, unchecked, whole } from "../base/options.ts";
import type { MachineModel } from "../machine/types.ts";
import {
  CLUSTER_FIELDS,
  type Cluster,
  clusterOf,
  type SimulatedCosts,
  type SimulatedNetwork,
} from "../plan/cluster.ts";

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

const FAULT = optionsOf<SimulatedFault>(
  { pe: whole(0), at: amount, kind: oneOf(["crash", "stall"]), lasting: amount },
  ["pe", "at", "kind"],
  "field",
);
const SIMULATION = optionsOf<SimulationOptions>(
  {
    ...CLUSTER_FIELDS,
    seed: whole(Number.MIN_SAFE_INTEGER),
    jitter: amount,
    faults: listOf(FAULT, "an array of faults"),
    args: unchecked,
    timeout: amount,
    memoryBytes: whole(65536, 2 ** 32),
  },
  ["pes"],
);

/** Everything said. */
export interface Settings extends Cluster {
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
  checkOptions("simulate", SIMULATION, options);
  const {
    pes,
    nodes,
    machine,
    network,
    costs,
    faults = [],
    seed = 1,
    jitter = 0,
    timeout = 10_000,
  } = options;
  const { memoryBytes = 2 ** 30 } = options;
  const cluster = clusterOf({ pes, nodes, machine, network, costs });
  const odd = faults.findIndex((fault) => fault.pe >= pes);
  if (odd >= 0)
    throw new UsageError(`faults.${odd}.pe: expected a rank from 0 to ${pes - 1}, got ${faults[odd]?.pe}`);
  return { ...cluster, seed, jitter, faults, args: options.args, timeout: timeout * 1e6, memoryBytes };
}
