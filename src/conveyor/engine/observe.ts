/**
 * Observation: events and histograms of a conveyor's buffers, for those who want to see them.
 *
 * What: the porters of an observed conveyor are wrapped; those of another are not, so that it costs nothing. A conveyor is
 * observed when it was made with `observe: true`, or while somebody had subscribed to one of the channels of
 * node:diagnostics_channel below.
 *
 * | channel                     | message                 | when                                             |
 * | --------------------------- | ----------------------- | ------------------------------------------------ |
 * | `tundish:conveyor:sent`     | {@link BufferSent}      | a buffer has left this PE                        |
 * | `tundish:conveyor:received` | {@link BufferReceived}  | a buffer has been taken by this PE               |
 * | `tundish:conveyor:session`  | {@link SessionEnded}    | a session has ended at this PE; observed or not  |
 */
import { type Channel, channel } from "node:diagnostics_channel";
import type { Hop, Porter } from "../../transport/contract.ts";
import type { ConveyorCounts } from "./stats.ts";

/** What events have in common. Times are ms since 1970, the same clock at all PEs within some µs. */
interface Observed {
  /** The conveyor's items. */
  readonly conveyor: string;
  /** This PE's rank in it. */
  readonly rank: number;
}

/** A buffer has left. */
export interface BufferSent extends Observed {
  /** 0 for the first. */
  readonly hop: number;
  readonly to: number;
  readonly items: number;
  readonly bytes: number;
  /** How full the buffer was, 0 to 1. */
  readonly fill: number;
  /** When it was opened, and when it was sent. */
  readonly opened: number;
  readonly sent: number;
}

/** A buffer has come, and was taken. */
export interface BufferReceived extends Observed {
  readonly hop: number;
  readonly from: number;
  readonly bytes: number;
  readonly received: number;
  /** Since it was sent, ms; -1 when its sender does not observe. */
  readonly latency: number;
}

/** A session has ended. */
export interface SessionEnded extends Observed {
  readonly began: number;
  readonly ended: number;
  readonly counts: ConveyorCounts;
}

/** How full buffers were, and how long they took. */
export interface Histograms {
  /** Of buffers sent: element i counts those filled from i to i + 1 tenths; the last those that were full too. */
  readonly fill: readonly number[];
  /** Of buffers taken: element i counts those that took from 2^i to 2^(i+1) µs, the first also shorter ones. */
  readonly latency: readonly number[];
}

const sent: Channel = channel("tundish:conveyor:sent");
const received: Channel = channel("tundish:conveyor:received");
const session: Channel = channel("tundish:conveyor:session");

/** Whether somebody wants events of buffers now. */
export const isWanted = (): boolean => sent.hasSubscribers || received.hasSubscribers;

/** Tells of the end of a session. */
export function publishSession(event: () => SessionEnded): void {
  if (session.hasSubscribers) session.publish(event());
}

const TENTHS = 10;
const OCTAVES = 25;

/** What is seen of one conveyor at one PE. */
export class Observer {
  readonly #name: string;
  readonly #rank: number;
  readonly #now: () => number;
  readonly #fill = new Float64Array(TENTHS);
  readonly #latency = new Float64Array(OCTAVES);

  constructor(name: string, rank: number, now: () => number) {
    this.#name = name;
    this.#rank = rank;
    this.#now = now;
  }

  /** Since the session began, or the last one. */
  get histograms(): Histograms {
    return { fill: Array.from(this.#fill), latency: Array.from(this.#latency) };
  }

  /** Before a session. */
  begin(): void {
    this.#fill.fill(0);
    this.#latency.fill(0);
  }

  now(): number {
    return this.#now();
  }

  sent(event: Omit<BufferSent, keyof Observed>): void {
    this.#fill[Math.min(TENTHS - 1, Math.floor(event.fill * TENTHS))]++;
    if (sent.hasSubscribers) sent.publish({ conveyor: this.#name, rank: this.#rank, ...event });
  }

  received(event: Omit<BufferReceived, keyof Observed>): void {
    const { latency } = event;
    if (latency >= 0) {
      const octave = latency > 0 ? Math.floor(Math.log2(latency * 1000)) : 0;
      this.#latency[Math.max(0, Math.min(OCTAVES - 1, octave))]++;
    }
    if (received.hasSubscribers) received.publish({ conveyor: this.#name, rank: this.#rank, ...event });
  }
}

/** Microseconds of a time, modulo 2^32; not 0, which says that nobody has looked. */
const stampOf = (ms: number): number => Math.floor(ms * 1000) >>> 0 || 1;

/** A porter that tells its observer. */
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
    if (start >= 0) this.#opened[link] = this.#observer.now();
    return start;
  }

  send(link: number, start: number, bytes: number, count: number, items: number): void {
    const now = this.#observer.now();
    this.#porter.send(link, start, bytes, count, items, stampOf(now));
    const fill = Math.min(1, bytes / this.#capacity);
    const [to, opened] = [this.#friends[link], this.#opened[link]];
    this.#observer.sent({ hop: this.#hop, to, items, bytes, fill, opened, sent: now });
  }

  borrow(): boolean {
    const porter = this.#porter;
    if (!porter.borrow()) return false;
    const now = this.#observer.now();
    const { stamp, source, bytes } = porter;
    // clocks of threads differ by some µs
    const micros = (stampOf(now) - stamp) | 0;
    const latency = stamp === 0 ? -1 : Math.max(0, micros) / 1000;
    this.#observer.received({ hop: this.#hop, from: this.#friends[source], bytes, received: now, latency });
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
}
