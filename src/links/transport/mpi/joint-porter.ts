/** The porter of a hop with friends on this node and on others: a porter for each kind, polled in turn. */
import type { Arrivals, Porter } from "../contract.ts";

type PorterSide = Porter & Arrivals;

/** Links are numbered by the friends of the hop in both porters. */
export class JointPorter implements Porter, Arrivals {
  readonly links: number;
  source = 0;
  start = 0;
  bytes = 0;
  count = 0;
  stamp = 0;
  readonly #near: PorterSide;
  readonly #remote: PorterSide;
  /** By link. */
  readonly #isRemote: Uint8Array;
  /** The porter of the last borrowed buffer, and the one to poll first for the next. */
  #last: PorterSide;
  #first: PorterSide;

  /** @param isRemote by link: 1 if the friend is on another node */
  constructor(near: PorterSide, remote: PorterSide, isRemote: Uint8Array) {
    this.links = near.links;
    this.#near = near;
    this.#remote = remote;
    this.#isRemote = isRemote;
    this.#last = near;
    this.#first = remote;
  }

  open(link: number): number {
    return this.#isRemote[link] !== 0 ? this.#remote.open(link) : this.#near.open(link);
  }

  hasAnother(link: number): boolean {
    return this.#isRemote[link] !== 0 ? this.#remote.hasAnother(link) : this.#near.hasAnother(link);
  }

  send(link: number, start: number, bytes: number, count: number, items: number, stamp?: number): void {
    const part = this.#isRemote[link] !== 0 ? this.#remote : this.#near;
    part.send(link, start, bytes, count, items, stamp);
  }

  borrow(): boolean {
    const first = this.#first;
    const second = first === this.#near ? this.#remote : this.#near;
    if (first.borrow()) {
      this.#take(first);
      this.#first = second;
      return true;
    }
    if (!second.borrow()) return false;
    this.#take(second);
    return true;
  }

  #take(part: PorterSide): void {
    this.#last = part;
    this.source = part.source;
    this.start = part.start;
    this.bytes = part.bytes;
    this.count = part.count;
    this.stamp = part.stamp;
  }

  finish(): void {
    this.#last.finish();
  }

  release(): void {
    this.#last.release();
  }

  settled(): boolean {
    return this.#near.settled() && this.#remote.settled();
  }

  handedOver(): boolean {
    return this.#near.handedOver() && this.#remote.handedOver();
  }

  reads(link: number): boolean {
    return this.#isRemote[link] === 0 && this.#near.reads(link);
  }

  isSending(link: number): boolean {
    return this.#isRemote[link] !== 0 && this.#remote.isSending(link);
  }

  get arrived(): number {
    return this.#near.arrived + this.#remote.arrived;
  }
}
