/**
 * A call in which PEs show messages (team/eager-board.ts) and read those of others: the common part of gather,
 * allgather and alltoall. Made once for a team, so that a call of short arrays allocates next to nothing.
 *
 * The next PE's message is awaited first, so that not all read from the same one.
 */
import type { Condition } from "../../ground/wait/condition.ts";
import { ReusableTask, type Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";

type Stage = "show" | "read" | "end" | "rest";

/** Runs the calls of one kind. */
export abstract class EagerCall<T> extends ReusableTask<T> {
  abstract override result: T;
  protected readonly team: Team;
  protected tag = 0;
  /** Bytes of the longest message of another PE that this one reads. */
  protected longest = 0;
  #reads = false;
  #stage: Stage = "show";
  #step = 1;
  #rest: Task<void> | null = null;

  constructor(team: Team) {
    super();
    this.team = team;
  }

  /** Shows this PE's message. */
  protected abstract show(): void;

  /** The message of `peer` can be read. */
  protected abstract see(peer: number): void;

  /** All that it reads can be read. @returns what is still to be awaited, or null */
  protected abstract end(): Task<void> | null;

  /** @param reads whether this PE reads the messages of all others */
  protected start(tag: number, reads: boolean): this {
    this.tag = tag;
    this.longest = 0;
    this.#reads = reads;
    this.#stage = "show";
    this.#step = 1;
    return this;
  }

  advance(): Condition | null {
    const { team } = this;
    const { eager, rank, size } = team;
    if (this.#stage === "show") {
      const wait = eager.unread();
      if (wait !== null) return wait;
      this.show();
      this.#stage = "read";
    }
    if (this.#stage === "read") {
      for (; this.#reads && this.#step < size; this.#step++) {
        const peer = rank + this.#step < size ? rank + this.#step : rank + this.#step - size;
        const begun = eager.begun(peer);
        if (!begun.ready()) return begun;
        team.checkHeader(peer, this.tag);
        const bytes = eager.bytes(peer);
        if (bytes > this.longest) this.longest = bytes;
        this.see(peer);
      }
      this.#rest = this.end();
      this.#stage = "rest";
    }
    const step = this.#rest?.next();
    if (step?.done === false) return step.value;
    this.#rest = null;
    return null;
  }
}
