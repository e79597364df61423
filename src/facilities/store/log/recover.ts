/**
 * Reads a log's folder after a restart.
 *
 * The last snapshot counts, and the records after it. The last segment may end in what was being written when the
 * machine or the process went down: this is cut off. Anything else that is not as it was written is an error, and
 * nothing is changed: a log that lost acknowledged records must not be used, or replicas would contradict what they
 * have told.
 *
 * Limits: a changed or lost end of the last segment that no later record shows to have been on the disk (format.ts)
 * looks as if it had not been written in time.
 */
import { join } from "node:path";
import { CorruptLogError } from "../../../ground/base/errors.ts";
import type { LogRecord, Recovered } from "../../agree/state-machine.ts";
import type { Disk } from "./disk.ts";
import {
  isPart,
  isSegment,
  numberIn,
  RECORD_HEADER_BYTES,
  recordAt,
  SEGMENT_HEADER_BYTES,
  segmentName,
  snapshotName,
  stateIn,
} from "./format.ts";

/** The results of a recovery, and the work that is left before the log is used. */
export interface Found extends Recovered {
  /** The segment that goes on: its first record, and what is right of it; null if a new one is to begin. */
  readonly last: { readonly first: number; readonly bytes: Uint8Array; readonly isTorn: boolean } | null;
  /** The first records of all segments that are kept, in order. */
  readonly segments: readonly number[];
  /** Files that are not needed: what a crash has left. */
  readonly useless: readonly string[];
}

/**
 * Removes what a crash has left in the middle of being written. Before the folder is read: an owner that lost the
 * folder, and was stopped just before it gave such a file its name, fails then (file-log.ts).
 */
export function removeParts(disk: Disk, folder: string): void {
  for (const name of disk.list(folder)) if (isPart(name)) disk.remove(join(folder, name));
}

/** @throws CorruptLogError; the system's error */
export function readFolder(disk: Disk, folder: string): Found {
  const names = disk.list(folder);
  const numbers = (kind: "log" | "snapshot") =>
    names.flatMap((name) => numberIn(name, kind) ?? []).sort((a, b) => a - b);
  const snapshots = numbers("snapshot");
  const snapshotIndex = snapshots.at(-1) ?? 0;
  const snapshot = snapshots.length === 0 ? null : readSnapshot(disk, folder, snapshotIndex);
  const useless = snapshots.slice(0, -1).map(snapshotName);
  const records: LogRecord[] = [];
  const kept: number[] = [];
  const segments = numbers("log");
  let last: Found["last"] = null;
  let next = 0;
  for (const [at, first] of segments.entries()) {
    const isLast = at === segments.length - 1;
    // the snapshot has all of its records
    if (!isLast && (segments[at + 1] as number) <= snapshotIndex + 1) {
      useless.push(segmentName(first));
      continue;
    }
    const file = join(folder, segmentName(first));
    const bytes = disk.read(file);
    if (isLast && bytes.length <= SEGMENT_HEADER_BYTES && !isSegment(bytes, first)) {
      // it was being created
      useless.push(segmentName(first));
      continue;
    }
    const expected = next === 0 ? first : next;
    if (first !== expected || first > Math.max(snapshotIndex + 1, expected)) throw missing(file, expected, first);
    if (!isSegment(bytes, first)) throw corrupt(file, 0, "the header of the segment");
    const length = readSegment(bytes, first, isLast ? undefined : segments[at + 1], file, (record) => {
      next = record.index + 1;
      if (record.index > snapshotIndex) records.push(record);
    });
    next = Math.max(next, first);
    kept.push(first);
    if (isLast) last = { first, bytes: bytes.subarray(0, length), isTorn: length < bytes.length };
  }
  if (records.length > 0 && (records[0] as LogRecord).index !== snapshotIndex + 1) {
    const { index } = records[0] as LogRecord;
    throw missing(join(folder, segmentName(kept[0] as number)), snapshotIndex + 1, index);
  }
  // the next record does not continue it
  if (last !== null && next <= snapshotIndex) {
    useless.push(...kept.splice(0).map(segmentName));
    last = null;
  }
  return { snapshotIndex, snapshot, records, last, segments: kept, useless };
}

function readSnapshot(disk: Disk, folder: string, index: number): Uint8Array {
  const file = join(folder, snapshotName(index));
  const state = stateIn(disk.read(file), index);
  if (state === undefined) throw corrupt(file, 0, "the snapshot");
  return state;
}

/**
 * @param nextFirst the first record of the segment behind it, so that it has all before; undefined for the last one,
 * whose end may be torn
 * @returns the length of what is right
 */
function readSegment(
  bytes: Uint8Array,
  first: number,
  nextFirst: number | undefined,
  file: string,
  take: (record: LogRecord) => void,
): number {
  let index = first;
  let at = SEGMENT_HEADER_BYTES;
  for (; at < bytes.length; index++) {
    const record = recordAt(bytes, at, index, index);
    if (record === undefined) {
      if (nextFirst !== undefined || hasWitness(bytes, at, index)) throw corrupt(file, at, `record ${index}`);
      return at;
    }
    take({ index, command: record.command });
    at = record.end;
  }
  if (nextFirst !== undefined && nextFirst !== index) throw missing(file, index, nextFirst, at);
  return at;
}

/** Whether a whole record behind a bad one shows that the bad one was on the disk. */
function hasWitness(bytes: Uint8Array, from: number, index: number): boolean {
  const most = index + Math.floor((bytes.length - from) / RECORD_HEADER_BYTES);
  for (let at = from + 1; at + RECORD_HEADER_BYTES <= bytes.length; at++) {
    const record = recordAt(bytes, at, index + 1, most);
    if (record !== undefined && record.synced >= index) return true;
  }
  return false;
}

const corrupt = (file: string, offset: number, what: string): CorruptLogError =>
  new CorruptLogError(
    file,
    offset,
    `${file}: ${what} at byte ${offset} is not as it was written. Restore the folder from a copy, or remove it: the replica then gets its state from the others.`,
  );

const missing = (file: string, expected: number, got: number, offset = 0): CorruptLogError =>
  new CorruptLogError(
    file,
    offset,
    `${file}: expected record ${expected}, got record ${got}: files of the log are missing. Restore the folder from a copy, or remove it: the replica then gets its state from the others.`,
  );
