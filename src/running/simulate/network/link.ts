/**
 * A link: a server with a queue. Packets pass one after another, in the order in which they come, each for as long as
 * its bytes take.
 *
 * A packet goes on to its next link as soon as its first byte has passed (cut-through), so that a path takes as long as
 * its slowest link, and not as long as all of them together. The queue is not limited: what limits it is the room at
 * the receiver (ejection.ts), which is taken before a packet is injected.
 */
import type { Recurring } from "../time/event.ts";
import type { Timeline } from "../time/timeline.ts";
import { Line } from "./line.ts";
import type { Packet } from "./packet.ts";

export class Link implements Recurring {
  time: number = 0;
  tie: number = 0;
  /** Time for which it has been busy, ns. */
  busy: number = 0;
  readonly #timeline: Timeline;
  readonly #byte: number;
  readonly #onward: (packet: Packet) => void;
  readonly #waiting = new Line<Packet>();
  /** When the packet that passes has passed. */
  #free = 0;

  /** @param byte ns */
  constructor(timeline: Timeline, byte: number, onward: (packet: Packet) => void) {
    this.#timeline = timeline;
    this.#byte = byte;
    this.#onward = onward;
  }

  enter(packet: Packet): void {
    const waiting = this.#waiting;
    if (waiting.length === 0 && this.#timeline.now >= this.#free) {
      this.#pass(packet);
      return;
    }
    waiting.push(packet);
    if (waiting.length === 1) this.#timeline.schedule(this, this.#free);
  }

  /** The packet before has passed. */
  run(): void {
    const packet = this.#waiting.shift();
    if (packet !== null) this.#pass(packet);
    if (this.#waiting.length > 0) this.#timeline.schedule(this, this.#free);
  }

  #pass(packet: Packet): void {
    const time = this.#timeline.delay(this.#byte * packet.bytes);
    this.busy += time;
    this.#free = this.#timeline.now + time;
    packet.tail = Math.max(packet.tail, this.#free);
    this.#onward(packet);
  }
}
