/** What a channel needs of the platform that its PEs run on. */

import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import type { RankLostError } from "../../ground/base/errors.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { AsyncWaits } from "../../ground/wait/async.ts";
import type { SideWork } from "../../ground/wait/side-work.ts";
import type { TeamWaiter } from "../../ground/wait/waiter.ts";
import type { PairShape } from "./layout.ts";
import type { Pair } from "./parts.ts";

/** A channel as the end of its PE's main sees it. */
export interface OpenChannel {
  /** Frees this PE's end; its memory stays. */
  end(): void;
  /** Whether nothing is left to be done for it, once it is freed. */
  readonly isOver: boolean;
  /** Whether the other PE has returned from its main, or left. */
  readonly isAlone: boolean;
  /** The PE leaves its world without waiting for anybody: nothing is done for others any more. After {@link end}. */
  abandon(): void;
}

/** A PE of a group. */
export interface PairSeat {
  /** Its rank in the group, and the number of PEs. */
  readonly rank: number;
  readonly size: number;
  /** The PEs of the group by rank in the world. */
  readonly members: readonly number[];
  /** By rank in the group: the node of each. */
  readonly nodeOf: readonly number[];
  readonly heap: Heap;
  readonly waiter: TeamWaiter;
  readonly waits: AsyncWaits;
  /** What this PE does while it waits. */
  readonly sideWork: SideWork;
  /** The channels of this PE that may still be used. */
  readonly channels: Set<OpenChannel>;
  /**
   * Makes a pair with another PE, which makes it, too: the n-th ones of two PEs belong together.
   * @param peer its rank in the group @param backend @default that of the world @param terms what both must agree about, as text
   * @throws HeapError; MismatchError, which ends the world
   */
  pair(peer: number, shape: PairShape, backend: ChannelKind | undefined, terms: string): Pair;
  /** Has the PE look again at what its Async forms wait for, as another call of its own may have made that true. */
  stir(): void;
  /** Whether a PE has returned from its main, or left. @param peer its rank in the group */
  hasReturned(peer: number): boolean;
  /**
   * Whether a PE has returned from this run of an open world: in the next one it may go on. @param peer its rank in the
   * group
   */
  isBetweenRuns(peer: number): boolean;
  /** Why it is lost, in a world that goes on without it; null if it is not. @param peer its rank in the group */
  lossOf(peer: number): RankLostError | null;
  /** Ends the world with an error. @returns it */
  fail(error: unknown): unknown;
  /** @throws the error that ended the world */
  checkRunning(): void;
}
