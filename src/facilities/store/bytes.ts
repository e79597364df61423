/** Bytes that grow, and a cursor over bytes: for the store's messages, commands and snapshots. */
import { MismatchError } from "../../ground/base/errors.ts";

const encoder = new TextEncoder();
// a mark of the byte order is a character as any other
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Writes numbers, bytes and texts one after the other. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  /** A whole number up to 2^53, in as few bytes as it needs: seven bits in each, the lowest first. */
  whole(value: number): this {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128;
    this.#bytes[this.#length++] = rest;
    return this;
  }

  /** Bytes without their length. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Bytes behind their length. */
  bytes(bytes: Uint8Array): this {
    return this.whole(bytes.length).raw(bytes);
  }

  /** A text in UTF-8 behind its length. */
  text(text: string): this {
    return this.bytes(encoder.encode(text));
  }

  /** The written bytes. The writer is not to be used any more. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const least = this.#length + more;
    if (least <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(least, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Reads what a {@link ByteWriter} has written. @throws MismatchError where the bytes end too early */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw tooShort();
    return value;
  }

  whole(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** A view of bytes that have their length before them. */
  bytes(): Uint8Array {
    const length = this.whole();
    const start = this.#at;
    if (length > this.#bytes.length - start) throw tooShort();
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  text(): string {
    return decoder.decode(this.bytes());
  }

  /** A view of all that is left. */
  rest(): Uint8Array {
    const start = this.#at;
    this.#at = this.#bytes.length;
    return this.#bytes.subarray(start);
  }
}

const tooShort = (): MismatchError =>
  new MismatchError("store: bytes end too early. All replicas and clients must run the same version.");
