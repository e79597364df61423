/** The porter of a hop with friends on this node and on others: it has one for each, and asks them in turn. */
import type { Arrivals, Porter } from "../contract.ts";

type Part = Porter & Arrivals;

/** Links are numbered by the friends of the hop in both parts. */
export class JointPorter implements Porter, Arrivals {
  readonly links: number;
  source = 0;
  start = 0;
  bytes = 0;
  count = 0;
  stamp = 0;
  readonly #near: Part;
  readonly #far: Part;
  /** By link. */
  readonly #isFar: Uint8Array;
  /** Whose buffer was borrowed last, and who is asked first for the next. */
  #last: Part;
  #first: Part;

  /** @param isFar by link: 1 where the friend is on another node */
  constructor(near: Part, far: Part, isFar: Uint8Array) {
    this.links = near.links;
    this.#near = near;
    this.#far = far;
    this.#isFar = isFar;
    this.#last = near;
    this.#first = far;
  }

  open(link: number): number {
    return this.#isFar[link] !== 0 ? this.#far.open(link) : this.#near.open(link);
  }

  send(link: number, start: number, bytes: number, count: number, items: number, stamp?: number): void {
    const part = this.#isFar[link] !== 0 ? this.#far : this.#near;
    part.send(link, start, bytes, count, items, stamp);
  }

  borrow(): boolean {
    const first = this.#first;
    const second = first === this.#near ? this.#far : this.#near;
    if (first.borrow()) {
      this.#take(first);
      this.#first = second;
      return true;
    }
    if (!second.borrow()) return false;
    this.#take(second);
    return true;
  }

  #take(part: Part): void {
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
    return this.#near.settled() && this.#far.settled();
  }

  get arrived(): number {
    return this.#near.arrived + this.#far.arrived;
  }
}
