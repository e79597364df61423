/**
 * What a collective waits for: something that one peer makes true and that stays true until the waiter
 * goes on. Blocking waits spin on it, asynchronous ones ask it again after each wake-up.
 */
/** One thing to wait for. */
export interface Condition {
  /** The PE (of the node) that alone can make it true. */
  readonly peer: number;
  /** Whether it is true now. */
  ready(): boolean;
  /**
   * Longest sleep between two looks, ms, where no waker notifies when it comes true: it is made true from another node.
   * @default as the waiter does
   */
  readonly napMs?: number;
  /**
   * Asked after each look at a PE that has departed: whether all that it had sent has been seen, and it can only be in vain to
   * wait for more. @default after one more look, as what it sent was there before it departed
   */
  isInVain?(): boolean;
  /**
   * Looks up to `looks` times, as fast as this core can; whether it was true. Every class has its own
   * loop, so that there is nothing in it but a load and a compare: the time until a change is noticed is
   * part of every latency.
   */
  spin(looks: number): boolean;
}
