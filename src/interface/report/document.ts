/**
 * The document of a report, format `tundish/report@1`: what was measured and derived, from which the page is made
 * (page/page.ts). Everything but the machine model may be absent, with a reason that the page prints in its place.
 *
 * Times are ns unless a field says otherwise; those of the model and of its trees are in the unit of the model.
 */

import type { Missing } from "../../../microbench/pairs/profiled.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import type { Network } from "../../../trees/nodes/network.ts";
import type { NodesTrees } from "../../../trees/nodes/nodes.ts";
import type { MachineModel, Topology } from "../../machine/model/machine-model.ts";
import type { PlanDocument } from "../../plan/document/document.ts";

/** A part that could not be made, or was not asked for. */
export interface Absent {
  /** Why, and how to get it: a whole sentence. */
  readonly absent: string;
}

/** A part of a report, or the reason why it is not there. */
export type ReportPart<Content extends object> = Content | Absent;

export const isAbsent = (part: object): part is Absent => "absent" in part;

/** The machine that made the report. */
export interface ReportHost {
  /** Its name in the network. */
  readonly name: string;
  /** `linux`, `x64`: as Node names them. */
  readonly platform: string;
  readonly arch: string;
  /** The processor's name. */
  readonly brand: string;
  /** Cores and hardware threads that may be used; CPU time in cores, where a quota limits it. */
  readonly cores: number;
  readonly threads: number;
  readonly quota: number | null;
  readonly memoryBytes: number | null;
}

/** The state of the machine while the measurements were made. */
export interface Conditions {
  /** Cache-line round trips between two of its CPUs, ns, in the order in which they were measured. */
  readonly probes: readonly Probe[];
  /** The modes that were seen, that of most probes first. */
  readonly modes: readonly ProbedMode[];
  /** Whether all of each part could be measured in one mode; others may have been seen in between. */
  readonly stable: boolean;
  /** Warnings for readers before they trust a number, a whole sentence each. */
  readonly warnings: readonly string[];
}

/** One probe. */
export interface Probe {
  /** Seconds since the first measurement. */
  readonly at: number;
  readonly ns: number;
  /** The part that was being measured: `trees`, `collectives`, `starts`, `conveyors`. */
  readonly part: string;
}

/** A mode: two CPUs of a virtual machine may be near to each other or far, and this may change within seconds. */
export interface ProbedMode {
  /** Median of its round trips, ns. */
  readonly mode: number;
  /** Number of probes in it. */
  readonly probes: number;
}

/** A time that was measured several times. */
export interface TimeSpread {
  /** Median, ns. */
  readonly ns: number;
  /** Quartiles, ns. */
  readonly low: number;
  readonly high: number;
  /** The mode of the machine meanwhile: the cache-line round trip, ns; null if it changed, or was not probed. */
  readonly mode: number | null;
}

/** The model's prediction for an operation, and its measurement. */
export interface PredictedTime extends TimeSpread {
  /** `broadcast`, `allreduce`, `barrier` … */
  readonly operation: string;
  /** `adaptive`, or the name of a published algorithm. */
  readonly algorithm: string;
  readonly pes: number;
  /** ns, by the model. */
  readonly predicted: number;
}

/** The cost before PEs compute: the first launch of a process, or a run in a world that is open. */
export interface StartTime extends TimeSpread {
  /** `launch`, `run` */
  readonly call: string;
  readonly pes: number;
}

/** A collective at one size on some PEs, by one program. */
export interface CollectiveTime extends TimeSpread {
  /** `barrier`, `broadcast`, `reduce`, `allreduce`, … */
  readonly call: string;
  /** Who made it: `tundish`, `postMessage`, `flat SharedArrayBuffer barrier`, `npm multithreading`, `Open MPI`, … */
  readonly name: string;
  readonly pes: number;
  /** Bytes of each PE's array, of an alltoall for each PE; 0 for a barrier, 8 for a number. */
  readonly bytes: number;
}

/** Items that are sent, by one program. */
export interface ConveyorTime extends TimeSpread {
  /** `tundish, item-wise`, `postMessage for each item`, … */
  readonly name: string;
  /** The common work of all programs of a group: `8 B, 2 PEs`, `histogram, 2 PEs`. */
  readonly what: string;
  readonly pes: number;
  /** Bytes of an item. */
  readonly bytes: number;
}

/** Measurements of one kind, and who is missing among them. */
export interface Figures<Time> {
  /** The CPUs of the PEs, as many of them as PEs take part. */
  readonly cpus: readonly number[];
  /** The command that measures the same in full. */
  readonly command: string;
  readonly times: readonly Time[];
  readonly missing: readonly Missing[];
  /** How it was measured, and what is to be known of it; a whole sentence each. */
  readonly notes: readonly string[];
}

/** Trees over several nodes that are each like the machine. */
export interface TreesOverNodes {
  /** Costs of a message between nodes, in the unit of the model. */
  readonly network: Network;
  /** Whether they are measured or written in the model; if not, they are assumed. */
  readonly isOfModel: boolean;
  readonly trees: NodesTrees;
}

/** The document, format `tundish/report@1`. Fields that are not known are kept. */
export interface ReportDocument {
  readonly schema: "tundish/report@1";
  readonly title: string;
  /** When it was made, ISO 8601. */
  readonly created: string;
  /** The command that made it. */
  readonly command: string;
  readonly versions: { readonly node: string; readonly tundish: string };
  /** Absent where only a model was given. */
  readonly host: ReportPart<ReportHost>;
  /** Its matrices, noise and costs between nodes are drawn. */
  readonly machine: MachineModel;
  /** Where the model is from: `measured` on this machine, read from a `file`, or `guessed` from its topology. */
  readonly origin: "measured" | "file" | "guessed";
  /** The operating system's report; without it the picture is drawn from the PEs of the model. */
  readonly topology: ReportPart<Topology>;
  readonly conditions: ReportPart<Conditions>;
  readonly trees: ReportPart<Trees>;
  readonly predictions: ReportPart<Figures<PredictedTime>>;
  readonly collectives: ReportPart<Figures<CollectiveTime>>;
  /** Documents from before it was measured have none. */
  readonly starts?: ReportPart<Figures<StartTime>>;
  readonly conveyors: ReportPart<Figures<ConveyorTime>>;
  /** Over several nodes where the model has costs between nodes, or nodes were asked for. */
  readonly nodes: ReportPart<TreesOverNodes>;
  readonly plan: ReportPart<PlanDocument>;
}
