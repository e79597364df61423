/**
 * Items of any length as columns: the bytes of all of them, one after another, and where each begins. The last offset
 * is where the last item ends. This is the layout of variable-length binary columns in Apache Arrow.
 *
 *     items "abc", "", "defgh"     bytes    a b c d e f g h
 *                                  offsets  0, 3, 3, 8
 *
 * The loops are kernels, which see the heap alone: arrays elsewhere are copied into the staging first, some hundred
 * items at a time.
 *
 *     staging   ┌──────────┬──────────────┬──────────────────────┐
 *               │ dests    │ offsets      │ bytes                │
 *               └──────────┴──────────────┴──────────────────────┘
 */
import { lengthOf } from "../../../ground/base/byte-length.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { arrayInWords } from "../../../ground/item/columns.ts";
import { FREED, isFreed } from "../../../ground/memory/freed.ts";
import { storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import type { Ways } from "../../../route/geometry/mesh-ways.ts";
import { originOf } from "../../../route/geometry/route.ts";
import type { Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { PushEntry } from "../engine/outbox.ts";
import { packetBytes, reserve } from "../engine/packets.ts";
import { conveyorKernels } from "../kernels/kernels.ts";

const WORD = 4;
/** Bytes that an item has in the staging beside its own. */
const EACH = 2 * WORD;
/** V8 copies to shared memory by words of so many bytes, if the source and the target lie alike in them. */
const COPY_WORD = 8;

/** Items of any length, pulled in one call. The batch and everything read from it are valid until the next pull. */
export interface ElasticBatch {
  /** Number of items. */
  readonly count: number;
  /** The bytes of all items, one after another. */
  readonly bytes: Uint8Array;
  /** Where item i begins in `bytes`: `count` + 1 offsets, the last of which is where the last item ends. */
  readonly offsets: Uint32Array;
  /** The sender of each item. */
  readonly from: Uint32Array;
}

/** Items to be pushed. */
export interface PacketColumns {
  readonly dests: Uint32Array;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** @throws UsageError for arrays of other types or lengths; the offsets are looked at when items are pushed */
export function checkPacketColumns({ dests, bytes, offsets }: PacketColumns): void {
  const expect = (name: string, array: unknown, what: string, isGood: boolean): void => {
    if (!isGood) throw new UsageError(`pushAll: ${name}: expected ${what}, got ${arrayInWords(array)}`);
  };
  expect("dests", dests, "a Uint32Array of ranks", dests instanceof Uint32Array);
  expect("bytes", bytes, "a Uint8Array that is not detached", lengthOf(bytes) >= 0);
  const count = dests.length + 1;
  const isEnough = offsets instanceof Uint32Array && offsets.length >= count;
  expect("offsets", offsets, `a Uint32Array of at least ${count} offsets`, isEnough);
  if (isFreed(dests) || isFreed(bytes) || isFreed(offsets)) throw new UsageError(`pushAll: expected ${FREED}`);
}

/**
 * Whether item `i` has bytes: its end is not before its beginning, nor behind the array.
 */
const hasBytes = ({ bytes, offsets }: PacketColumns, i: number): boolean =>
  offsets[i] <= offsets[i + 1] && offsets[i + 1] <= bytes.length;

/** The error for item `i`, which {@link hasBytes} not. */
export const offsetsError = ({ bytes, offsets }: PacketColumns, i: number): UsageError =>
  new UsageError(
    `pushAll: offsets: expected item ${i} within the ${bytes.length} bytes, got it from ${offsets[i]} to ${offsets[i + 1]}`,
  );

/** Why no further item was pushed. */
export type Stop = "all" | "no room" | "no rank" | "no bytes" | "alone";

/** Pushes columns of items that fit in a buffer, and are not longer than the cutoff. */
export class PacketPusher {
  /** The first item that was not pushed. */
  next = 0;
  readonly #outbox: PushEntry;
  readonly #ways: Ways;
  readonly #frame: Frame;
  readonly #staging: number;
  readonly #half: number;
  readonly #chunk: number;
  readonly #room: number;

  constructor(frame: Frame, outbox: PushEntry, ways: Ways) {
    this.#frame = frame;
    this.#ways = ways;
    this.#outbox = outbox;
    const { staging, stagingBytes } = frame.site.places;
    this.#staging = staging;
    // the second half is for bytes
    this.#half = stagingBytes / 2;
    this.#chunk = Math.floor((this.#half - 4 * COPY_WORD) / EACH) - 1;
    this.#room = this.#half - COPY_WORD;
  }

  /** Pushes items `first` to `end` - 1, in order, until one cannot be. */
  push(columns: PacketColumns, first: number, end: number): Stop {
    const { route } = this.#frame.choice;
    const { dests, offsets } = columns;
    const most = this.#most;
    const { link: links } = this.#ways;
    for (this.next = first; this.next < end; ) {
      const i = this.next;
      if (dests[i] >= route.size) return "no rank";
      if (!hasBytes(columns, i)) return "no bytes";
      const length = offsets[i + 1] - offsets[i];
      if (length > most) return "alone";
      // sends a buffer with too little room, and opens one
      if (reserve(this.#outbox, links[dests[i]], packetBytes(length)) === 0) return "no room";
      this.next = this.#copy(columns, i, end);
      const link = links[dests[this.next - 1]];
      const { at, end: limit, margin } = this.#outbox;
      if (at[link] + margin > limit[link]) this.#outbox.filled(link);
    }
    return "all";
  }

  /** Copies items as far as buffers are open and have room; gives the number of the first one that was not copied. */
  #copy({ dests, bytes, offsets }: PacketColumns, first: number, end: number): number {
    const { site, choice } = this.#frame;
    const { views } = site;
    const { u8, u32 } = views;
    const isHere = (array: Uint8Array | Uint32Array): boolean => array.buffer === u8.buffer;
    const isAll = isHere(dests) && isHere(offsets) && isHere(bytes);
    const stop = isAll ? end : this.#stopOf(offsets, first, end);
    const low = isAll ? 0 : offsets[first];
    // of offsets that are not in order the last one may be before the end of the first item
    const last = Math.max(offsets[first + 1], offsets[stop]);
    const high = isAll ? bytes.length : Math.min(last, bytes.length);
    let [destsAt, offsetsAt, bytesAt] = [dests.byteOffset, offsets.byteOffset, bytes.byteOffset];
    const staged = this.#staging;
    if (!isHere(dests)) {
      const part = dests.subarray(first, stop);
      const to = alike(staged, part.byteOffset);
      u32.set(part, to / WORD);
      destsAt = to - first * WORD;
    }
    if (!isHere(offsets)) {
      const part = offsets.subarray(first, stop + 1);
      const to = alike(staged + this.#chunk * WORD + 2 * COPY_WORD, part.byteOffset);
      u32.set(part, to / WORD);
      offsetsAt = to - first * WORD;
    }
    if (!isHere(bytes)) {
      const part = bytes.subarray(low, high);
      const to = alike(staged + this.#half, part.byteOffset);
      u8.set(part, to);
      bytesAt = to - low;
    }
    return conveyorKernels(site.memory).pushPackets(
      ...([destsAt, offsetsAt, bytesAt, first, stop, low, high, choice.route.size] as const),
      ...([this.#most, this.#ways.at, this.#outbox.address, this.#outbox.stride] as const),
      this.#outbox.margin,
    );
  }

  /** Bytes of the longest item that is pushed with others. */
  get #most(): number {
    return Math.min(this.#frame.choice.bufferBytes, this.#outbox.direct, this.#room);
  }

  /** Up to which item there is staging for all: one at least, as none is longer than that. */
  #stopOf(offsets: Uint32Array, first: number, end: number): number {
    const most = Math.min(end, first + this.#chunk);
    const limit = offsets[first] + this.#room;
    if (offsets[most] <= limit) return most;
    // where the offsets pass the limit
    let [fits, passes] = [first + 1, most];
    while (passes - fits > 1) {
      const middle = (fits + passes) >>> 1;
      if (offsets[middle] <= limit) fits = middle;
      else passes = middle;
    }
    return fits;
  }
}

/** The first byte offset from `place` on that lies in its word as another one does. */
const alike = (place: number, other: number): number => place + (other % COPY_WORD);

/** One for each conveyor: it always shows the last batch. */
export class PacketBatch implements ElasticBatch {
  count = 0;
  bytes: Uint8Array = new Uint8Array(0);
  offsets: Uint32Array = new Uint32Array(1);
  from: Uint32Array = new Uint32Array(0);
  readonly #frame: Frame;
  readonly #inbox: Inbox;
  /** Byte offset of a buffer for the columns, and its bytes. */
  readonly #place: number;
  readonly #room: number;

  constructor(frame: Frame, inbox: Inbox) {
    this.#frame = frame;
    this.#inbox = inbox;
    this.#room = storedBytes(frame.choice.bufferBytes);
    // the inbox has the first buffer of the scratch
    this.#place = frame.site.places.scratch + this.#room;
  }

  /**
   * Shows the packets from the next one on, up to one that holds a reference.
   * @returns the byte offset of the last one; -1 if there is none
   */
  show(): number {
    const { site, choice } = this.#frame;
    const { u8, u32 } = site.views;
    const { route } = choice;
    const { next, limit, source } = this.#inbox;
    const kernels = conveyorKernels(site.memory);
    const count = kernels.countPackets(next, limit, this.#room);
    if (count === 0) return -1;
    const offsets = this.#place;
    const senders = offsets + (count + 1) * WORD;
    const bytes = senders + count * WORD;
    const isOne = route.hops === 1;
    const ranks = site.places.routes + route.ranksAt * WORD;
    const last = kernels.pullPackets(
      ...([next, count, offsets, bytes, this.#place + this.#room, isOne ? 0 : senders, ranks] as const),
      ...([source * route.row, route.plane, route.low] as const),
    );
    this.count = count;
    this.offsets = u32.subarray(offsets / WORD, offsets / WORD + count + 1);
    this.from = u32.subarray(senders / WORD, senders / WORD + count);
    if (isOne) this.from.fill(originOf(route, source, 0));
    this.bytes = u8.subarray(bytes, bytes + this.offsets[count]);
    // an address comes with a sign
    return last >>> 0;
  }

  /** Shows one item. */
  showOne(bytes: Uint8Array, from: number): void {
    this.count = 1;
    this.bytes = bytes;
    this.offsets = Uint32Array.of(0, bytes.length);
    this.from = Uint32Array.of(from);
  }
}
