/**
 * Messages among replicas: one header for all kinds, little endian, and a body.
 *
 *     0     1     2     4       8        16       24
 *     | kind | flag | rank | epoch | index  | extra  | body …
 *       u8     u8     u16    u32     f64      f64
 *
 * Each kind says below what it uses; the rest is 0. Indices are whole numbers up to 2^53.
 */
import { MismatchError } from "../../../ground/base/errors.ts";

export const HEADER = 24;

/** A replica's commands for the leader of `epoch`; `extra`: how many; the body: entries. */
export const FORWARD = 1;
/** Leader to acceptor of `epoch`: entries from `index` on, `extra` many. */
export const ACCEPT = 2;
/** Committed entries from `index` on, `extra` many, to be passed on along `rank`'s tree, but for {@link NOBODY}. */
export const LEARN = 3;
/** I live, and know all that is committed up to `index`. `flag`: {@link IS_SEALED}, {@link URGENT}. */
export const BEAT = 4;
/** I am the acceptor of `epoch`, and sealed. */
export const IS_SEALED = 1;
/** Entries that you lack may never come by themselves. */
export const URGENT = 2;
/** Send me what is committed from `index` on. */
export const FETCH = 5;
/** A part of the snapshot after `index`, from byte `extra` on. The body: its whole length (f64), the part. */
export const SNAPSHOT = 6;
/** Send me the part of the snapshot after `index` from byte `extra` on. */
export const MORE = 7;
/** I want to lead `epoch` with you as its acceptor: what do you hold? */
export const ASK = 8;
/** For `epoch`, under you, I hold all up to `index`. */
export const HELD = 9;
/** Hold these for `epoch`: entries from `index` on, `extra` many, which may be committed. */
export const HOLD = 10;
/** Accept nothing more in `epoch`. */
export const SEAL = 11;
/** I accept nothing more in `epoch`; I have accepted, and know, all up to `index`. */
export const SEALED = 12;
/** Paxos for the configuration `epoch`, ballot `extra`: phase 1. */
export const PREPARE = 13;
/** I promise; the body is empty, or the ballot (f64) and configuration that I have agreed to. */
export const PROMISE = 14;
/** I have promised ballot `extra`. */
export const REFUSED = 15;
/** Phase 2; the body: the configuration. */
export const PROPOSE = 16;
export const AGREED = 17;
/** The body: a configuration that is chosen. */
export const CHOSEN = 18;
/** I have started, and my log has all up to `index`. */
export const HELLO = 19;

export const NOBODY = 0xffff;

/** The fields of a header. */
export interface Header {
  readonly kind: number;
  readonly flag?: number;
  readonly rank?: number;
  readonly epoch?: number;
  readonly index?: number;
  readonly extra?: number;
}

/** Writes a header to the begin of `view`. */
export function writeHeader(
  view: DataView,
  { kind, flag = 0, rank = 0, epoch = 0, index = 0, extra = 0 }: Header,
): void {
  view.setUint8(0, kind);
  view.setUint8(1, flag);
  view.setUint16(2, rank, true);
  view.setUint32(4, epoch, true);
  view.setFloat64(8, index, true);
  view.setFloat64(16, extra, true);
}

/** A message that has come: one object, for one after the other. */
export class IncomingMessage {
  from = 0;
  kind = 0;
  flag = 0;
  rank = 0;
  epoch = 0;
  index = 0;
  extra = 0;
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);

  open(from: number, bytes: Uint8Array): void {
    if (bytes.length < HEADER) throw malformed(`${bytes.length} bytes`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.from = from;
    this.bytes = bytes;
    this.view = view;
    this.kind = view.getUint8(0);
    this.flag = view.getUint8(1);
    this.rank = view.getUint16(2, true);
    this.epoch = view.getUint32(4, true);
    this.index = view.getFloat64(8, true);
    this.extra = view.getFloat64(16, true);
  }
}

/** @param what it is that came */
export const malformed = (what: string): MismatchError =>
  new MismatchError(
    `replica: expected a message of a replica, got ${what}. Members of replicas carry nothing else, and all run the same version.`,
  );
