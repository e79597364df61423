/**
 * Pushes columns: many items at once, whose fields are in arrays, one for each field.
 *
 *     columns ──weave──▶ rows, an item in each ──scatter──▶ open buffers of the links
 *
 * Both are kernels, which see the heap alone. Arrays elsewhere are copied into the staging first, some hundred items at a
 * time, so that they are still in the caches when they are read again. Arrays in the heap (pe.alloc) are read where they
 * are; items with one field need no weaving.
 *
 *     staging   ┌──────────┬──────────────────────────┬────────────┬────────────┐
 *               │ dests    │ rows                     │ one column │ a second   │
 *               └──────────┴──────────────────────────┴────────────┴────────────┘
 */
import { type Column, columnKind, type Lane, pairsOf } from "../../item/columns.ts";
import { roundUp } from "../../item/types.ts";
import type { Views } from "../../item/views.ts";
import type { Frame } from "../engine/assembly.ts";
import type { Outbox } from "../engine/outbox.ts";
import { STAGING_BUFFERS, storedBytes } from "../geometry/choice.ts";
import type { RouteHop } from "../geometry/route.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";

const DEST_BYTES = 4;
/** Rows and the column begin at a multiple of this, and there is as much room after each part. */
const ALIGN = 16;
/** V8 copies to shared memory by words of so many bytes, if the source and the target lie alike in them; else byte by byte, six times as long. */
const COPY_WORD = 8;

/** Items `first` to `end` - 1 were pushed. @param dests byte offset of the destination of item 0 */
export type Pushed = (dests: number, first: number, end: number) => void;

export class ColumnPusher {
  /** The fields of an item. */
  readonly lanes: readonly Lane[];
  readonly #stride: number;
  /** Whether a column is the rows already. */
  readonly #isPlain: boolean;
  readonly #outbox: Outbox;
  readonly #kernels: ConveyorKernels;
  readonly #views: Views;
  readonly #hop: RouteHop;
  readonly #size: number;
  readonly #link: Uint32Array;
  readonly #routes: number;
  /** Byte offsets in the staging, and the number of items that there is room for. */
  readonly #dests: number;
  readonly #rows: number;
  readonly #places: readonly [number, number];
  readonly #chunk: number;
  /** Numbers of lanes that are woven together. */
  readonly #pairs: ReturnType<typeof pairsOf>;

  readonly #pushed: Pushed;

