/** The end of a store at all members: each tells the others when it makes no more calls, and serves until all have done so or are lost. */
import type { Members } from "../point-to-point/members.ts";
import { leaveMessage } from "./messages.ts";

export class Leaving {
  readonly #members: Members;
  readonly #left = new Set<number>();

  constructor(members: Members) {
    this.#members = members;
  }

  hasLeft(member: number): void {
    this.#left.add(member);
  }

  leave(): void {
    const { rank, size } = this.#members;
    for (let member = 0; member < size; member++) {
      if (member !== rank) this.#members.post(member, leaveMessage);
    }
  }

  /** Whether all others have left or are lost, and what was sent to them is on its way. */
  get isOver(): boolean {
    const { rank, size } = this.#members;
    for (let member = 0; member < size; member++) {
      if (member === rank || this.#members.isLost(member)) continue;
      if (!this.#left.has(member) || this.#members.backlog(member) > 0) return false;
    }
    return true;
  }
}
