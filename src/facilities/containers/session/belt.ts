/** The conveyor of operations: packets that are written from a scratch and read where they lie. */
import { lengthOf } from "../../../ground/base/byte-length.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { WORKING } from "../../../links/status/state.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { PacketBelt } from "../../conveyor/belts/packet-belt.ts";
import type { Frame } from "../../conveyor/engine/assembly.ts";
import { commit, HEAD, packetBytes } from "../../conveyor/engine/packets.ts";
import { Cursor, Scratch } from "../content/cursor.ts";
import { hand, LOOKS, lookAt, type OperationReceiver } from "./receiver.ts";

/** Longer operations are copied by a call, which costs more than some words. */
const SHORT_BYTES = 96;
/** Operations whose memory is read before the first of them is carried out. */
const AHEAD = 24;
/** Less memory than this is in a cache anyway: bytes. */
const CACHED = 2 ** 20;

export class OperationBelt extends PacketBelt<Uint8Array> {
  /** Room in which the next operation is put together. */
  readonly scratch: Scratch = new Scratch();

  readonly #from: Cursor;
  /** Made of what was read ahead, so that the compiler does not leave that out. */
  protected seen = 0;

  constructor(frame: Frame) {
    super(frame);
    this.#from = new Cursor(frame.site.views);
  }

  get bufferBytes(): number {
    return this.frame.choice.bufferBytes;
  }

  /** Pushes what is in the scratch up to its place. @param dest a rank @returns false if there is no room now */
  pushScratch(dest: number): boolean {
    const { at: length, views } = this.scratch;
    const { outbox } = this;
    const { ways } = this.machinery;
    const link = ways.link[dest] as number;
    const at = outbox.at[link] as number;
    const size = packetBytes(length);
    // usually it is short, and there is an open buffer with room
    const fits = at !== 0 && at + size <= (outbox.end[link] as number) && length <= outbox.direct;
    if (!fits || length > SHORT_BYTES || this.phase !== WORKING) return this.put(dest, views.u8, length);
    const { u32 } = this.views;
    const from = views.u32;
    const word = at >>> 2;
    u32[word] = ways.tag[dest] as number;
    u32[word + 1] = length * 2;
    const words = (length + 3) >>> 2;
    for (let i = 0; i < words; i++) u32[word + 2 + i] = from[i] as number;
    commit(outbox, link, size);
    this.pushed++;
    return true;
  }

  /** Pushes a copy that was made while there was no room. */
  push(dest: number, bytes: Uint8Array): boolean {
    return this.put(dest, bytes, lengthOf(bytes));
  }

  /** Has all operations carried out that have come. @param receivers by number of the container */
  handOut(receivers: readonly OperationReceiver[]): void {
    const from = this.#from;
    const { inbox } = this;
    const { route } = this.frame.choice;
    const { u32 } = this.views;
    const ahead = receivers.some((receiver) => receiver.bytes() > CACHED) ? LOOKS : 0;
    while (this.next()) {
      hand(receivers, from, this.place, this.lastFrom);
      this.drop();
      // those of the same buffer
      for (;;) {
        let at = inbox.next;
        const end = this.#lookAhead(receivers, at, ahead);
        if (at === end) break;
        while (at !== end) {
          const word = at >>> 2;
          inbox.at = at;
          this.lastFrom = originOf(route, inbox.source, u32[word] as number);
          at += packetBytes((u32[word + 1] as number) >>> 1);
          inbox.next = at;
          this.pulled++;
          hand(receivers, from, inbox.at + HEAD, this.lastFrom);
        }
      }
    }
  }

  /** Reads what the next operations of a buffer will need. @returns where they end; it stops before an oversized one */
  #lookAhead(receivers: readonly OperationReceiver[], begin: number, rounds: number): number {
    const from = this.#from;
    const { limit } = this.inbox;
    const { u32 } = this.views;
    let end = begin;
    for (let i = 0; i < AHEAD && end !== limit; i++) {
      const descriptor = u32[(end >>> 2) + 1] as number;
      if ((descriptor & 1) === 1) break;
      end += packetBytes(descriptor >>> 1);
    }
    let seen = 0;
    for (let round = 0; round < rounds; round++) {
      for (let at = begin; at !== end; at += packetBytes((u32[(at >>> 2) + 1] as number) >>> 1)) {
        seen ^= lookAt(receivers, from, at + HEAD, round);
      }
    }
    this.seen = seen;
    return end;
  }

  protected copy(bytes: Uint8Array, at: number): void {
    const { views, at: length } = this.scratch;
    if (bytes !== views.u8) {
      this.views.u8.set(bytes, at);
    } else if (length > SHORT_BYTES) {
      this.views.u8.set(bytes.subarray(0, length), at);
    } else {
      const from = views.u32;
      const { u32 } = this.views;
      const shift = at >>> 2;
      const words = (length + 3) >>> 2;
      for (let i = 0; i < words; i++) u32[shift + i] = from[i] as number;
    }
  }

  protected bytesOf(bytes: Uint8Array): Uint8Array {
    return bytes === this.scratch.views.u8 ? bytes.subarray(0, this.scratch.at) : bytes;
  }

  protected noItem(bytes: unknown): UsageError {
    return new UsageError(`expected the bytes of an operation, got ${shortText(bytes)}`);
  }
}
