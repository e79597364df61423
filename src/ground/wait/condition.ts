/**
 * What a task waits for (task.ts): a condition that one peer makes true and that stays true until the waiting PE
 * continues. Blocking waits spin on it; asynchronous ones test it again after each wake-up.
 */
import type { Watcher } from "./watcher.ts";

/** A condition. */
export interface Condition {
  /** The only PE (of the node) that can make it true. */
  readonly peer: number;
  /** Several PEs (of other nodes), each of which it needs; {@link peer} is -1 then. @default none */
  readonly peers?: readonly number[];
  /** Whom or what it waits for, for messages, where neither {@link peer} nor {@link peers} says it. */
  readonly whom?: string;
  /** What a wait for it says of itself. @default what its driver says */
  readonly watcher?: Watcher;
  /** Whether it is true now. */
  ready(): boolean;
  /** Resolves when it is true, where the PE itself makes it so: no limit of waits applies, nobody blocks on it. */
  readonly ended?: Promise<void>;
  /** Longest sleep between polls, ms, if another node makes it true and no waker notifies. @default the waiter's */
  readonly pollMs?: number | undefined;
  /**
   * Called after each poll once the peer has departed: whether everything the peer sent was seen, so that waiting
   * longer is in vain. @default true after one more poll, as the peer sent everything before it departed
   */
  isInVain?(): boolean;
  /**
   * Polls up to `looks` times, as fast as this core can; returns whether it was true. Every class has its own loop,
   * which contains only a load and a compare: the time until a change is noticed is part of every latency.
   */
  spin(looks: number): boolean;
}
