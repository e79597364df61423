/**
 * The way out of the network at a node: a server with a queue of so many packets.
 *
 * A place in the queue is taken before a packet is injected, and given back when its receiver has it; so it counts what
 * is underway, too. Senders without a place wait in the order in which they came. A PE that stalls takes nothing out,
 * and whatever is behind a packet for it waits. Control messages have a queue of their own, which goes first.
 */
import type { Recurring } from "../time/event.ts";
import type { Timeline } from "../time/timeline.ts";
import { Line, type Standing } from "./line.ts";
import type { Packet } from "./packet.ts";
import type { Processor } from "./processor.ts";

/** Who waits for a place. */
export interface PlaceWaiter extends Standing<PlaceWaiter> {
  /** It has one now. */
  admit(): void;
}

/** A node's time for a packet, ns. */
export interface Rate {
  readonly message: number;
  readonly byte: number;
}

export class Ejection implements Recurring {
  time: number = 0;
  tie: number = 0;
  /** Time for which it has been busy, ns. */
  busy: number = 0;
  /** Largest number of packets that were here at once. */
  peak: number = 0;
  readonly #timeline: Timeline;
  readonly #rate: Rate;
  readonly #takesFrom: (pe: number) => number;
  readonly #received: (packet: Packet) => void;
  readonly #processor: Processor;
  readonly #here = new Line<Packet>();
  readonly #control = new Line<Packet>();
  readonly #senders = new Line<PlaceWaiter>();
  #places: number;
  /** The packet that is being taken out. */
  #packet: Packet | null = null;
  #isScheduled = false;

  /** @param places of its queue; Infinity for any number @param takesFrom from when on a PE takes packets, ns */
  constructor(
    timeline: Timeline,
    rate: Rate,
    processor: Processor,
    places: number,
    takesFrom: (pe: number) => number,
    received: (packet: Packet) => void,
  ) {
    this.#processor = processor;
    processor.ejection = () => {
      if (!this.#isScheduled) this.#take();
    };
    this.#timeline = timeline;
    this.#rate = rate;
    this.#places = places;
    this.#takesFrom = takesFrom;
    this.#received = received;
  }

  /** Takes a place. @returns whether there was one; if not, `one` waits for it */
  reserve(one: PlaceWaiter): boolean {
    if (this.#places > 0) {
      this.#places--;
      return true;
    }
    this.#senders.push(one);
    return false;
  }

  arrive(packet: Packet): void {
    (packet.message.isControl ? this.#control : this.#here).push(packet);
    const waiting = this.#here.length + this.#control.length;
    this.peak = Math.max(this.peak, waiting + (this.#packet === null ? 0 : 1));
    if (!this.#isScheduled) this.#take();
  }

  run(): void {
    this.#isScheduled = false;
    const packet = this.#packet;
    this.#packet = null;
    if (packet === null) {
      this.#take();
      return;
    }
    this.#finish(packet);
    this.#processor.leave();
  }

  #take(): void {
    const { now } = this.#timeline;
    for (;;) {
      const here = this.#control.first === null ? this.#here : this.#control;
      if (here.first === null || this.#processor.isBusyFor("ejection")) return;
      const from = this.#takesFrom(here.first.message.sent.pe);
      if (from > now) {
        this.#wakeAt(from);
        return;
      }
      const packet = here.shift() as Packet;
      const { message, byte } = this.#rate;
      const time = this.#timeline.delay(message + byte * packet.bytes);
      this.busy += time;
      if (time > 0) {
        this.#packet = packet;
        this.#processor.enter("ejection");
        this.#wakeAt(now + time);
        return;
      }
      this.#finish(packet);
    }
  }

  #wakeAt(time: number): void {
    this.#isScheduled = true;
    this.#timeline.schedule(this, time);
  }

  /** The place goes to the sender that has waited longest. */
  #finish(packet: Packet): void {
    if (!packet.message.isControl) {
      const sender = this.#senders.shift();
      if (sender === null) this.#places++;
      else sender.admit();
    }
    this.#received(packet);
  }
}
