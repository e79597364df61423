/**
 * The engine of an exchange at one PE: sends what its discipline allows, hands out what came, and answers control
 * messages. It is polled and never waits, so blocking, asynchronous and simulated programs drive the same code.
 */
import { randomNumbers } from "../../ground/base/random.ts";
import type { Site } from "../../links/transport/contract.ts";
import { ControlMessages } from "../../route/disciplines/control.ts";
import type { Discipline, Lanes } from "../../route/disciplines/discipline.ts";
import type { ExchangeSites } from "../../route/disciplines/exchange-sites.ts";
import { makeDiscipline } from "../../route/disciplines/make-discipline.ts";
import type { ExchangeChoice } from "../../route/disciplines/options.ts";
import { HEAD_BYTES } from "../../route/disciplines/packet.ts";
import { Incoming, type OnChunk } from "./incoming.ts";
import { areChunksWanted, ChunkObserver } from "./observe.ts";
import { Outgoing } from "./outgoing.ts";

/** Packets that a PE sends, and receives, between two looks at what else there is. */
const BURST = 16;

export class ExchangeEngine implements Lanes {
  readonly size: number;
  readonly self: number;
  isClosed = false;
  readonly vote: Lanes["vote"];
  readonly discipline: Discipline;
  readonly random: () => number;
  readonly #data: Site["porters"][0];
  readonly #control: ControlMessages;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming;
  readonly #site: Site;
  /** ms per byte; 0 without a pace. */
  readonly #pause: number;
  /** Before this time nothing is sent, ms. */
  #paused = 0;
  /** The end of the last pause for which there was an alarm. */
  #alarm = 0;
  readonly #hear: (lane: number, kind: number, a: number, b: number) => void;
  readonly #title: string;
  /** Of this phase; null if nobody wants to know. */
  #observer: ChunkObserver | null = null;
  /** Sent in all phases. */
  packets = 0;
  bytes = 0;

  /** @param title what it is, for who observes it */
  constructor({ data, control }: ExchangeSites, choice: ExchangeChoice, title: string) {
    const [porter] = data.porters;
    this.#title = title;
    this.#site = data;
    this.#data = porter;
    this.size = data.size;
    this.self = data.rank;
    this.vote = data.vote;
    const { chunkBytes: chunk, packetBytes, pace } = choice;
    this.#outgoing = new Outgoing(porter, data.views, { chunk, buffer: packetBytes + HEAD_BYTES });
    this.#incoming = new Incoming(porter, data.views, data.rank);
    this.#control = new ControlMessages(control.porters[0], control.views);
    this.#pause = 1000 / pace;
    this.random = randomNumbers((data.rank + 1) * 0x9e3779b1);
    // a PE that is alone has no lanes, so nothing to decide
    this.discipline = makeDiscipline(data.size === 1 ? "eager" : choice.discipline, this, choice);
    this.#hear = (lane, kind, a, b) => this.discipline.hear(lane, kind, a, b);
  }

  waiting(lane: number): number {
    return this.#outgoing.waiting(lane);
  }

  get backlog(): number {
    return this.#outgoing.backlog;
  }

  get oldest(): number {
    return this.#outgoing.oldest;
  }

  hasRoom(lane: number): boolean {
    if (this.#pause > 0 && this.#site.now() < this.#paused) {
      if (this.#alarm !== this.#paused) this.#site.alarm(this.#paused);
      this.#alarm = this.#paused;
      return false;
    }
    return this.#outgoing.hasRoom(lane);
  }

  /** Pieces handed out in this phase. */
  get received(): number {
    return this.#incoming.count;
  }

  hasLeft(lane: number): boolean {
    const hasLeft = !this.#data.isSending(lane);
    if (hasLeft) this.#observer?.look();
    return hasLeft;
  }

  get isRead(): boolean {
    return this.#incoming.isClear && this.#data.settled();
  }

  tell(lane: number, kind: number, a = 0, b = 0): void {
    this.#control.tell(lane, kind, a, b);
  }

  get isHeard(): boolean {
    return this.#control.isHeard;
  }

  /** Before a phase. */
  begin(): void {
    this.isClosed = false;
    this.#incoming.count = 0;
    if (this.#pause > 0) this.#paused = Math.max(this.#paused, this.#site.now());
    this.#observer = areChunksWanted() ? this.#observe() : null;
    this.discipline.begin();
  }

  #observe(): ChunkObserver {
    return new ChunkObserver({
      exchange: this.#title,
      rank: this.self,
      now: () => this.#site.now(),
      hasLeft: (lane) => !this.#data.isSending(lane),
    });
  }

  add(dest: number, tag: number, bytes: Uint8Array): void {
    if (dest === this.self) this.#incoming.add(tag, bytes);
    else this.#outgoing.add(dest, tag, bytes);
  }

  #answer(): boolean {
    return this.#control.serve(this.#hear);
  }

  /** Answers control messages, and sends what can be sent. @returns whether there was anything */
  serve(): boolean {
    const moved = this.#answer();
    return this.#send() || moved;
  }

  /** Sends and receives what can be now. @returns whether there was anything. @throws what `onChunk` throws */
  progress(onChunk: OnChunk): boolean {
    const answered = this.#answer();
    const received = this.#incoming.receive(onChunk, BURST);
    return this.#send() || answered || received;
  }

  /** Sends what the discipline allows. @returns whether there was anything */
  #send(): boolean {
    let moved = false;
    this.#observer?.look();
    for (let left = BURST; left > 0; left--) {
      const lane = this.discipline.next();
      if (this.discipline.moved) moved = true;
      if (lane < 0) break;
      this.#sendOver(lane);
      moved = true;
    }
    return moved;
  }

  #sendOver(lane: number): void {
    this.#observer?.sending(lane);
    const sent = this.#outgoing.send(lane);
    const isLast = sent < 0;
    const bytes = isLast ? -1 - sent : sent;
    this.#observer?.sent(lane, bytes, isLast);
    this.packets++;
    this.bytes += bytes;
    if (this.#pause > 0) {
      // one that was late is made up for, so that PEs that began in step stay so
      this.#paused = Math.max(this.#paused + (bytes + HEAD_BYTES) * this.#pause, this.#site.now());
    }
    this.discipline.sent(isLast);
  }
}
