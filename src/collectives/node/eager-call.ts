/**
 * A call in which PEs show messages (team/eager-board.ts) and read those of others: the common part of gather,
 * allgather and alltoall. Made once for a team, so that a call of short arrays allocates next to nothing.
 *
 * The next PE's message is awaited first, so that not all read from the same one.
 */
import type { Condition } from "../../ground/wait/condition.ts";
import { ReusableTask, type Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";

/** Runs the calls of one kind. */
export abstract class EagerCall<T> extends ReusableTask<T> {
  abstract override result: T;
  protected readonly team: Team;
  protected tag = 0;
  /** Bytes of the longest message of another PE that this one reads. */
  protected longest = 0;
  #reads = false;
  /** How far the PE is from this one that is read next; 0 before this PE has shown its own message. */
  #step = 0;
  /** What is still to be awaited, or null; undefined before all is read. */
  #rest: Task<void> | null | undefined;

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
    this.#step = 0;
    this.#rest = undefined;
    return this;
  }

  advance(): Condition | null {
    const { team } = this;
    const { eager, rank, size } = team;
    if (this.#step === 0) {
      const wait = eager.unread();
      if (wait !== null) return wait;
      this.show();
      this.#step = 1;
    }
    if (this.#rest === undefined) {
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
    }
    const step = this.#rest?.next();
    return step?.done === false ? step.value : null;
  }
}
