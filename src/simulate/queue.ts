/** A priority queue of events in virtual time; ties are ordered by a random number of each event. */
import TinyQueue from "tinyqueue";

/** An event. */
export interface Event {
  /** Virtual time, ns. */
  readonly time: number;
  /** Among events of the same time, the one with the smallest tie is first. */
  readonly tie: number;
  run(): void;
}

/** An empty queue. */
export const eventQueue = (): TinyQueue<Event> =>
  new TinyQueue<Event>([], (a, b) => a.time - b.time || a.tie - b.tie);
