/**
 * Entries: commands as they stand in messages, in the log and in the durable log, one behind the other.
 *
 *     0        4        6      7   8             12         20     24
 *     | length | origin | kind | 0 | incarnation | sequence | back | the command
 *       u32      u16      u8         u32           f64        u32
 *
 * `origin` has proposed it as its `sequence`-th, in its `incarnation`-th life; its proposals below `sequence - back`
 * have their replies.
 */
import { malformed } from "./message.ts";

export const ENTRY = 24;

/** Kinds of entries: one for the state machine, and one that only takes an index. */
export const COMMAND = 0;
export const NOTHING = 1;

/** The head of a command: everything besides its bytes. */
export interface EntryHead {
  readonly origin: number;
  readonly kind: number;
  readonly incarnation: number;
  readonly sequence: number;
  readonly back: number;
}

/** Writes one entry. @returns where the next begins */
export function writeEntry(
  view: DataView,
  bytes: Uint8Array,
  at: number,
  head: EntryHead,
  command: Uint8Array,
): number {
  view.setUint32(at, command.length, true);
  view.setUint16(at + 4, head.origin, true);
  view.setUint8(at + 6, head.kind);
  view.setUint8(at + 7, 0);
  view.setUint32(at + 8, head.incarnation, true);
  view.setFloat64(at + 12, head.sequence, true);
  view.setUint32(at + 20, head.back, true);
  bytes.set(command, at + ENTRY);
  return at + ENTRY + command.length;
}

/** Where `count` entries that begin at `at` end. @throws MismatchError if that is behind `end` */
export function skipEntries(view: DataView, at: number, count: number, end: number = view.byteLength): number {
  let next = at;
  for (let i = 0; i < count; i++) {
    if (next + ENTRY > end) throw malformed(`${count} entries, of which ${i} are there`);
    next += ENTRY + view.getUint32(next, true);
  }
  if (next > end) throw malformed(`entries that end ${next - end} bytes behind their message`);
  return next;
}
