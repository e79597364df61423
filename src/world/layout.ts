/**
 * What a world keeps in the heap beside users' arrays, in the order in which launch() allocates it:
 *
 *     ┌─────────────────────────────────────────┐
 *     │ wait area (wait/layout.ts)              │  termination, wakers, phases
 *     ├─────────────────────────────────────────┤
 *     │ registry (collectives/team/registry.ts) │  of groups
 *     ├─────────────────────────────────────────┤
 *     │ team (collectives/team/team.ts)         │  call log, address board and links of the world
 *     ├─────────────────────────────────────────┤
 *     │ status (status/layout.ts)               │  what each PE says of itself
 *     ├─────────────────────────────────────────┤
 *     │ nodes (transport/messages/layout.ts)    │  mailboxes; only in a world over several nodes
 *     └─────────────────────────────────────────┘
 *
 * The wait area has a line for each PE of the world, so that PEs are known by their ranks everywhere; the lines of
 * PEs on other nodes say only whether they have departed. The other areas are of the node's PEs alone.
 */

import type { ChannelKind } from "../base/channel-kinds.ts";
import type { Algorithm } from "../base/tree-algorithms.ts";
import type { RemoteCosts } from "../machine/remote-costs.ts";
import type { Nodes } from "../transport/messages/layout.ts";

/** What a PE of a world over several nodes has more; cloneable. */
export interface ClusterSeat {
  readonly nodes: Nodes;
  readonly costs: RemoteCosts;
  /** Byte offset of the nodes' area. */
  readonly offset: number;
  /** The world's number in the job; and what all worlds of this process go on from (transport/messages/mailbox.ts). */
  readonly epoch: number;
  readonly tagsUsed: Int32Array;
}

/** What a PE's thread is started with; cloneable. */
export interface Seat {
  readonly rank: number;
  /** Of the world. */
  readonly size: number;
  /** PEs of this node, and the rank of the first. */
  readonly nodeSize: number;
  readonly first: number;
  /** The other nodes; null when there are none. */
  readonly cluster: ClusterSeat | null;
  /** The heap's memory. */
  readonly memory: unknown;
  /** Byte offset of the wait area. */
  readonly waitOffset: number;
  /** Byte offset of the registry of groups. */
  readonly registryOffset: number;
  /** Byte offset of the world's team. */
  readonly teamOffset: number;
  /** Byte offset of the status area. */
  readonly statusOffset: number;
  /** CPU to bind to; null to leave the thread where it is. */
  readonly cpu: number | null;
  /** CPUs' worth of time that this node's PEs share. */
  readonly cores: number;
  /** Limit of one wait, ms; null for none. */
  readonly waitTimeout: number | null;
  /** Whether calls are compared between PEs. */
  readonly checks: boolean;
  /** The kind of channels between PEs of the node. */
  readonly channel: ChannelKind;
  /** How trees are to be built, and who says so; null when nobody does. */
  readonly forced: Forced | null;
}

/** An algorithm for trees that is forced. */
export interface Forced {
  readonly tree: Algorithm;
  /** The option or variable that forces it, for messages. */
  readonly by: string;
}
