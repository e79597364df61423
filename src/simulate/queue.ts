/** A priority queue of events in virtual time; ties go by a number that is drawn for each. */
import TinyQueue from "tinyqueue";

/** Something that happens. */
export interface Event {
  /** Virtual time, ns. */
  readonly time: number;
  /** Among events of the same time, the least comes first. */
  readonly tie: number;
  run(): void;
}

/** An empty queue. */
export const eventQueue = (): TinyQueue<Event> =>
  new TinyQueue<Event>([], (a, b) => a.time - b.time || a.tie - b.tie);
