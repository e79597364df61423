/** A PE of the virtual machine: its place, its virtual time, and its program. */
import { Sessions } from "../../links/transport/underway.ts";
import type { AwaitingProgram } from "./awaiting.ts";

/** First pause of a PE without work, ns. */
export const FIRST_PAUSE = 100;

/** One PE of the virtual machine. */
export class VirtualPE {
  readonly rank: number;
  readonly node: number;
  readonly nodeRank: number;
  /** Its virtual time, ns. */
  clock = 0;
  /** Set by every operation that makes progress. */
  moved = false;
  /** Set when something happens for it while it runs. */
  woken = false;
  /** Who sent the line that it took since it sent one; -1 if it took none. */
  heard = -1;
  /** Whether the program has ended. */
  over = false;
  crashed = false;
  stalledUntil = 0;
  program: Generator<void, unknown, void> | null = null;
  /** In place of the generator, if its program awaits. */
  awaiting: AwaitingProgram | null = null;
  readonly sessions: Sessions = new Sessions();
  result: unknown;
  /** Number of the latest scheduled resumption; earlier ones are ignored. */
  plan = 0;
  resumesAt = 0;
  pause: number = FIRST_PAUSE;

  constructor(rank: number, nodeSize: number) {
    this.rank = rank;
    this.node = Math.floor(rank / nodeSize);
    this.nodeRank = rank % nodeSize;
  }
}
