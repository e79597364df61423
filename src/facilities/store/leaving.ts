/** The end of a store: each member tells that it makes no more calls, and serves until all have or are lost. */
import type { Members } from "../messages/members.ts";
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

  /** The others that have not left and are not lost, and those that do not have yet what was sent to them. */
  get present(): readonly number[] {
    const { rank, size } = this.#members;
    return Array.from({ length: size }, (_, member) => member).filter(
      (member) =>
        member !== rank &&
        !this.#members.isLost(member) &&
        (!this.#left.has(member) || this.#members.backlog(member) > 0),
    );
  }

  /** Whether all others have left or are lost, and what was sent to them is on its way. */
  get isOver(): boolean {
    return this.present.length === 0;
  }
}
