/**
 * The limit of all that a PE has buffered for one hop: no more than so many bytes in open buffers. When another item
 * would exceed it, the fullest buffer is sent.
 *
 * Each open buffer is granted room up to its `end`; the sum of what was granted keeps to the limit, so that the
 * innermost loops look at nothing else. When an `end` is reached, another eighth of what is left is granted; when too
 * little is left, what others were granted and have not used is taken back first.
 *
 *     link 0   │ 11 items ▒▒▒▒▒▒▒▒▒▒▒ end │ not granted                │
 *     link 1   │ 3 items ▒▒▒      end     │ not granted                │
 *
 * Limits: an item larger than the limit is buffered alone. Source: the total capacity of TRAM's NDMeshStreamer, which
 * sends its largest buffer when it is exceeded.
 *
 * Example: 100 bytes, items of 8: 12 of them in all buffers together; the 13th sends the fullest.
 */
import { CAPACITY, type Cause } from "./causes.ts";

/** The part of an outbox that it needs to limit its buffers. */
export interface OpenBuffers {
  readonly links: number;
  readonly at: Uint32Array;
  readonly end: Uint32Array;
  readonly hold: boolean;
  overflow: boolean;
  open(link: number, size: number): boolean;
  send(link: number, cause: Cause): void;
  isFull(link: number): boolean;
  /** Bytes of items in the buffer of a link, and bytes of the buffer that are behind its `end`. */
  used(link: number): number;
  beyond(link: number): number;
}

export class BufferedLimit {
  readonly #outbox: OpenBuffers;
  readonly #most: number;
  #granted = 0;
  /** The unit of grants. */
  #stride = 1;

  /** @param most bytes */
  constructor(outbox: OpenBuffers, most: number) {
    this.#outbox = outbox;
    this.#most = most;
  }

  /** Before a session, when no buffer has anything in it. */
  begin(stride: number): void {
    this.#granted = 0;
    this.#stride = stride;
  }

  /** Called when a buffer is sent. @param granted bytes that it was granted */
  closed(granted: number): void {
    this.#granted -= granted;
  }

  /** Takes back what a link was granted from `end` on. */
  restrict(link: number, end: number): void {
    this.#granted -= this.#outbox.end[link] - end;
    this.#outbox.end[link] = end;
  }

  /** Grants a link room for `size` more bytes; false if there is none now. */
  extend(link: number, size: number): boolean {
    const outbox = this.#outbox;
    const { at, end } = outbox;
    if (at[link] + size <= end[link]) return true;
    if (outbox.isFull(link) || at[link] + size > end[link] + outbox.beyond(link)) return false;
    const wanted = (): number => at[link] + size - end[link];
    if (this.#granted + wanted() > this.#most) this.#takeBack();
    while (this.#granted + wanted() > this.#most) {
      const fullest = this.#fullest();
      if (fullest < 0) break;
      if (outbox.hold) {
        outbox.overflow = true;
        return false;
      }
      outbox.send(fullest, CAPACITY);
      if (fullest === link) return outbox.open(link, size);
    }
    const eighth = Math.floor((this.#most - this.#granted) / 8 / this.#stride) * this.#stride;
    const granted = Math.min(outbox.beyond(link), Math.max(wanted(), eighth));
    end[link] += granted;
    this.#granted += granted;
    return true;
  }

  #takeBack(): void {
    const { at, links } = this.#outbox;
    for (let link = 0; link < links; link++) this.restrict(link, at[link]);
  }

  /** The link with the most bytes; -1 if none has any. */
  #fullest(): number {
    const outbox = this.#outbox;
    let fullest = -1;
    let most = 0;
    for (let link = 0; link < outbox.links; link++) {
      const used = outbox.used(link);
      if (used <= most) continue;
      most = used;
      fullest = link;
    }
    return fullest;
  }
}
