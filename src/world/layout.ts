/**
 * What a world keeps in the heap beside users' arrays, in the order in which launch() allocates it:
 *
 *     ┌─────────────────────────────┐
 *     │ wait area (wait/layout.ts)  │  fate, bells, phases
 *     ├─────────────────────────────┤
 *     │ registry (registry.ts)      │  of groups
 *     ├─────────────────────────────┤
 *     │ team (collectives/team.ts)  │  ledger, board and links of the world
 *     ├─────────────────────────────┤
 *     │ status (diagnose/layout.ts) │  what each PE says of itself
 *     └─────────────────────────────┘
 */

import type { Algorithm } from "../../trees/names.ts";

/** What a PE's thread is started with; cloneable. */
export interface Seat {
  readonly rank: number;
  readonly size: number;
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
  /** CPUs that this node's PEs share. */
  readonly cores: number;
  /** Limit of one wait, ms; null for none. */
  readonly waitTimeout: number | null;
  /** Whether calls are compared between PEs. */
  readonly checks: boolean;
  /** How trees are to be built, and who says so; null when nobody does. */
  readonly forced: Forced | null;
}

/** An algorithm for trees that is forced. */
export interface Forced {
  readonly tree: Algorithm;
  /** The option or variable that forces it, for messages. */
  readonly by: string;
}
