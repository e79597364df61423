/**
 * The seat of a PE in a group: what a facility may ask of the platform that the PE runs on. There are two: a thread
 * (thread-seat.ts), and a virtual PE (running/virtual/station.ts). A facility is a function over a PE or a group that
 * takes its seat.
 */
import type { CollectivePlan, Trees } from "../../trees/model/tree.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { RegistrySeat } from "../collectives/team/registry.ts";
import type { Seatholder, Team } from "../collectives/team/team.ts";
import type { ChannelKind } from "../ground/base/channel-kinds.ts";
import type { RankLostError } from "../ground/base/errors.ts";
import type { Heap } from "../ground/memory/heap.ts";
import type { LateWaits } from "../ground/wait/late-waits.ts";
import type { SideWork } from "../ground/wait/side-work.ts";
import type { Waiters } from "../ground/wait/task.ts";
import type { ParkingWaiter } from "../ground/wait/waiter.ts";
import type { PEStatus } from "../links/status/status.ts";
import type { Site, SitePlan } from "../links/transport/contract.ts";
import type { Sessions } from "../links/transport/underway.ts";
import type { Partitions } from "../links/world/domains.ts";
import type { MachineModel } from "../machine/model/machine-model.ts";
import type { PlannedContext } from "../plan/document/sources.ts";
import type { Planning } from "../plan/document/world-plan.ts";
import type { CostModel } from "../plan/model/cost-model.ts";
import type { SimulatedNetwork } from "../plan/network/network.ts";
import type { NodeLayout } from "../route/geometry/conveyor-choice.ts";
import type { Levels } from "../route/geometry/grid.ts";
import type { RemoteLinks } from "../route/geometry/nodes.ts";
import type { GroupOptions } from "./group-options.ts";
import type { Kept } from "./kept.ts";
import type { NodeLinks } from "./node-links.ts";
import type { PairShape } from "./pairs/layout.ts";
import type { Pair } from "./pairs/parts.ts";
import type { OpenWindow } from "./window.ts";

/** The members of a group, as one of them sees them. */
interface Members {
  /** Its rank in the group, and the number of PEs. */
  readonly rank: number;
  readonly size: number;
  /** The PEs of the group by rank in the world. */
  readonly members: readonly number[];
  /** The node of each PE, by rank in the group. */
  readonly nodeOf: readonly number[];
}

/** Where conveyors and exchanges of a group are made, and what they are planned by. */
export interface Sites extends PlannedContext {
  readonly rank: number;
  readonly size: number;
  /** Makes the site of one. @param maxBytes limit of the memory for oversized items */
  site(plan: SitePlan, maxBytes: number): Site;
  /** The domains of near PEs. */
  readonly levels: Levels;
  /**
   * The costs of PEs, messages and items of a size; the same object for the same arguments.
   * @param network between real nodes, instead of what was measured; the simulator has its own
   */
  costs(itemBytes: number, network?: SimulatedNetwork): CostModel;
  /** The layout over nodes, on which choices depend. @default that of one node */
  readonly nodeLayout?: NodeLayout;
  /** Largest number of links of a PE to other nodes. @default 0 */
  readonly remoteLinks?: RemoteLinks;
}

/** How the PE waits, wakes others, and what ends its waits. */
interface Waits extends Waiters {
  /** The open sessions of this PE, of all its groups; and what it does for others while it waits. */
  readonly sessions: Sessions;
  readonly sideWork: SideWork;
  /** Has the PE look again at what its Async forms wait for, as another call of its own may have made that true. */
  stir(): void;
  /**
   * Wakes a PE that waits for what was stored before, if it is on this node; others poll.
   * @param rank in the group @param awaited word of the heap that is 1 while it waits
   */
  posted(rank: number, awaited: number): void;
  /**
   * Lets other PEs go on between two steps of an asynchronous push, so that steps of several PEs mix as they do on
   * threads.
   * @param bytes that the step before has copied. @default nothing is done
   */
  readonly step?: ((bytes: number) => Promise<void>) | undefined;
  /** Whether a PE of this node has left the world. @param rank in the group */
  departed(rank: number): boolean;
  /** Whether a PE has returned from its main, or left. @param rank in the group */
  hasReturned(rank: number): boolean;
  /** Whether a PE has returned from this run: in the next one it may go on. @param rank in the group */
  isBetweenRuns(rank: number): boolean;
  /** Why a PE is lost, in a world that goes on without it; null if it is not. @param rank in the group */
  lossOf(rank: number): RankLostError | null;
  /** Ends the world with an error. @returns it */
  fail(error: unknown): unknown;
  /** @throws the error that ended the world */
  checkWorld(): void;
  /** @throws the same, and in a world that goes on without lost PEs the loss of a member */
  checkGroup(): void;
}

