/**
 * Who seems to live. A member is suspected when it is lost, which is certain, or was silent for long, which may be
 * wrong: no decision that must be right depends on it. Time in which this replica itself was not polled is nobody's
 * silence.
 */
import type { Members } from "../messages/members.ts";

/** How often a replica says that it lives, of `suspectAfter`. */
export const BEATS = 5;

export class Watch {
  readonly #members: Members;
  readonly #suspectAfter: number;
  /** When each was heard last. */
  readonly #heard: number[];
  readonly #lost: boolean[];
  /** The top that each knows to be committed, as far as it has told. */
  readonly tops: number[];
  #looked: number;

  constructor(members: Members, suspectAfter: number) {
    this.#members = members;
    this.#suspectAfter = suspectAfter;
    this.#heard = new Array(members.size).fill(members.now);
    this.#lost = new Array(members.size).fill(false);
    this.tops = new Array(members.size).fill(0);
    this.#looked = members.now;
  }

  heard(member: number, now: number): void {
    this.#heard[member] = now;
  }

  /** Looks who was lost. @returns the members that were lost since the last look */
  look(now: number): readonly number[] {
    const passed = now - this.#looked;
    this.#looked = now;
    const { rank, size } = this.#members;
    // it was not polled, for longer than it waits by itself: whoever is silent gets as much time again
    const slept = passed > this.#suspectAfter / 2 ? passed : 0;
    let fresh = NONE;
    for (let member = 0; member < size; member++) {
      if (member === rank || this.#lost[member]) continue;
      if (slept > 0) this.#heard[member] = Math.min(now, (this.#heard[member] as number) + slept);
      if (!this.#members.isLost(member)) continue;
      this.#lost[member] = true;
      fresh = [...fresh, member];
    }
    return fresh;
  }

  isLost(member: number): boolean {
    return this.#lost[member] as boolean;
  }

  isSuspected(member: number, now: number): boolean {
    if (member === this.#members.rank) return false;
    return this.isLost(member) || now - (this.#heard[member] as number) > this.#suspectAfter;
  }

  /** How many are not lost. */
  get living(): number {
    return this.#lost.filter((lost) => !lost).length;
  }
}

const NONE: readonly number[] = [];