  /** @param lanes the fields of items of `stride` bytes @param pushed is told of all that were pushed */
  constructor(
    { site, choice }: Frame,
    outbox: Outbox,
    lanes: readonly Lane[],
    stride: number,
    pushed: Pushed = () => {},
  ) {
    const { route, bufferBytes } = choice;
    const { staging, routes } = site.places;
    this.lanes = lanes;
    this.#pushed = pushed;
    this.#stride = stride;
    this.#isPlain = lanes.length === 1 && bytesOf(lanes[0]) === stride;
    this.#outbox = outbox;
    this.#kernels = conveyorKernels(site.memory);
    this.#views = site.views;
    this.#hop = route.each[0];
    this.#size = route.size;
    this.#link = route.link;
    this.#routes = routes;
    const widest = this.#isPlain ? 0 : Math.max(...lanes.map(bytesOf));
    const room = STAGING_BUFFERS * storedBytes(bufferBytes) - 8 * ALIGN;
    this.#pairs = pairsOf(lanes);
    this.#chunk = Math.floor(room / (DEST_BYTES + stride + 2 * widest));
    const after = (place: number, bytes: number): number => roundUp(place + this.#chunk * bytes, ALIGN) + ALIGN;
    this.#dests = staging;
    this.#rows = after(staging, DEST_BYTES);
    const column = after(this.#rows, stride);
    // rows that are staged need no weaving, so that their place is free when there is no column
    this.#places = this.#isPlain ? [this.#rows, this.#rows] : [column, after(column, widest)];
  }

  /**
   * Pushes items `first` to `end` - 1, in order, until a link has no room, or a destination is not a rank.
   * @returns the number of the first item that was not pushed
   */
  push(dests: Uint32Array, columns: readonly Column[], first: number, end: number): number {
    const [column] = columns;
    const areRows = this.#isPlain && this.#isHere(column);
    if (areRows && this.#isHere(dests)) {
      return this.#scatter(dests, dests.byteOffset, column.byteOffset, first, end);
    }
    for (let i = first; i < end; ) {
      // what is staged and finds no room is staged again
      if (!this.#hasRoom(dests[i])) return i;
      const stop = Math.min(end, i + this.#chunk);
      const destsAt = this.#isHere(dests) ? dests.byteOffset : this.#stageDests(dests, i, stop);
      const rowsAt = areRows ? column.byteOffset : this.#stageRows(columns, i, stop);
      const next = this.#scatter(dests, destsAt, rowsAt, i, stop);
      if (next < stop) return next;
      i = stop;
    }
    return end;
  }

  #isHere(array: Column): boolean {
    return array.buffer === this.#views.u8.buffer;
  }

  /** Copies some destinations; gives where the one of item 0 would be. */
  #stageDests(dests: Uint32Array, first: number, stop: number): number {
    const part = dests.subarray(first, stop);
    const at = alike(this.#dests, part.byteOffset);
    this.#views.u32.set(part, at / DEST_BYTES);
    return at - first * DEST_BYTES;
  }

  /**
   * Pushes items to one PE, without tags: into the open buffers of its link, row by row.
   * @returns the number of the first item that was not pushed, as the link has no room
   */
  pushTo(dest: number, columns: readonly Column[], first: number, end: number): number {
    const outbox = this.#outbox;
    const { at, end: limit } = outbox;
    const link = this.#link[dest];
    for (let i = first; i < end; ) {
      if (at[link] === limit[link] && !outbox.open(link)) return i;
      const room = (limit[link] - at[link]) / this.#stride;
      const stop = Math.min(end, i + room, i + this.#chunk);
      this.#weaveRows(columns, i, stop, at[link]);
      at[link] += (stop - i) * this.#stride;
      if (at[link] === limit[link]) outbox.filled(link);
      i = stop;
    }
    return end;
  }

  /** Puts some items into rows of the staging; gives where the row of item 0 would be. */
  #stageRows(columns: readonly Column[], first: number, stop: number): number {
    const [lane] = this.lanes;
    let rows = this.#rows;
    if (this.#isPlain) rows = stage(this.#views, lane, columns[0], rows, first, stop);
    else this.#weaveRows(columns, first, stop, rows);
    return rows - first * this.#stride;
  }

  /** Puts some items into rows. @param rows byte offset of the first one */
  #weaveRows(columns: readonly Column[], first: number, stop: number, rows: number): void {
    const { lanes } = this;
    const [one, two] = this.#places;
    const count = stop - first;
    for (const [k, next] of this.#pairs) {
      const { offset, type } = lanes[k];
      const from = this.#source(columns, k, one, first, stop);
      if (next === undefined) this.#kernels.weave(rows + offset, from, type.bytes, this.#stride, count);
      else {
        const beside = this.#source(columns, next, two, first, stop);
        this.#kernels.weavePair(rows + offset, from, beside, type.bytes, this.#stride, count);
      }
    }
  }

  /** Where items `first` to `stop` - 1 of a column are in the heap: where they are, or staged at a place. */
  #source(columns: readonly Column[], k: number, place: number, first: number, stop: number): number {
    const lane = this.lanes[k];
    const column = columns[k];
    return this.#isHere(column)
      ? column.byteOffset + first * bytesOf(lane)
      : stage(this.#views, lane, column, place, first, stop);
  }

  #scatter(dests: Uint32Array, destsAt: number, rowsAt: number, first: number, end: number): number {
    const next = this.#fill(dests, destsAt, rowsAt, first, end);
    this.#pushed(destsAt, first, next);
    return next;
  }

  /** Scatters rows; the buffers that they fill are sent, and others opened. */
  #fill(dests: Uint32Array, destsAt: number, rowsAt: number, first: number, end: number): number {
    const outbox = this.#outbox;
    const { at, end: limit } = outbox;
    const link = this.#link;
    for (let i = first; ; ) {
      const next = this.#copy(destsAt, rowsAt, i, end);
      if (next > i) {
        const last = link[dests[next - 1]];
        if (at[last] === limit[last]) outbox.filled(last);
      }
      i = next;
      if (i === end || !this.#hasRoom(dests[i])) return i;
    }
  }

  /** Whether an item for a PE can be pushed now; false also where there is no such PE. */
  #hasRoom(dest: number): boolean {
    if (dest >= this.#size) return false;
    const outbox = this.#outbox;
    const link = this.#link[dest];
    return outbox.at[link] !== outbox.end[link] || outbox.open(link);
  }

  #copy(dests: number, rows: number, first: number, end: number): number {
    const { address, links } = this.#outbox;
    const { tagBytes } = this.#hop;
    const stride = this.#stride;
    const size = this.#size;
    return tagBytes === 0
      ? this.#kernels.scatter(dests, rows, first, end, stride, size, address, links)
      : this.#kernels.scatterTagged(
          ...([dests, rows, first, end, stride, size, address, links, this.#routes, tagBytes] as const),
        );
  }
}

/** Copies a part of a column to a place; gives the byte offset where it begins. */
function stage(views: Views, lane: Lane, column: Column, place: number, first: number, stop: number): number {
  const { name, each } = columnKind(lane);
  const view = views[name] as Uint8Array;
  const part = (column as Uint8Array).subarray(first * each, stop * each);
  const to = alike(place, part.byteOffset);
  view.set(part, to / view.BYTES_PER_ELEMENT);
  return to;
}

/** The first byte offset from `place` on that lies in its word as another one does. */
const alike = (place: number, other: number): number => place + (other % COPY_WORD);

const bytesOf = ({ type }: Lane): number => type.bytes;
