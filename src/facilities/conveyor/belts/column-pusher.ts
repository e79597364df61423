/**
 * Pushes columns: many items at once, whose fields are in arrays, one for each field.
 *
 *     columns ──weave──▶ rows, an item in each ──scatter──▶ open buffers of the links
 *
 * Both are kernels, which see the heap alone. Arrays elsewhere are copied into the staging first, some hundred items at
 * a time, so that they are still in the caches when they are read again. Arrays in the heap (pe.alloc) are read where
 * they are; items with one field need no weaving.
 *
 *     staging   ┌──────────┬──────────────────────────┬────────────┬────────────┐
 *               │ dests    │ rows                     │ one column │ a second   │
 *               └──────────┴──────────────────────────┴────────────┴────────────┘
 */
import { type ColumnArray, type ItemLane, pairsOf } from "../../../ground/item/columns.ts";
import { roundUp } from "../../../ground/item/item-type.ts";
import type { Ways } from "../../../route/geometry/mesh-ways.ts";
import type { RouteHop } from "../../../route/geometry/route.ts";
import type { Frame } from "../engine/assembly.ts";
import type { PushEntry } from "../engine/outbox.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";
import { ColumnSource } from "./column-source.ts";
import type { CompiledSession } from "./compiled-session.ts";

const DEST_BYTES = 4;
/** Rows and the column begin at a multiple of this, and there is as much room after each part. */
const ALIGN = 16;

/** Items `first` to `end` - 1 were pushed. @param dests byte offset of the destination of item 0 */
export type Pushed = (dests: number, first: number, end: number) => void;

/** One function for all pushers: V8 compiles a loop anew when it calls another one. */
const NOTHING: Pushed = () => {};

export class ColumnPusher {
  /** The fields of an item. */
  readonly lanes: readonly ItemLane[];
  readonly #stride: number;
  /** Whether a column is the rows already. */
  readonly #isPlain: boolean;
  readonly #outbox: PushEntry;
  readonly #kernels: ConveyorKernels;
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

  /** Where item 0 of the chunk would be that was staged last, and its destination: byte offsets. */
  rowsAt = 0;
  destsAt = 0;
  readonly #pushed: Pushed;
  readonly #destsSource: ColumnSource;
  readonly #sources: readonly ColumnSource[];

  readonly #compiled: CompiledSession | null;

  /**
   * @param lanes the fields of items of `stride` bytes @param pushed is told of all that were pushed
   * @param compiled pushes them, if there is one
   */
  constructor(
    { site, choice }: Frame,
    outbox: PushEntry,
    ways: Ways,
    lanes: readonly ItemLane[],
    stride: number,
    pushed: Pushed = NOTHING,
    compiled: CompiledSession | null = null,
  ) {
    const { route } = choice;
    const { staging, stagingBytes } = site.places;
    this.lanes = lanes;
    this.#pushed = pushed;
    this.#compiled = compiled;
    this.#stride = stride;
    this.#isPlain = lanes.length === 1 && bytesOf(lanes[0]) === stride;
    this.#outbox = outbox;
    this.#kernels = conveyorKernels(site.memory);
    this.#destsSource = new ColumnSource(site.views);
    this.#sources = lanes.map(() => new ColumnSource(site.views));
    this.#hop = route.each[0];
    this.#size = route.size;
    this.#link = ways.link;
    this.#routes = ways.at;
    const widest = this.#isPlain ? 0 : Math.max(...lanes.map(bytesOf));
    const room = stagingBytes - 8 * ALIGN;
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
  push(dests: Uint32Array, columns: readonly ColumnArray[], first: number, end: number): number {
    this.take(dests, columns);
    for (let i = first; i < end; ) {
      // what is staged and finds no room is staged again
      if (!this.#hasRoom(dests[i])) return i;
      const stop = this.stage(i, end);
      const next = this.#scatter(dests, this.destsAt, this.rowsAt, i, stop);
      if (next < stop) return next;
      i = stop;
    }
    return end;
  }

  /** Looks where arrays are, before {@link stage}. */
  take(dests: Uint32Array, columns: readonly ColumnArray[]): void {
    this.#take(columns);
    this.#destsSource.take(dests);
  }

  /** Puts items from `first` on where kernels read them, some of those up to `end`; gives the end of these. */
  stage(first: number, end: number): number {
    const from = this.#destsSource;
    // of items with one field, where it is in the heap: the rows
    const rows = this.#isPlain ? this.#sources[0].at : -1;
    const stop = from.at < 0 || rows < 0 ? Math.min(end, first + this.#chunk) : end;
    this.destsAt =
      from.at < 0 ? from.stage(this.#dests, first * DEST_BYTES, stop * DEST_BYTES) - first * DEST_BYTES : from.at;
    this.rowsAt = rows < 0 ? this.#stageRows(first, stop) : rows;
    return stop;
  }

  #take(columns: readonly ColumnArray[]): void {
    for (let k = 0; k < columns.length; k++) this.#sources[k].take(columns[k]);
  }

  /**
   * Pushes items to one PE, without tags: into the open buffers of its link, row by row.
   * @returns the number of the first item that was not pushed, as the link has no room
   */
  pushTo(dest: number, columns: readonly ColumnArray[], first: number, end: number): number {
    this.#take(columns);
    const outbox = this.#outbox;
    const { at, end: limit } = outbox;
    const link = this.#link[dest];
    for (let i = first; i < end; ) {
      if (at[link] === limit[link] && !outbox.open(link)) return i;
      const room = (limit[link] - at[link]) / this.#stride;
      const stop = Math.min(end, i + room, i + this.#chunk);
      this.#weaveRows(i, stop, at[link]);
      at[link] += (stop - i) * this.#stride;
      if (at[link] === limit[link]) outbox.filled(link);
      i = stop;
    }
    return end;
  }

  /** Puts some items into rows of the staging; gives where the row of item 0 would be. */
  #stageRows(first: number, stop: number): number {
    const stride = this.#stride;
    if (this.#isPlain) return this.#sources[0].stage(this.#rows, first * stride, stop * stride) - first * stride;
    this.#weaveRows(first, stop, this.#rows);
    return this.#rows - first * stride;
  }

  /** Puts some items into rows. @param rows byte offset of the first one */
  #weaveRows(first: number, stop: number, rows: number): void {
    const { lanes } = this;
    const [one, two] = this.#places;
    const stride = this.#stride;
    const count = stop - first;
    for (const [k, next] of this.#pairs) {
      const { offset, type } = lanes[k];
      const { bytes } = type;
      const from = this.#source(k, one, first * bytes, stop * bytes);
      if (next === undefined) this.#kernels.weave(rows + offset, from, bytes, stride, count);
      else {
        const beside = this.#source(next, two, first * bytes, stop * bytes);
        this.#kernels.weavePair(rows + offset, from, beside, bytes, stride, count);
      }
    }
  }

  /** Where bytes `from` to `to` - 1 of a column are in the heap: where they are, or staged at a place. */
  #source(k: number, place: number, from: number, to: number): number {
    const source = this.#sources[k];
    return source.at < 0 ? source.stage(place, from, to) : source.at + from;
  }

  #scatter(dests: Uint32Array, destsAt: number, rowsAt: number, first: number, end: number): number {
    const next =
      this.#compiled === null
        ? this.#fill(dests, destsAt, rowsAt, first, end)
        : this.#compiled.push(destsAt, rowsAt, first, end);
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
    const { address, stride: links } = this.#outbox;
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

const bytesOf = ({ type }: ItemLane): number => type.bytes;
