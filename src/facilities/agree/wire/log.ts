/**
 * The log in memory: entries by index, as segments, each as it came in one message. An entry costs nothing here; only
 * cuts within a segment, and reads that begin within one, walk over its entries.
 *
 *     base            learned          end
 *      │ [5 6 7] [8] [9 10 11] [12 13]  │          5, 8, 9, 12: `first` of the segments
 */
import { ENTRY, skipEntries } from "./entries.ts";

export class Segment {
  readonly first: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Where its entries begin and end in `bytes`. */
  readonly start: number;
  count: number;
  end: number;

  constructor(first: number, count: number, bytes: Uint8Array, start: number) {
    this.first = first;
    this.count = count;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.start = start;
    this.end = bytes.length;
  }

  get last(): number {
    return this.first + this.count - 1;
  }

  /** Where the entry of an index begins. */
  offsetOf(index: number): number {
    return skipEntries(this.view, this.start, index - this.first, this.end);
  }
}

export class CommandLog {
  /** A queue: those before `#head` were dropped. */
  #segments: Segment[] = [];
  #head = 0;
  #base = 0;
  #end = 0;

  /** The index before the first entry that is kept. */
  get base(): number {
    return this.#base;
  }

  /** The index of the last entry. */
  get end(): number {
    return this.#end;
  }

  /** Appends entries; the first of them has the index {@link end} + 1. */
  append(count: number, bytes: Uint8Array, start: number): Segment {
    const segment = new Segment(this.#end + 1, count, bytes, start);
    this.#segments.push(segment);
    this.#end += count;
    return segment;
  }

  /** Empties it: the next entry is the one after `index`. */
  restart(index: number): void {
    this.#segments = [];
    this.#head = 0;
    this.#base = index;
    this.#end = index;
  }

  /** All up to `index` is in a snapshot: what is behind it stays. */
  skipTo(index: number): void {
    if (index >= this.#end) this.restart(index);
    else this.dropTo(index);
  }

  /** Drops segments up to an index, none in part. */
  dropTo(index: number): void {
    const segments = this.#segments;
    while (this.#head < segments.length && (segments[this.#head] as Segment).last <= index) {
      this.#base = (segments[this.#head++] as Segment).last;
    }
    if (this.#head < 64 || this.#head * 2 < segments.length) return;
    segments.splice(0, this.#head);
    this.#head = 0;
  }

  /** Drops all entries behind an index. */
  cutTo(index: number): void {
    const segments = this.#segments;
    while (segments.length > this.#head && (segments.at(-1) as Segment).first > index) segments.pop();
    const last = segments.length > this.#head ? (segments.at(-1) as Segment) : undefined;
    if (last !== undefined && last.last > index) {
      last.end = last.offsetOf(index + 1);
      last.count = index - last.first + 1;
    }
    this.#end = Math.min(this.#end, index);
  }

  /** The segment with the entry of an index, which is there. */
  segmentOf(index: number): Segment {
    const segments = this.#segments;
    let [low, high] = [this.#head, segments.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((segments[middle] as Segment).first <= index) low = middle;
      else high = middle - 1;
    }
    return segments[low] as Segment;
  }

  /**
   * Copies entries from `from` to at most `to`, about `most` bytes, behind `space` free bytes.
   * @returns how many, and the bytes
   */
  copy(from: number, to: number, most: number, space: number): { count: number; bytes: Uint8Array } {
    const parts: Uint8Array[] = [];
    let [count, length] = [0, 0];
    for (let index = from; index <= to && length < most; ) {
      const segment = this.segmentOf(index);
      const last = Math.min(segment.last, to);
      const start = segment.offsetOf(index);
      let [end, next] = [start, index];
      while (next <= last && (length + end - start < most || end === start)) {
        end += ENTRY + segment.view.getUint32(end, true);
        next++;
      }
      parts.push(segment.bytes.subarray(start, end));
      length += end - start;
      count += next - index;
      index = next;
    }
    const bytes = new Uint8Array(space + length);
    let at = space;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return { count, bytes };
  }
}
