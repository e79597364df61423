/**
 * Observation: events and histograms of a conveyor's buffers.
 *
 * The porters of an observed conveyor are wrapped. Those of other conveyors are not, so that observation costs them
 * nothing. A conveyor is observed if it was made with `observe: true`, or while one of these channels of
 * node:diagnostics_channel had a subscriber:
 *
 * | channel                     | message                 | when                                                                           |
 * | --------------------------- | ----------------------- | ------------------------------------------------------------------------------ |
 * | `tundish:conveyor:sent`     | {@link BufferSent}      | this PE has sent a buffer                                                      |
 * | `tundish:conveyor:received` | {@link BufferReceived}  | this PE has received a buffer                                                  |
 * | `tundish:conveyor:session`  | {@link SessionEnded}    | a session has ended at this PE; observed or not, if it began with a subscriber |
 */
import { type Channel, channel } from "node:diagnostics_channel";
import type { Hop, Porter, Site } from "../../../links/transport/contract.ts";
import type { ConveyorChoices } from "../../../route/geometry/options.ts";
import type { Sending, SendingOptions } from "../../../route/geometry/sending.ts";
import type { ConveyorCounts } from "./stats.ts";

/**
 * Fields of all events. Times are those of a clock of the machine that never steps, as of `process.hrtime`, ms: those
 * of its PEs agree to some µs, those of PEs on several machines cannot be compared.
 */
interface Observed {
  /** Describes the conveyor's items. */
  readonly conveyor: string;
  /** This PE's rank in the conveyor. */
  readonly rank: number;
}

/** A buffer was sent. */
export interface BufferSent extends Observed {
  /** Index of the hop, from 0. */
  readonly hop: number;
  readonly to: number;
  readonly items: number;
  readonly bytes: number;
  /** The filled fraction of the buffer, 0 to 1. */
  readonly fill: number;
  /** Times when it was opened and sent. */
  readonly opened: number;
  readonly sent: number;
}

/** A buffer was received. */
export interface BufferReceived extends Observed {
  readonly hop: number;
  readonly from: number;
  readonly bytes: number;
  readonly received: number;
  /** Time since it was sent, ms; -1 if its sender does not observe, or is on another machine. */
  readonly latency: number;
}

/** A session has ended. */
export interface SessionEnded extends Observed {
  /** The conveyor's option `name`; null if it has none. */
  readonly name: string | null;
  /** Number of its PEs. */
  readonly size: number;
  /** Bytes of an item; of any length: those that its buffers were planned for. */
  readonly itemBytes: number;
  /** Whether its items have any length. */
  readonly elastic: boolean;
  /** The option `maxBytes`; null without it. */
  readonly maxBytes: number | null;
  /** The part of `maxBytes` that its buffers within a node keep to, or would. */
  readonly share: number;
  /** Memory that it has beside its links, in buffers. */
  readonly scratch: number;
  /** The choices for it; a mesh of more than one dimension beside the hops that it makes. */
  readonly choices: {
    readonly [K in Exclude<keyof ConveyorChoices, "hops" | "mesh" | keyof SendingOptions>]-?: NonNullable<
      ConveyorChoices[K]
    >;
  } & Pick<ConveyorChoices, "mesh"> & { readonly hops: number };
  readonly sending: Sending;
  readonly began: number;
  readonly ended: number;
  readonly counts: ConveyorCounts;
}

/** Histograms of the fill, the latency and the age of buffers. */
export interface Histograms {
  /** Of sent buffers: element i counts those filled from i to i + 1 tenths; the last also counts full ones. */
  readonly fill: readonly number[];
  /** Of received buffers: element i counts latencies from 2^i to 2^(i+1) µs, the first also shorter ones. */
  readonly latency: readonly number[];
  /**
   * Of sent buffers: element i counts ages from 2^i to 2^(i+1) µs, the first also lower ones: the time since they were
   * opened.
   */
  readonly age: readonly number[];
}

const sent: Channel = channel("tundish:conveyor:sent");
const received: Channel = channel("tundish:conveyor:received");
const session: Channel = channel("tundish:conveyor:session");

/** Whether a channel of buffer events has a subscriber now. */
export const isWanted = (): boolean => sent.hasSubscribers || received.hasSubscribers;

/** Whether the channel of sessions has a subscriber now. */
export const areSessionsWanted = (): boolean => session.hasSubscribers;

/** Publishes the end of a session. */
export const publishSession = (event: SessionEnded): void => session.publish(event);

const TENTHS = 10;
const OCTAVES = 25;

/** The element of a histogram. @param ms >= 0 */
const octaveOf = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(0, Math.min(OCTAVES - 1, Math.floor(Math.log2(ms * 1000))));

