/** What a plan of a conveyor is made from: what things cost, what is to be sent; and what can be chosen. */
import type { ConveyorType } from "../conveyor/geometry/options.ts";
import type { Matrix } from "../machine/types.ts";

/** What PEs, messages and items cost, ns: the settings of a simulation are such, and so is a measured machine. */
export interface CostModel {
  readonly pes: number;
  readonly nodes: number;
  /** PEs of a node. */
  readonly nodeSize: number;
  /** nodeSize x nodeSize: the sender's and the receiver's time for a buffer; null: 50 ns. */
  readonly send: Matrix | null;
  readonly receive: Matrix | null;
  /** Which PEs are near each other: nodes, then the measured domains. */
  readonly levels: readonly Int32Array[];
  /** Between nodes: latency, time per byte, and time in which a node receives nothing else. */
  readonly network: { readonly alpha: number; readonly beta: number; readonly receiver: number };
  readonly costs: ItemCosts;
}

/** What a PE's own work takes, ns. */
export interface ItemCosts {
  /** Pushing one item. */
  readonly push: number;
  /** Turning one item over from one hop to the next. @default push + pull */
  readonly pivot?: number | undefined;
  readonly pull: number;
  /** One advance. */
  readonly advance: number;
  /** One byte within a node. */
  readonly byte: number;
}

/** What a conveyor is to carry. */
export interface ConveyorWorkload {
  /** Bytes of an item. */
  readonly itemBytes: number;
  /** Items that a PE pushes in a session, about. */
  readonly load: number;
  /** PEs that a PE pushes to, about, drawn from all. @default all */
  readonly destinations?: number | undefined;
  /** Bytes of the heap for each PE, at most. @default 4 MiB, and 128 MiB for all, where that can be */
  readonly maxBytes?: number | undefined;
  /** Buffers' worth of memory that it takes beside its links. @default 1 */
  readonly scratch?: number | undefined;
}

/** Choices that are made already. */
export interface Forced {
  readonly type?: ConveyorType | undefined;
  readonly hops?: 1 | 2 | 3 | undefined;
  readonly groupSize?: number | undefined;
  readonly bufferBytes?: number | undefined;
  readonly buffersPerLink?: 1 | 2 | 4 | undefined;
}

/** Everything that is chosen. */
export interface Candidate {
  readonly type: ConveyorType;
  readonly hops: 1 | 2 | 3;
  readonly groupSize: number;
  readonly bufferBytes: number;
  readonly buffersPerLink: 1 | 2 | 4;
}
