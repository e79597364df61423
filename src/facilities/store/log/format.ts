/**
 * The files of a log, byte by byte. Numbers are little-endian; `crc` is the CRC-32 of all that follows it in its
 * header, and of the content.
 *
 *     log-0000000000000007        records 7, 8, …        snapshot-0000000000000006      the state after record 6
 *          ┌──────────┬─────┬───────┐                         ┌──────────┬─────┬───────┬────────┬───────┐
 *          │ TUNDLOG1 │ crc │ first │                         │ TUNDSNP1 │ crc │ index │ length │ state │
 *     byte 0          8     12      20                   byte 0          8     12      20       28
 *
 *     a record: ┌─────┬────────┬───────┬──────────┬─────────┐
 *               │ crc │ length │ index │ unsynced │ command │
 *          byte 0     4        8       16         20
 *
 * `unsynced`: the record number `index - unsynced` was on the disk before this one was written. So a bad record that a
 * good one shows to have been on the disk was changed later; a bad one without such a witness was written in part when
 * the machine went down.
 */
export const SEGMENT_HEADER_BYTES = 20;
export const RECORD_HEADER_BYTES = 20;
const SNAPSHOT_HEADER_BYTES = 28;
const SEGMENT_MARK = "TUNDLOG1";
const SNAPSHOT_MARK = "TUNDSNP1";
/** Nothing of what does not fit is known to be on the disk. */
const MOST_UNSYNCED = 2 ** 32 - 1;

/** Loaded when it is first needed, as every PE's thread has this module. */
let zlib: typeof import("node:zlib") | undefined;
function crc32(bytes: Uint8Array): number {
  zlib ??= process.getBuiltinModule("node:zlib");
  return zlib.crc32(bytes);
}

export const segmentName = (first: number): string => `log-${String(first).padStart(16, "0")}`;
export const snapshotName = (index: number): string => `snapshot-${String(index).padStart(16, "0")}`;

/** The number in a name that one of these gave; undefined for any other name. */
export function numberIn(name: string, kind: "log" | "snapshot"): number | undefined {
  const digits = name.startsWith(`${kind}-`) ? name.slice(kind.length + 1) : "";
  return /^\d{16}$/.test(digits) ? Number(digits) : undefined;
}

/** The name under which a file is written before it gets its own; the token is that of its writer's claim. */
export const partName = (name: string, token: string): string => `${name}.${token}.tmp`;
export const isPart = (name: string): boolean => /^(log|snapshot)-\d{16}\..*tmp$/.test(name);

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function setWhole(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
const getWhole = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

function headed(mark: string, bytes: Uint8Array, numbers: readonly number[]): Uint8Array {
  const view = viewOf(bytes);
  for (let i = 0; i < mark.length; i++) bytes[i] = mark.charCodeAt(i);
  for (const [i, number] of numbers.entries()) setWhole(view, 12 + 8 * i, number);
  view.setUint32(8, crc32(bytes.subarray(12)), true);
  return bytes;
}

const isHeaded = (mark: string, bytes: Uint8Array, most: number): boolean =>
  String.fromCharCode(...bytes.subarray(0, mark.length)) === mark &&
  viewOf(bytes).getUint32(8, true) === crc32(bytes.subarray(12, most));

export const segmentHeader = (first: number): Uint8Array =>
  headed(SEGMENT_MARK, new Uint8Array(SEGMENT_HEADER_BYTES), [first]);

/** Whether the file begins as the segment of this first record. */
export const isSegment = (bytes: Uint8Array, first: number): boolean =>
  bytes.length >= SEGMENT_HEADER_BYTES &&
  isHeaded(SEGMENT_MARK, bytes, SEGMENT_HEADER_BYTES) &&
  getWhole(viewOf(bytes), 12) === first;

export function snapshotFile(index: number, state: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(SNAPSHOT_HEADER_BYTES + state.length);
  bytes.set(state, SNAPSHOT_HEADER_BYTES);
  return headed(SNAPSHOT_MARK, bytes, [index, state.length]);
}

/** The state in a snapshot's file; undefined if it is not as it was written. */
export function stateIn(bytes: Uint8Array, index: number): Uint8Array | undefined {
  if (bytes.length < SNAPSHOT_HEADER_BYTES || !isHeaded(SNAPSHOT_MARK, bytes, bytes.length)) return undefined;
  const view = viewOf(bytes);
  const isWhole = getWhole(view, 12) === index && getWhole(view, 20) === bytes.length - SNAPSHOT_HEADER_BYTES;
  return isWhole ? bytes.subarray(SNAPSHOT_HEADER_BYTES) : undefined;
}

/** Writes a record. @param synced the number of the last record on the disk @returns where the next one begins */
export function writeRecord(bytes: Uint8Array, at: number, index: number, command: Uint8Array, synced: number): number {
  const end = at + RECORD_HEADER_BYTES + command.length;
  const view = viewOf(bytes);
  view.setUint32(at + 4, command.length, true);
  setWhole(view, at + 8, index);
  view.setUint32(at + 16, Math.min(index - synced, MOST_UNSYNCED), true);
  bytes.set(command, at + RECORD_HEADER_BYTES);
  view.setUint32(at, crc32(bytes.subarray(at + 4, end)), true);
  return end;
}

/** A record in a segment. */
export interface FoundRecord {
  readonly index: number;
  /** The last record that was on the disk before this one was written. */
  readonly synced: number;
  readonly command: Uint8Array;
  readonly end: number;
}

/** The record at a place, if there is a whole one whose number is in this range. */
export function recordAt(bytes: Uint8Array, at: number, least: number, most: number): FoundRecord | undefined {
  if (at + RECORD_HEADER_BYTES > bytes.length) return undefined;
  const view = viewOf(bytes);
  const index = getWhole(view, at + 8);
  if (index < least || index > most) return undefined;
  const start = at + RECORD_HEADER_BYTES;
  const end = start + view.getUint32(at + 4, true);
  if (end > bytes.length || crc32(bytes.subarray(at + 4, end)) !== view.getUint32(at, true)) return undefined;
  const unsynced = view.getUint32(at + 16, true);
  const synced = unsynced === MOST_UNSYNCED ? 0 : index - unsynced;
  return { index, synced, command: bytes.subarray(start, end), end };
}
