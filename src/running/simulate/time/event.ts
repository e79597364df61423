/** Events in virtual time. */

/** An event. */
export interface Event {
  /** Virtual time, ns. */
  readonly time: number;
  /** Among events of the same time, the one with the smallest tie is first. */
  readonly tie: number;
  run(): void;
}

/** An event that is scheduled again and again, and so needs no new event each time; it waits for one time at once. */
export interface Recurring extends Event {
  time: number;
  tie: number;
}
