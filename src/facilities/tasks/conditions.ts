/** The wait of a PE that has no task. */
import { NamedCondition } from "../../ground/wait/named-condition.ts";
import type { TaskArea } from "./area.ts";

/** There is something to take, or the run is over. */
export class Work extends NamedCondition {
  readonly call: string;
  /** Who makes a task may not see in time that this PE waits. */
  readonly pollMs = 1;
  /** On threads; virtual PEs poll what names none. */
  readonly peers?: readonly number[];
  readonly members: readonly number[];
  readonly #area: TaskArea;

  constructor(call: string, area: TaskArea) {
    super();
    const { members, rank, waiter } = area.seat;
    this.call = call;
    this.#area = area;
    this.members = members;
    if (waiter.mayBlock) this.peers = members.filter((_, one) => one !== rank);
  }

  override ready(): boolean {
    const area = this.#area;
    return area.canSteal || area.isStopped || area.isOver();
  }
}
