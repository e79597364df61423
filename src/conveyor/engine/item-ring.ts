/**
 * The ring of a biconveyor whose replies have one type: it and the replies in its slots lie in the heap, where kernels see
 * them (kernels/assembly/ring.ts).
 *
 *     ┌──────────────────────┬────────────────┬─────────────────────┐
 *     │ first, last, missing │ next, present  │ replies             │
 *     └──────────────────────┴────────────────┴─────────────────────┘
 *       by PE                  by slot
 *
 * No more of it is touched than slots are used, as simulated worlds have thousands of rings.
 */
import { roundUp } from "../../item/types.ts";
import type { Site } from "../../transport/contract.ts";
import { linksOf } from "../geometry/choice.ts";
import type { Route } from "../geometry/route.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";
import type { Inbox } from "./inbox.ts";
import { tableBytes } from "./link-table.ts";
import { Ring } from "./ring.ts";

const WORD = 4;
/** Replies begin at a multiple of this. */
const ALIGN = 16;

/** Bytes of a slot beside its reply. */
export const SLOT_BYTES: number = WORD + 1;

/** Bytes before the replies. */
const headBytes = (pes: number, places: number): number =>
  roundUp(3 * WORD * pes + SLOT_BYTES * places, ALIGN);

/** Where the ring is in the memory beside the links: after the link table. */
export const ringAt = (route: Route): number => roundUp(tableBytes(linksOf(route)), ALIGN);

/** Bytes of the ring of a PE. @param stride bytes of a reply */
export const ringBytes = (window: number, pes: number, stride: number): number =>
  headBytes(pes, window + 1) + (window + 1) * stride;

export class ItemRing extends Ring {
  /** Byte offset of slot 0, and bytes from one to the next. */
  readonly slots: number;
  readonly stride: number;
  readonly #kernels: ConveyorKernels;
  readonly #address: number;
  readonly #pes: number;
  readonly #route: Route;
  readonly #ranks: number;

  /** @param address byte offset of {@link ringBytes} @param route of the replies */
  constructor(
    window: number,
    { memory, views, places }: Site,
    address: number,
    stride: number,
    route: Route,
  ) {
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
    this.#kernels = conveyorKernels(memory);
    this.#address = address;
    this.#pes = size;
    this.#route = route;
    this.#ranks = places.routes + route.ranksAt * WORD;
  }

  /** Assigns slots, which must be free, to the queries `first` to `end` - 1. @param dests byte offset of the destination of query 0 */
  enlist(dests: number, first: number, end: number): void {
    this.tail = this.#kernels.enlist(
      ...([dests, first, end, this.tail, this.#address, this.#pes, this.places] as const),
    );
    this.free -= end - first;
  }

  /** Copies the replies of a buffer to their slots. */
  settle(replies: Inbox): void {
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
    const { head, tail, places } = this;
    const waiting = (head <= tail ? tail : places) - head;
    const count = this.#kernels.ready(head, Math.min(waiting, most), this.#address, this.#pes, places);
    this.leave(count);
    return count;
  }
}