/** The heaps that this PE has in its memory. */
interface Memory {
  readonly heap: Heap;
  /** The ranks of the PEs on this PE's node, in order. */
  readonly here: readonly number[];
  /** Those whose memory this PE has: of its node, and of nodes whose heaps it has mapped and they its own; in order. */
  readonly mapped: readonly number[];
  /** Byte offset in this memory of the heap of a node that is among them. */
  heapOf(node: number): number;
  /**
   * Makes a block of zeroed memory with the other PEs of the group on this node.
   * @default threads reserve it
   */
  readonly block?: (bytes: number) => number;
  /** Frees a block of such a heap. @param offset of the block in that heap */
  release(node: number, offset: number): void;
  /** Access to memory that this PE has not mapped; null where there is none. */
  readonly window: OpenWindow | null;
}

/** The parts that a thread has for its pairs. */
export interface PairParts {
  readonly holder: Seatholder;
  readonly registry: RegistrySeat;
  /** Of the world: through it the world ends if a reservation cannot be settled. */
  readonly team: Team;
  /** Null if there is one node. */
  readonly links: NodeLinks | null;
}

/** The maker of pairs. */
export interface Pairs {
  /**
   * Makes a pair with another PE, which makes it, too: the n-th ones of two PEs belong together.
   * @param peer its rank in the group @param backend @default that of the world @param terms what both must agree
   * about, as text
   * @throws HeapError; MismatchError, which ends the world
   */
  pair(peer: number, shape: PairShape, backend: ChannelKind | undefined, terms: string): Pair;
}

/** The parts that a thread has for its sites in a group. */
export interface ThreadSiteParts {
  /** With the termination of the group. */
  readonly holder: Seatholder;
  /** The group's PEs on this node, and all PEs by rank in the world. */
  readonly team: Team;
  readonly members: readonly number[];
  readonly registry: RegistrySeat;
  /** How the PE waits where it drives conveyors. */
  readonly turns: ParkingWaiter;
  readonly async: LateWaits;
  readonly status: PEStatus;
  /** The sessions that are open. */
  readonly sessions: Sessions;
  readonly problems: (patience: number) => readonly string[];
  readonly model: MachineModel;
  /** The rank of the node's first PE, which is row 0 of the model. */
  readonly first: number;
  /** Which PEs of the world are near each other. */
  readonly domains: Partitions;
  readonly links: NodeLinks | null;
  readonly planning: Planning;
}

/** A PE in a group. */
export interface Seat extends Members, Waits, Memory {
  readonly collectives: Collectives;
  /** Makes a group, as the PE does: the result is a `Group`, which is made of seats. @param ranks in the world */
  readonly group: (ranks: readonly number[], options?: GroupOptions) => object;
  /**
   * The trees of a group that one of its PEs has left, if they are to be repaired.
   * @param ranks of the group, in the world @param gone which of them is the one. @default virtual PEs repair none
   */
  readonly repaired?: (before: CollectivePlan, ranks: readonly number[], gone: number) => Trees | null;
  /** Of a virtual PE its sites; what those of a thread are made from: sites.ts loads with what uses it. */
  readonly sites: Sites | ThreadSiteParts;
  /** The same of its pairs: pair-of.ts. */
  readonly pairs: Pairs | PairParts;
  /** The costs that its plans are made from: a row for each PE of its node. @default virtual PEs have costs alone */
  readonly model?: MachineModel;
  /** Of this PE, in all its groups. */
  readonly kept: Kept;
  /** Whether misuse that takes time to detect is detected. */
  readonly checks: boolean;
}
