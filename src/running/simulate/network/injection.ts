/**
 * The way into the network at a node: a server that injects the packets of its messages one after another.
 *
 * Without interleaving its messages are one flow: all packets of a message, then those of the next. If there is no
 * place for a packet at its receiver (ejection.ts), everything behind it waits, whoever it is for: head-of-line
 * blocking. Interleaved, each receiving node has a flow of its own, and the flows take turns, packet by packet; one
 * without a place is left out. Control messages have a flow of their own, which goes before all others.
 */
import type { Recurring } from "../time/event.ts";
import type { Timeline } from "../time/timeline.ts";
import type { Ejection, PlaceWaiter, Rate } from "./ejection.ts";
import { Line, type Standing } from "./line.ts";
import type { NetworkMessage } from "./packet.ts";
import type { Processor } from "./processor.ts";

/** Messages that are injected in order. */
class Flow implements PlaceWaiter, Standing<Flow> {
  readonly messages = new Line<NetworkMessage>();
  next: Flow | null = null;
  /** Whether it neither is in turn, nor waits for a place, nor is being injected. */
  isIdle = true;
  /** Whether it has a place for its next packet. */
  hasPlace = false;
  /** Since when it has waited for one. */
  since = 0;
  readonly #admitted: (flow: Flow) => void;

  constructor(admitted: (flow: Flow) => void) {
    this.#admitted = admitted;
  }

  admit(): void {
    this.hasPlace = true;
    this.#admitted(this);
  }
}

export class Injection implements Recurring {
  time: number = 0;
  tie: number = 0;
  /** Time for which it has been busy, and for which flows have waited for a place, ns. */
  busy: number = 0;
  blocked: number = 0;
  /** Largest number of messages that waited, or were being injected. */
  peak: number = 0;
  readonly #timeline: Timeline;
  readonly #rate: Rate;
  readonly #packetBytes: number;
  readonly #ejections: readonly Ejection[];
  readonly #inject: (message: NetworkMessage, bytes: number) => void;
  /** By receiving node; null if there is one flow for all. */
  readonly #flows: Map<number, Flow> | null;
  readonly #onlyFlow: Flow;
  readonly #control: Flow;
  readonly #processor: Processor;
  readonly #turns = new Line<Flow>();
  #messages = 0;
  /** The injection under way: of which flow, of which message, how many bytes. */
  #flow: Flow | null = null;
  #message: NetworkMessage | null = null;
  #bytes = 0;

  constructor(
    timeline: Timeline,
    rate: Rate,
    { packetBytes, interleaved }: { readonly packetBytes: number; readonly interleaved: boolean },
    processor: Processor,
    ejections: readonly Ejection[],
    inject: (message: NetworkMessage, bytes: number) => void,
  ) {
    this.#timeline = timeline;
    this.#rate = rate;
    this.#packetBytes = packetBytes;
    this.#ejections = ejections;
    this.#inject = inject;
    this.#flows = interleaved ? new Map() : null;
    this.#onlyFlow = this.#newFlow();
    this.#control = this.#newFlow();
    this.#processor = processor;
    processor.injection = () => {
      if (this.#flow === null) this.#next();
    };
  }

  add(message: NetworkMessage): void {
    const flow = message.isControl ? this.#control : this.#flowTo(message.sent.to);
    flow.messages.push(message);
    this.peak = Math.max(this.peak, ++this.#messages);
    if (!flow.isIdle) return;
    if (!message.isControl) {
      flow.isIdle = false;
      this.#turns.push(flow);
    }
    if (this.#flow === null) this.#next();
  }

  /** A packet has been injected. */
  run(): void {
    const flow = this.#flow as Flow;
    this.#flow = null;
    this.#leave(flow, this.#message as NetworkMessage, this.#bytes);
    this.#processor.leave();
  }

  #newFlow(): Flow {
    return new Flow((flow) => {
      this.blocked += this.#timeline.now - flow.since;
      this.#turns.push(flow);
      if (this.#flow === null) this.#next();
    });
  }

  #flowTo(node: number): Flow {
    const flows = this.#flows;
    if (flows === null) return this.#onlyFlow;
    let flow = flows.get(node);
    if (flow === undefined) {
      flow = this.#newFlow();
      flows.set(node, flow);
    }
    return flow;
  }

  #next(): void {
    const { now } = this.#timeline;
    for (;;) {
      if (this.#processor.isBusyFor("injection")) return;
      const flow = this.#control.messages.first === null ? this.#turns.shift() : this.#control;
      if (flow === null) return;
      const message = flow.messages.first as NetworkMessage;
      const needsPlace = !message.isControl && !flow.hasPlace;
      if (needsPlace && !this.#ejections[message.sent.to].reserve(flow)) {
        flow.since = now;
        continue;
      }
      flow.hasPlace = false;
      const bytes = Math.min(message.left, this.#packetBytes);
      const time = this.#timeline.delay(this.#rate.message + this.#rate.byte * bytes);
      this.busy += time;
      if (time > 0) {
        this.#flow = flow;
        this.#message = message;
        this.#bytes = bytes;
        this.#processor.enter("injection");
        this.#timeline.schedule(this, now + time);
        return;
      }
      this.#leave(flow, message, bytes);
    }
  }

  #leave(flow: Flow, message: NetworkMessage, bytes: number): void {
    message.left -= bytes;
    if (message.left === 0) {
      flow.messages.shift();
      this.#messages--;
      message.sent.onInjected?.(this.#timeline.now);
    }
    // that of control messages is looked at first, and is in no turn
    if (flow !== this.#control) {
      if (flow.messages.length > 0) this.#turns.push(flow);
      else flow.isIdle = true;
    }
    this.#inject(message, bytes);
  }
}
