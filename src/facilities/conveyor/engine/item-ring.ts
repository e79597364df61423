/**
 * The ring of a biconveyor whose replies have one type: it and the replies in its slots lie in the heap, where kernels
 * see them (kernels/assembly/ring.ts).
 *
 *     ┌──────────────────────┬────────────────┬─────────────────────┐
 *     │ first, last, missing │ next, present  │ replies             │
 *     └──────────────────────┴────────────────┴─────────────────────┘
 *       by PE                  by slot
 *
 * A query that is pushed alone leaves its destination in `next` of its slot; before replies are put into place, all
 * such queries get into the lists. Replies are pulled as far as `end`, so that a pull looks at nothing else.
 *
 * No more of it is touched than slots are used, as simulated worlds have thousands of rings.
 */
import { roundUp } from "../../../ground/item/item-type.ts";
import type { Site } from "../../../links/transport/contract.ts";
import { ownTableBytes } from "../../../route/geometry/conveyor-choice.ts";
import type { ConveyorRoute } from "../../../route/geometry/route.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";
import type { Inbox } from "./inbox.ts";
import { Ring } from "./ring.ts";

const WORD = 4;
/** Replies begin at a multiple of this. */
const ALIGN = 16;

/** Bytes of a slot beside its reply. */
export const SLOT_BYTES: number = WORD + 1;

/** Bytes before the replies. */
const headBytes = (pes: number, places: number): number => roundUp(3 * WORD * pes + SLOT_BYTES * places, ALIGN);

/** Where the ring is in the memory beside the links: after the link table. */
export const ringAt = (route: ConveyorRoute): number => roundUp(ownTableBytes(route), ALIGN);

/** Bytes of the ring of a PE. @param stride bytes of a reply */
export const ringBytes = (window: number, pes: number, stride: number): number =>
  headBytes(pes, window + 1) + (window + 1) * stride;

/** The belt of replies. */
interface Replies {
  /** Gets the next buffer if there is nothing left to pull; whether there is something then. */
  refill(): boolean;
  readonly cursor: Inbox;
}

export class ItemRing extends Ring {
  /** Byte offset of slot 0, and bytes from one to the next. */
  readonly slots: number;
  readonly stride: number;
  /** The word of the heap with `next` of slot 0. */
  readonly nextAt: number;
  readonly #kernels: ConveyorKernels;
  readonly #address: number;
  readonly #pes: number;
  readonly #route: ConveyorRoute;
  readonly #ranks: number;
  /**
   * The slot after the last reply that can be pulled; `head` if there is none. How often it has wrapped around in this
   * session.
   */
  end = 0;
  #laps = 0;
  /** The slot of the first query that is in no list. */
  #listed = 0;

  /** @param address byte offset of {@link ringBytes} @param route of the replies */
  constructor(window: number, { memory, views, places }: Site, address: number, stride: number, route: ConveyorRoute) {
    const { size } = route;
    const count = window + 1;
    const words = (first: number, length: number): Uint32Array =>
      views.u32.subarray(address / WORD + first, address / WORD + first + length);
    const present = address + WORD * (3 * size + count);
    const missing = words(2 * size, size);
    // what is zero already is not touched
    for (let pe = 0; pe < size; pe++) if (missing[pe] !== 0) missing[pe] = 0;
    super(window, {
      first: words(0, size),
      last: words(size, size),
      missing,
      next: words(3 * size, count),
      present: views.u8.subarray(present, present + count),
    });
    this.slots = address + headBytes(size, count);
    this.stride = stride;
    this.nextAt = address / WORD + 3 * size;
    this.#kernels = conveyorKernels(memory);
    this.#address = address;
    this.#pes = size;
    this.#route = route;
    this.#ranks = places.routes + route.ranksAt * WORD;
  }

  override begin(): void {
    super.begin();
    this.end = 0;
    this.#laps = 0;
    this.#listed = 0;
  }

  /** By the end, which `head` follows: a pull does not count. */
  override get pulled(): number {
    const laps = this.head <= this.end ? this.#laps : this.#laps - 1;
    return laps * this.places + this.head;
  }

  /**
   * Assigns slots, which must be free, to the queries `first` to `end` - 1.
   * @param dests byte offset of the destination of query 0
   */
  enlist(dests: number, first: number, end: number): void {
    this.#enlistSlots();
    this.tail = this.#enlist(dests, first, end, this.tail);
    this.#listed = this.tail;
  }

  /** Those that are in no list yet: the destinations are where the kernel puts the list. */
  #enlistSlots(): void {
    const { tail, places } = this;
    const from = this.#listed;
    if (from === tail) return;
    const dests = this.next.byteOffset;
    if (from < tail) this.#enlist(dests, from, tail, from);
    else {
      this.#enlist(dests, from, places, from);
      this.#enlist(dests, 0, tail, 0);
    }
    this.#listed = tail;
  }

  #enlist(dests: number, first: number, end: number, tail: number): number {
    return this.#kernels.enlist(...([dests, first, end, tail, this.#address, this.#pes, this.places] as const));
  }

  /** Takes all replies that have come into their slots; whether there were any. */
  collect(replies: Replies): boolean {
    this.#enlistSlots();
    let any = false;
    for (; replies.refill(); any = true) this.#settle(replies.cursor);
    if (any) this.#findEnd();
    return any;
  }

  /** Moves the end to the first slot whose reply is missing. */
  #findEnd(): void {
    const { tail, places } = this;
    if (this.end > tail) this.#passReady(places);
    if (this.end === places) {
      this.end = 0;
      this.#laps++;
    }
    if (this.end < tail) this.#passReady(tail);
  }

  #passReady(stop: number): void {
    const { end } = this;
    this.end += this.#kernels.ready(end, stop - end, this.#address, this.#pes, this.places);
  }

  /** Copies the replies of a buffer to their slots. */
  #settle(replies: Inbox): void {
    const { next: at, source, tagAt } = replies;
    const count = replies.take();
    const { hops, each, plane, row, low } = this.#route;
    const { tagBytes } = each[hops - 1];
    const tables = [this.slots, this.#address, this.#pes, this.places] as const;
    if (tagBytes === 0) this.#kernels.settle(at, count, this.stride, source, ...tables);
    else {
      this.#kernels.settleTagged(
        ...([at, tagAt, count, this.stride, tagBytes, this.#ranks, source * row, plane, low] as const),
        ...tables,
      );
    }
  }

  /** Takes up to `most` received replies in adjacent slots from `head` on; returns their number. */
  takeAll(most: number): number {
    const { head, end, places } = this;
    const count = Math.min(most, (head <= end ? end : places) - head);
    this.leave(count);
    return count;
  }
}