/** The clock of an observer: its conveyor's site. */
export type ObserverClock = Pick<Site, "now" | "sharesClock">;

/** The observations of one conveyor at one PE. */
export class Observer {
  readonly #name: string;
  readonly #rank: number;
  readonly #clock: () => ObserverClock;
  readonly #fill = new Float64Array(TENTHS);
  readonly #latency = new Float64Array(OCTAVES);
  readonly #age = new Float64Array(OCTAVES);

  constructor(name: string, rank: number, clock: () => ObserverClock) {
    this.#name = name;
    this.#rank = rank;
    this.#clock = clock;
  }

  /** Of the current session, or of the last one. */
  get histograms(): Histograms {
    return { fill: Array.from(this.#fill), latency: Array.from(this.#latency), age: Array.from(this.#age) };
  }

  /** Before a session. */
  begin(): void {
    this.#fill.fill(0);
    this.#latency.fill(0);
    this.#age.fill(0);
  }

  get clock(): ObserverClock {
    return this.#clock();
  }

  sent(event: Omit<BufferSent, keyof Observed>): void {
    this.#fill[Math.min(TENTHS - 1, Math.floor(event.fill * TENTHS))]++;
    this.#age[octaveOf(event.sent - event.opened)]++;
    if (sent.hasSubscribers) sent.publish({ conveyor: this.#name, rank: this.#rank, ...event });
  }

  received(event: Omit<BufferReceived, keyof Observed>): void {
    const { latency } = event;
    if (latency >= 0) this.#latency[octaveOf(latency)]++;
    if (received.hasSubscribers) received.publish({ conveyor: this.#name, rank: this.#rank, ...event });
  }
}

/** A time in microseconds modulo 2^32; never 0, which marks a buffer without a time stamp. */
const stampOf = (ms: number): number => Math.floor(ms * 1000) >>> 0 || 1;

/** A porter that reports to its observer. */
export class ObservedPorter implements Porter {
  readonly links: number;
  readonly #porter: Porter;
  readonly #observer: Observer;
  readonly #hop: number;
  readonly #friends: Int32Array;
  readonly #capacity: number;
  readonly #opened: Float64Array;

  /** @param capacity bytes of a full buffer */
  constructor(porter: Porter, observer: Observer, hop: number, { friends }: Hop, capacity: number) {
    this.links = porter.links;
    this.#porter = porter;
    this.#observer = observer;
    this.#hop = hop;
    this.#friends = friends;
    this.#capacity = capacity;
    this.#opened = new Float64Array(porter.links);
  }

  get source(): number {
    return this.#porter.source;
  }

  get start(): number {
    return this.#porter.start;
  }

  get bytes(): number {
    return this.#porter.bytes;
  }

  get count(): number {
    return this.#porter.count;
  }

  get stamp(): number {
    return this.#porter.stamp;
  }

  open(link: number): number {
    const start = this.#porter.open(link);
    if (start >= 0) this.#opened[link] = this.#observer.clock.now();
    return start;
  }

  hasAnother(link: number): boolean {
    return this.#porter.hasAnother(link);
  }

  send(link: number, start: number, bytes: number, count: number, items: number): void {
    const now = this.#observer.clock.now();
    // a last buffer may be empty
    if (items === 0) {
      this.#porter.send(link, start, bytes, count, items);
      return;
    }
    this.#porter.send(link, start, bytes, count, items, stampOf(now));
    const fill = Math.min(1, bytes / this.#capacity);
    const [to, opened] = [this.#friends[link], this.#opened[link]];
    this.#observer.sent({ hop: this.#hop, to, items, bytes, fill, opened, sent: now });
  }

  borrow(): boolean {
    const porter = this.#porter;
    if (!porter.borrow()) return false;
    const { clock } = this.#observer;
    const now = clock.now();
    const { stamp, source, bytes } = porter;
    if (bytes === 0) return true;
    const from = this.#friends[source];
    // the clocks of threads differ by some µs
    const micros = (stampOf(now) - stamp) | 0;
    const latency = stamp === 0 || !clock.sharesClock(from) ? -1 : Math.max(0, micros) / 1000;
    this.#observer.received({ hop: this.#hop, from, bytes, received: now, latency });
    return true;
  }

  finish(): void {
    this.#porter.finish();
  }

  release(): void {
    this.#porter.release();
  }

  settled(): boolean {
    return this.#porter.settled();
  }

  handedOver(): boolean {
    return this.#porter.handedOver();
  }

  reads(link: number): boolean {
    return this.#porter.reads(link);
  }

  isSending(link: number): boolean {
    return this.#porter.isSending(link);
  }
}
