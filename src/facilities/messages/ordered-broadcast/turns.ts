/**
 * Who submits next at a member: its children and itself, in turn, a message each; the parts of one stay together.
 *
 * A turn that nobody uses is passed on. Where this member has found no room, its turn is kept for it while its submit
 * waits, or for some looks after one that has not waited; else its children would take all room that comes.
 */
import type { Edge } from "./edge.ts";
import { END } from "./layout.ts";
import type { Upward } from "./upward.ts";

/** Looks for which the turn of one who does not wait is kept. */
const KEPT = 16;

/** Whose turns they are. */
export interface TurnTaker {
  readonly hasEnded: boolean;
  /** A neighbour has closed its end, and nothing more comes from it. */
  lose(edge: Edge): void;
}

export class Turns {
  /** This member has freed its end: it says so in its turn. */
  isLeaving = false;
  readonly #upward: Upward;
  readonly #children: readonly Edge[];
  readonly #ending: TurnTaker;
  /** Messages' parts that are moved at once. */
  readonly #most: number;
  /** The number of a child, or that behind them: this member. */
  #turn = 0;
  /** Whether that one is in the middle of a message. */
  #isOpen = false;
  /** How often this member's turn is kept. */
  #kept = 0;

  constructor(upward: Upward, children: readonly Edge[], ending: TurnTaker, most: number) {
    this.#upward = upward;
    this.#children = children;
    this.#ending = ending;
    this.#most = most;
  }

  /** This member's turn is kept for it: until it is used or {@link give} is called; or for some looks. */
  keep(waits: boolean): void {
    this.#kept = waits ? Number.POSITIVE_INFINITY : KEPT;
  }

  give(): void {
    this.#kept = 0;
  }

  /** Moves what children have submitted, up to a turn that is kept. @returns whether there was anything */
  gather(): boolean {
    const children = this.#children;
    let moved = false;
    let left = this.#most;
    for (let idle = 0; left > 0 && idle <= children.length; ) {
      if (this.#turn === children.length) {
        if (this.isLeaving) return this.#leave() || moved;
        if (this.#isOpen) break;
        if (this.#kept > 0) {
          this.#kept--;
          break;
        }
        this.#turn = 0;
        idle++;
        continue;
      }
      const child = children[this.#turn] as Edge;
      const at = child.tryPart();
      if (at < 0) {
        if (child.isOver) this.#ending.lose(child);
        if (this.#isOpen || this.#ending.hasEnded) break;
        this.#turn++;
        idle++;
        continue;
      }
      const { isLast } = child.receiver;
      if (!this.#upward.pass(at, child.bytes, isLast)) break;
      child.receiver.release();
      moved = true;
      left--;
      idle = 0;
      this.#isOpen = !isLast;
      if (isLast) this.#turn++;
      if (this.#ending.hasEnded) break;
    }
    return moved;
  }

  /** END also ends a message in the middle of which this member is. */
  #leave(): boolean {
    if (this.#upward.tryClaim(0) < 0) return false;
    this.#upward.publish(END, 0, true);
    this.isLeaving = false;
    this.#isOpen = false;
    this.#turn = 0;
    return true;
  }

  /**
   * Byte offset in the heap of the content of this member's next part; -1 while there is no room, or it is not its
   * turn.
   * @param goesOn with a message
   */
  tryClaim(bytes: number, goesOn: boolean): number {
    const own = this.#children.length;
    if (!goesOn && this.#turn !== own) {
      // the children first, a message each
      this.#kept = Math.max(1, this.#kept);
      this.gather();
      if (this.#turn !== own || this.#ending.hasEnded) return -1;
    }
    return this.#upward.tryClaim(bytes);
  }

  /** Hands over the part that was claimed last. */
  publish(kind: number, bytes: number, isLast: boolean): void {
    this.#upward.publish(kind, bytes, isLast);
    this.#isOpen = !isLast;
    if (!isLast) return;
    this.#turn = 0;
    this.#kept = 0;
  }
}
