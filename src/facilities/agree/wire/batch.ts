/** A message of entries that is being written: the space for a header, then entries. Its memory is used again. */
import { ENTRY, type EntryHead, writeEntry } from "./entries.ts";
import { HEADER, type Header, writeHeader } from "./message.ts";

export class MessageBatch {
  #bytes: Uint8Array;
  #view: DataView;
  #length = HEADER;
  #count = 0;

  constructor(bytes: number) {
    this.#bytes = new Uint8Array(HEADER + bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of its entries. */
  get length(): number {
    return this.#length - HEADER;
  }

  add(head: EntryHead, command: Uint8Array): void {
    this.#grow(ENTRY + command.length);
    this.#length = writeEntry(this.#view, this.#bytes, this.#length, head, command);
    this.#count++;
  }

  /** Entries as they are written already. */
  addAll(count: number, entries: Uint8Array): void {
    this.#grow(entries.length);
    this.#bytes.set(entries, this.#length);
    this.#length += entries.length;
    this.#count += count;
  }

  /** The message, valid until the next change. */
  finish(header: Header): Uint8Array {
    writeHeader(this.#view, header);
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = HEADER;
    this.#count = 0;
  }

  #grow(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const bytes = new Uint8Array(2 * (this.#length + more));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
