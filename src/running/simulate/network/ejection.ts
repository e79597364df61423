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
  /** When it looks again for a PE that takes nothing now. */
  #looksAt = 0;

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
    processor.ejection = () => this.#take();
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
    this.#take();
  }

  /** A packet has been taken out. */
  run(): void {
    const packet = this.#packet as Packet;
    this.#packet = null;
    this.#finish(packet);
    this.#processor.leave();
  }

  /** Takes the next packet, if it is not taking one, and the processor is free for it. */
  #take(): void {
    while (this.#packet === null && !this.#processor.isBusyFor("ejection")) {
      const packet = this.#first(this.#control) ?? this.#first(this.#here);
      if (packet === null) return;
      const { message, byte } = this.#rate;
      const time = this.#timeline.delay(message + byte * packet.bytes);
      this.busy += time;
      if (time === 0) this.#finish(packet);
      else {
        this.#packet = packet;
        this.#processor.enter("ejection");
        this.#timeline.schedule(this, this.#timeline.now + time);
      }
    }
  }

  /** The first packet of a line; null if there is none, or its PE takes nothing now. */
  #first(line: Line<Packet>): Packet | null {
    if (line.first === null) return null;
    const from = this.#takesFrom(line.first.message.sent.pe);
    if (from <= this.#timeline.now) return line.shift();
    if (from !== this.#looksAt) {
      this.#looksAt = from;
      this.#timeline.at(from, () => this.#take());
    }
    return null;
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
