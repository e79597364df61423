/** The inputs: what the system reports about a machine ({@link Topology}), and measurements ({@link MachineModel}). */
import type { Internode } from "./internode.ts";

/** One hardware thread of a machine, by the operating system's number. */
export interface Cpu {
  /** The operating system's number of this hardware thread. */
  readonly cpu: number;
  /** Physical core; hardware threads with the same number are SMT siblings. Unique over the machine. */
  readonly core: number;
  /** Last-level cache, numbered over the machine; null if unknown. */
  readonly l3: number | null;
  /** NUMA node; null if unknown. */
  readonly numa: number | null;
  /** Socket; null if unknown. */
  readonly package: number | null;
  /** Whether this process may run on it (affinity mask and cpuset). */
  readonly allowed: boolean;
}

/** One cache of a machine. */
export interface Cache {
  readonly level: number;
  readonly type: "data" | "instruction" | "unified";
  readonly bytes: number;
  readonly lineBytes: number | null;
  /** The hardware threads that share it, ascending. */
  readonly cpus: readonly number[];
}

/** One NUMA node of a machine. */
export interface NumaNode {
  readonly node: number;
  readonly bytes: number | null;
  readonly cpus: readonly number[];
}

/** The shape of a machine as its operating system reports it; one type for all sources. */
export interface Topology {
  readonly source: "hwloc" | "sysfs" | "systeminformation";
  /** The processor's name. */
  readonly brand: string;
  /** True for this machine; false for one read from an XML file or a synthetic description. */
  readonly isThisMachine: boolean;
  /** All hardware threads, ascending by number. */
  readonly cpus: readonly Cpu[];
  readonly caches: readonly Cache[];
  readonly numaNodes: readonly NumaNode[];
  readonly memoryBytes: number | null;
  /** CPU time that this process may use, in cores (cgroup quota); null if unlimited. */
  readonly quota: number | null;
  /** Unknown values and the consequence, one sentence each. */
  readonly notes: readonly string[];
}

/** One PE of a machine model. */
export interface MachinePE {
  readonly cpu: number;
  readonly core: number | null;
  readonly l3?: number | null;
  readonly numa: number | null;
  readonly package: number | null;
}

/** n x n numbers; row = sender, column = receiver, the diagonal is 0. */
export type Matrix = readonly (readonly number[])[];

/** The reliability of a measured model. */
export interface Noise {
  /** Median over pairs of the relative spread between passes (0.05 = 5 %). */
  readonly spread: number;
  /** Passes over all pairs. */
  readonly passes: number;
  /** True if the last passes agree and the probe did not change. */
  readonly stable: boolean;
  /** Cache-line round trip in ns before and after each pass: tells the "near" from the "far" mode. */
  readonly probe: readonly number[];
  /** The round trip in the mode in which the model was measured: median of the probes of its passes. */
  readonly mode: number;
}

/** Time of a PE for one item in each step of a conveyor, ns. */
export interface ItemTimes {
  /** Writing it into a buffer. */
  readonly push: number;
  /** Moving it from a received buffer into one for the next hop. */
  readonly pivot: number;
  /** Reading it from a buffer. */
  readonly pull: number;
}

/** Time of a PE for a conveyor's buffer, ns, measured by items of 8 bytes. */
export interface BufferTimes {
  /** Sending one and receiving one. */
  readonly handle: number;
  /** Waiting until one comes back, with a CPU for each PE. */
  readonly wait: number;
  /** The same where PEs share a CPU: its part for each of them. */
  readonly shared: number;
}

/** What open buffers take of a PE's time, ns. */
export interface OpenTimes {
  /** Of an advance, for each link that items are pushed into: whether its buffer is full. */
  readonly look: number;
  /** Numbers of open buffers, ascending. */
  readonly buffers: readonly number[];
  /** By bytes of each buffer, ascending: pushing an item of 8 bytes into one, drawn at random, by their number. */
  readonly sizes: readonly { readonly bytes: number; readonly push: readonly number[] }[];
}

/** The costs of conveyors' items, per item and per byte; and of the buffers that carry them. */
export interface ItemCostTimes extends ItemTimes {
  readonly byte: ItemTimes;
  /** Models from before it was measured do not have it. */
  readonly buffer?: BufferTimes;
  /** Likewise: pushes and advances take the same then, however many buffers are open. */
  readonly open?: OpenTimes;
}

/** The machine model, format `tundish/machine@1`. Readers keep unknown fields. */
export interface MachineModel {
  readonly schema: "tundish/machine@1";
  readonly name: string;
  readonly source: string;
  readonly unit: "ns" | "cycles";
  readonly measured: string;
  readonly notes?: string;
  readonly pes: readonly MachinePE[];
  /** Time for which a send keeps the sender busy. */
  readonly send: Matrix;
  /** Time for which a receive keeps the receiver busy. */
  readonly receive: Matrix;
  /** Time in which neither is busy: rtt/2 - send - receive. If missing, 0. */
  readonly propagate?: Matrix;
  /** Of each PE: further time between receiving a message and forwarding it, measured by chains. If missing, 0. */
  readonly relay?: readonly number[];
  /** Time of two PEs that signal each other at once, as in a barrier of the two. */
  readonly meet?: Matrix;
  /** Time of two PEs that send each other a message at once, as in an allreduce of the two. */
  readonly exchange?: Matrix;
  /** Time of a message once round all PEs in their order: a check of the model. */
  readonly ring?: number;
  /** Identifies the measured machine. */
  readonly fingerprint?: string;
  /** ISO 8601 date of the measurement. */
  readonly created?: string;
  readonly host?: Readonly<Record<string, unknown>>;
  readonly noise?: Noise;
  /** Round trip of one message, from which `propagate` is computed. */
  readonly rtt?: Matrix;
  /** Means over batches of 1, 2, 4 and 8 messages, as Smelt measures them; `send` and `receive` are those of 8. */
  readonly batches?: Readonly<Record<string, { readonly send: Matrix; readonly receive: Matrix }>>;
  /** Standard deviations of `send`, `receive` and `rtt` within a pass, in the unit of the model. */
  readonly deviation?: Readonly<{ send: Matrix; receive: Matrix; rtt: Matrix }>;
  /** Time per message of a long stream of cache-line messages, ns. */
  readonly stream?: Matrix;
  /** Bulk copies from sender to receiver, bytes per ns (= GB/s). */
  readonly bandwidth?: Matrix;
  /** Time from waking a parked PE until it runs, ns. */
  readonly wake?: Readonly<{ futex: number | null; atomics: number }>;
  /** The costs of conveyors' items and buffers, in ns whatever the unit of the model. */
  readonly items?: ItemCostTimes;
  /** The costs of messages between nodes (`tundish profile` under mpirun), in ns whatever the unit of the model. */
  readonly internode?: Internode;
  /** Largest bytes for which an algorithm for short arrays is faster (`tundish bench crossovers`). */
  readonly crossovers?: Readonly<{ broadcast: number; reduce: number; allreduce: number }>;
}
