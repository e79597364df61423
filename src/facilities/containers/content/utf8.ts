/**
 * Strings as bytes: UTF-8, in which a lone surrogate is written as if it were a character, so that every string has
 * bytes of its own and comes back as it was.
 *
 * Source: Sapin, "The WTF-8 encoding" (simonsapin.github.io/wtf-8), as Rust's OsString has it on Windows.
 */
import { Buffer } from "node:buffer";

/** Most bytes of a code unit of a string. */
export const MOST_BYTES = 3;

/** Writes a string; there must be {@link MOST_BYTES} for each of its code units. @returns the number of bytes */
export function writeText(text: string, u8: Uint8Array, begin: number): number {
  const { length } = text;
  let at = begin;
  for (let i = 0; i < length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      u8[at++] = code;
      continue;
    }
    if (code < 0x800) {
      u8[at++] = 0xc0 | (code >> 6);
      u8[at++] = 0x80 | (code & 0x3f);
      continue;
    }
    if ((code & 0xfc00) === 0xd800 && i + 1 < length) {
      const low = text.charCodeAt(i + 1);
      if ((low & 0xfc00) === 0xdc00) {
        i++;
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        u8[at++] = 0xf0 | (code >> 18);
        u8[at++] = 0x80 | ((code >> 12) & 0x3f);
        u8[at++] = 0x80 | ((code >> 6) & 0x3f);
        u8[at++] = 0x80 | (code & 0x3f);
        continue;
      }
    }
    u8[at++] = 0xe0 | (code >> 12);
    u8[at++] = 0x80 | ((code >> 6) & 0x3f);
    u8[at++] = 0x80 | (code & 0x3f);
  }
  return at - begin;
}

let lastMemory: ArrayBufferLike | null = null;
let buffer = Buffer.alloc(0);

/** Reads a string. */
export function readText(u8: Uint8Array, at: number, length: number): string {
  if (u8.buffer !== lastMemory) {
    lastMemory = u8.buffer;
    buffer = Buffer.from(u8.buffer as ArrayBuffer);
  }
  const begin = u8.byteOffset + at;
  const text = buffer.toString("utf8", begin, begin + length);
  // Node has put one for each byte of a lone surrogate
  return text.includes("\ufffd") ? readUnits(u8, at, at + length) : text;
}

/** The same by hand. */
function readUnits(u8: Uint8Array, begin: number, end: number): string {
  let text = "";
  for (let at = begin; at < end; ) {
    const lead = u8[at++] as number;
    const next = () => (u8[at++] as number) & 0x3f;
    if (lead < 0x80) text += String.fromCharCode(lead);
    else if (lead < 0xe0) text += String.fromCharCode(((lead & 0x1f) << 6) | next());
    else if (lead < 0xf0) text += String.fromCharCode(((lead & 0xf) << 12) | (next() << 6) | next());
    else text += String.fromCodePoint(((lead & 7) << 18) | (next() << 12) | (next() << 6) | next());
  }
  return text;
}
