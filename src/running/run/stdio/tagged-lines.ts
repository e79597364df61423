/**
 * Lines that begin with the rank of their PE: `[3] text`.
 *
 * What a PE prints is written at once, also a part of a line: the PE may never print the rest. The line is open then.
 * Who prints while another's line is open ends that line first, and the interrupted PE begins a new one, with its tag,
 * for its rest.
 */

import type { Writable } from "node:stream";
import { setImmediate } from "../../../ground/base/event-loop/timers.ts";

/** The text that a stream is given to write. */
export interface OutputChunk {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

export const bytesOf = (chunks: readonly OutputChunk[]): Buffer =>
  Buffer.concat(
    chunks.map(({ chunk, encoding }) => (typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk)),
  );

const NEWLINE = 0x0a;
const END = Buffer.of(NEWLINE);
const NOTHING = Buffer.alloc(0);
const tagOf = (rank: number): Buffer => Buffer.from(`[${rank}] `);
/** The value of an open line's word if no line is open. */
const NOBODY = 0;

/** The last line of a file that all PEs write to. A shared word says whose it is; under the lock of the output. */
export class OpenLine {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(words: Int32Array, at: number) {
    this.#words = words;
    this.#at = at;
  }

  /** @param writer whose line it is to be. @default anybody's */
  isOpen(writer?: number): boolean {
    const open = Atomics.load(this.#words, this.#at);
    return open !== NOBODY && (writer === undefined || open === writer);
  }

  /** The text to write so that the bytes of a writer, a stream of a thread, stand in lines of its own. */
  add(bytes: Buffer, writer: number, rank: number): Buffer {
    if (bytes.length === 0) return bytes;
    let isOpen = this.isOpen(writer);
    const parts = isOpen ? [] : [this.end()];
    for (let from = 0; from < bytes.length; ) {
      if (!isOpen) parts.push(tagOf(rank));
      const newline = bytes.indexOf(NEWLINE, from);
      isOpen = newline < 0;
      const to = isOpen ? bytes.length : newline + 1;
      parts.push(bytes.subarray(from, to));
      from = to;
    }
    Atomics.store(this.#words, this.#at, isOpen ? writer : NOBODY);
    return Buffer.concat(parts);
  }

  /** The text that ends it. */
  end(writer?: number): Buffer {
    if (!this.isOpen(writer)) return NOTHING;
    Atomics.store(this.#words, this.#at, NOBODY);
    return END;
  }
}

/**
 * Tags the lines of a stream that the main thread writes, where anything may come between two parts of a line. So a
 * part waits for the rest until the PE's event loop runs, and becomes a line then: the main thread gets nothing earlier
 * in any case.
 */
export function tagHeld(stream: Writable, rank: number): void {
  const write = stream._writev;
  let rest: Buffer = NOTHING;
  let isDue = false;
  const put = (bytes: Buffer, done: (error?: Error | null) => void): void =>
    write?.call(stream, [{ chunk: bytes, encoding: "buffer" as BufferEncoding }], done);
  const flush = (): void => {
    isDue = false;
    if (rest.length > 0) put(Buffer.concat([tagOf(rank), rest, END]), () => {});
    rest = NOTHING;
  };
  stream._writev = (chunks: OutputChunk[], done) => {
    const bytes = Buffer.concat([rest, bytesOf(chunks)]);
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      lines.push(tagOf(rank), bytes.subarray(from, at + 1));
      from = at + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > 0 && !isDue) {
      isDue = true;
      setImmediate(flush);
    }
    if (lines.length > 0) put(Buffer.concat(lines), done);
    else done();
  };
  process.on("exit", flush);
}
