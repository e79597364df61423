/** A priority queue of events in virtual time; ties are ordered by a random number of each event. */
import TinyQueue from "tinyqueue";
import type { Event } from "./event.ts";

/** An empty queue. */
export const eventQueue = (): TinyQueue<Event> => new TinyQueue<Event>([], (a, b) => a.time - b.time || a.tie - b.tie);
