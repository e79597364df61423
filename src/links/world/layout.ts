/**
 * The places that a world keeps in the heap beside users' arrays, in the order in which launch() allocates it:
 *
 *     ┌─────────────────────────────────────────┐
 *     │ nodes (links/transport/messages/layout.ts)    │  mailboxes; only in a world over several nodes
 *     ├─────────────────────────────────────────┤
 *     │ wait area (ground/wait/layout.ts)              │  termination, wakers, phases
 *     ├─────────────────────────────────────────┤
 *     │ registry (team/registry-layout.ts)      │  of groups
 *     ├─────────────────────────────────────────┤
 *     │ team (collectives/team/team.ts)         │  call log, address board and links of the world
 *     ├─────────────────────────────────────────┤
 *     │ status (links/status/layout.ts)               │  reported states of the PEs
 *     └─────────────────────────────────────────┘
 *
 * The wait area has a line for each PE of the world, so that a PE's rank is its index everywhere. The lines of PEs on
 * other nodes hold only whether they have departed. The other areas have entries for the node's PEs only.
 */

import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import type { Algorithm } from "../../ground/base/tree-algorithms.ts";
import type { HeapMemory } from "../../ground/memory/kernels/webassembly.ts";
import type { NodeCosts } from "../../machine/model/node-costs.ts";
import type { RemoteCosts } from "../../machine/model/remote-costs.ts";
import type { Nodes } from "../transport/nodes.ts";
import type { Partitions } from "./domains.ts";

/** The additional data of a PE in a world over several nodes; cloneable. */
export interface JobDescriptor {
  readonly nodes: Nodes;
  readonly costs: RemoteCosts;
  /** By node: what it has measured that plans of conveyors need. */
  readonly measured: readonly NodeCosts[];
  /** The world's number in the job; the state shared by all worlds of this process (transport/messages/mailbox.ts). */
  readonly epoch: number;
  readonly tagsUsed: Int32Array;
  /** The memory of the board for the window of the world (nodes/window-board.ts). */
  readonly window: SharedArrayBuffer;
}

/** The parts that a PE's thread is started with; cloneable. */
export interface PEDescriptor {
  readonly rank: number;
  /** Number of PEs of the world. */
  readonly size: number;
  /** Number of PEs of this node, and the rank of the first. */
  readonly nodeSize: number;
  readonly first: number;
  /** The other nodes; null if there are none. */
  readonly job: JobDescriptor | null;
  readonly memory: HeapMemory;
  /** Byte offset of the wait area. */
  readonly waitOffset: number;
  /** Byte offset of the registry of groups. */
  readonly registryOffset: number;
  /** Byte offset of the world's team. */
  readonly teamOffset: number;
  /** Byte offset of the status area. */
  readonly statusOffset: number;
  /** The CPU to bind to; null to leave the thread unbound. */
  readonly cpu: number | null;
  /** CPU time that this node's PEs share, in CPUs. */
  readonly cores: number;
  /** Whether a PE that waits spins at first: there is a CPU for each, and nobody else is to have them. */
  readonly spins: boolean;
  /** Limit of one wait, ms; null for none. */
  readonly waitTimeout: number | null;
  /** Whether calls are compared between PEs. */
  readonly checks: boolean;
  /** The kind of channels between PEs of the node. */
  readonly channel: ChannelKind;
  /** Which PEs of the world are near each other. */
  readonly domains: Partitions;
  /** How trees are to be built, and who says so; null when nobody does. */
  readonly forced: ForcedTree | null;
}

/** An algorithm for trees that is forced. */
export interface ForcedTree {
  readonly tree: Algorithm;
  /** The option or variable that forces it, for messages. */
  readonly by: string;
}
