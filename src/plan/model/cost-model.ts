/** The input of a plan: costs and load; and its choices. */

import type { BulkIncast } from "../../machine/model/internode.ts";
import type { Matrix, OpenTimes } from "../../machine/model/machine-model.ts";
import type { ConveyorChoices, ConveyorType } from "../../route/geometry/options.ts";
import type { Hops } from "../../route/geometry/route.ts";
import type { SendingOptions } from "../../route/geometry/sending.ts";
import type { NetworkSettings } from "../network/network.ts";

/** The costs of PEs, messages and items, ns: those of a simulation, or of a measured machine. */
export interface CostModel {
  readonly pes: number;
  readonly nodes: number;
  /** By rank: the number of its node. */
  readonly nodeOf: Int32Array;
  /** Number of PEs of a node; of the largest, where they differ. */
  readonly nodeSize: number;
  /** nodeSize x nodeSize, for equal nodes: the sender's and receiver's time for a buffer; null: {@link near}. */
  readonly send: Matrix | null;
  readonly receive: Matrix | null;
  /** Both times for any two PEs of a node, where there is no matrix. @default 50 and 50 ns */
  readonly near?: { readonly send: number; readonly receive: number };
  /** The domains of near PEs: nodes, then the measured domains. */
  readonly levels: readonly Int32Array[];
  /** Between nodes. */
  readonly network: NetworkSettings;
  /**
   * Whether messages that give the last buffers of a session back load the network as all others do: votes and the next
   * session are behind them in the queues of real nodes. In the simulator votes do not use the network. @default false
   */
  readonly countsLastReturns?: boolean;
  /** Several senders of large messages at one receiver, as measured; the most senders last. @default not measured */
  readonly bulk?: readonly BulkIncast[];
  /** Where the costs between nodes are from, with their numbers, for explanations. @default none */
  readonly measured?: readonly string[];
  readonly costs: ItemCosts;
}

/** The costs of a PE's own work, ns. */
export interface ItemCosts {
  /** Pushing one item. */
  readonly push: number;
  /** By open buffers, of which a push takes the more time the more they are (open-buffers.ts). @default none */
  readonly open?: OpenTimes | undefined;
  /** Moving one item from one hop to the next. @default push + pull */
  readonly pivot?: number | undefined;
  readonly pull: number;
  /** One advance. */
  readonly advance: number;
  /** One byte within a node. */
  readonly byte: number;
  /** Sending one buffer and receiving one, beside their messages. @default some advances */
  readonly buffer?: number | undefined;
  /** Waiting for room, beside what it is waited for. @default 0 */
  readonly wait?: number | undefined;
  /** Waking a PE for a buffer, where others need its CPU meanwhile. @default 0 */
  readonly waking?: number | undefined;
}

/** The load of a conveyor. */
export interface ConveyorWorkload {
  /** Bytes of an item. */
  readonly itemBytes: number;
  /** Approximate number of items that a PE pushes in a session. */
  readonly load: number;
  /** Approximate number of PEs that a PE pushes to, drawn from all. @default all */
  readonly destinations?: number | undefined;
  /** Bytes of the heap for each PE, at most. @default 4 MiB, and 128 MiB for all PEs, if possible */
  readonly maxBytes?: number | undefined;
  /**
   * Items per second that a PE pushes; with `delayCost`. Then buffers are chosen for the least cost of messages and
   * delays: the model of aggregation. @default not known: as fast as possible
   */
  readonly rate?: number | undefined;
  /** kappa: ns of a PE's time that one ns of delay of one item costs, at least 0; with `rate`. @default none */
  readonly delayCost?: number | undefined;
  /**
   * Whether its items arrive though no PE is done, as in sessions that end by quiescence: then it is not simple, where
   * all PEs would exchange for every few items. @default false
   */
  readonly steady?: boolean | undefined;
  /**
   * Whether its items have any length, as those of elastic and value conveyors: over nodes each session then begins by
   * a vote. @default false
   */
  readonly elastic?: boolean | undefined;
  /** Scratch memory beside its links, in buffers. @default 1 */
  readonly scratch?: number | undefined;
}

/** Forced choices: those that a plan is made for. */
export type Forced = Omit<ConveyorChoices, "discipline" | keyof SendingOptions>;

/** All choices. */
export interface Candidate {
  readonly type: ConveyorType;
  readonly hops: number;
  readonly groupSize: number;
  /** A mesh instead of groups: the hops are its own, and a group those with the same greatest coordinate. */
  readonly mesh?: readonly number[] | undefined;
  readonly bufferBytes: number;
  readonly buffersPerLink: 1 | 2 | 4;
}

/** The choices as options: a mesh without hops and groups, which cannot be beside it. */
export type PlannedOptions = Omit<Candidate, "hops" | "groupSize"> & Pick<ConveyorChoices, "hops" | "groupSize">;

export const optionsFor = ({ type, hops, groupSize, mesh, bufferBytes, buffersPerLink }: Candidate): PlannedOptions =>
  mesh === undefined
    ? { type, hops: hops as Hops, groupSize, bufferBytes, buffersPerLink }
    : { type, mesh, bufferBytes, buffersPerLink };

/** Whether items take the same ways. */
export const haveSameWays = (a: Candidate, b: Candidate): boolean =>
  a.hops === b.hops && (a.hops === 1 || (a.groupSize === b.groupSize && String(a.mesh ?? "") === String(b.mesh ?? "")));
