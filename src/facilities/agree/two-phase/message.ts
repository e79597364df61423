/**
 * Messages of two-phase commit: a header, and for PREPARE the transaction.
 *
 *     0     1     2     4    8          16     24
 *     | kind | flag | coordinator | 0 | sequence | extra | transaction …
 *       u8     u8     u16           u32  f64        f64
 */
import { MismatchError } from "../../../ground/base/errors.ts";

export const HEADER = 24;

const EMPTY: Uint8Array = new Uint8Array(0);

/** Vote. `extra`: all of this coordinator's transactions below are decided everywhere. */
export const PREPARE = 1;
/** `flag`: 1 if all below vote yes, `extra` many. */
export const VOTE = 2;
/** `flag`: 1 for commit. */
export const DECISION = 3;
/** All below have the decision. */
export const DONE = 4;
/** The coordinator is lost: what do you know? */
export const ASK = 5;
/** `flag`: 0 aborted, 1 committed, 2 this member does not know. */
export const ANSWER = 6;

export interface CommitMessage {
  readonly from: number;
  readonly kind: number;
  readonly flag: number;
  readonly coordinator: number;
  readonly sequence: number;
  readonly extra: number;
  /** The whole message. */
  readonly bytes: Uint8Array;
}

export function write(
  kind: number,
  flag: number,
  coordinator: number,
  sequence: number,
  extra = 0,
  body: Uint8Array = EMPTY,
): Uint8Array {
  const bytes = new Uint8Array(HEADER + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind);
  view.setUint8(1, flag);
  view.setUint16(2, coordinator, true);
  view.setFloat64(8, sequence, true);
  view.setFloat64(16, extra, true);
  bytes.set(body, HEADER);
  return bytes;
}

/** @param size how many members there are */
export function read(from: number, bytes: Uint8Array, size: number): CommitMessage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (
    bytes.length < HEADER ||
    view.getUint8(0) < PREPARE ||
    view.getUint8(0) > ANSWER ||
    view.getUint16(2, true) >= size
  ) {
    throw new MismatchError(
      `two-phase commit: expected a message of one of its ${size} members, got ${bytes.length} bytes. Its members carry nothing else.`,
    );
  }
  return {
    from,
    kind: view.getUint8(0),
    flag: view.getUint8(1),
    coordinator: view.getUint16(2, true),
    sequence: view.getFloat64(8, true),
    extra: view.getFloat64(16, true),
    bytes,
  };
}
