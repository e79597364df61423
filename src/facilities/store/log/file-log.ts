/**
 * A log in a folder: records are appended to segments, a snapshot replaces the old ones. What a crash at any moment
 * leaves is read again (recover.ts).
 *
 * The order of what is written makes it safe: a segment's header and its name are on the disk before its first record;
 * a segment is on the disk before the next one begins; a file begins under another name, and has its own when what
 * belongs to it is on the disk; old files are removed after that, the oldest first.
 *
 * Each call makes sure that the folder is still this log's (lock.ts) before it writes, and again before it returns. A
 * log that lost it between the two does no harm: who took the folder over has removed files without their names, and
 * goes on in a copy of the last segment.
 *
 * A call that fails changes nothing: what was written in part is cut off. Where that fails, or bringing data to the
 * disk does, nobody knows what the disk has (after a failed fsync, Linux takes the pages as written): then the log
 * takes no further call, and is to be opened again.
 *
 * Limits: calls block the thread. A command has less than 1 GiB, a snapshot less than 2 GiB.
 */

import { join } from "node:path";
import {
  LogError,
  type LogLockedError,
  OverflowError,
  StateError,
  sentenceOf,
  UsageError,
} from "../../../ground/base/errors.ts";
import { clearTimeout, monotonic, setTimeout } from "../../../ground/base/event-loop/timers.ts";
import type { Claim } from "../../../ground/base/files/claim/claim.ts";
import type { DurableLog, LogRecord, Recovered } from "../../agree/state-machine.ts";
import type { Disk } from "./disk.ts";
import {
  partName,
  RECORD_HEADER_BYTES,
  segmentHeader,
  segmentName,
  snapshotFile,
  snapshotName,
  writeRecord,
} from "./format.ts";
import { type FolderLock, lostError } from "./lock.ts";
import { DEFAULT_FSYNC_INTERVAL_MS, DEFAULT_SEGMENT_BYTES, type FsyncPolicy, type LogOptions } from "./options.ts";
import type { Found } from "./recover.ts";

const MOST_COMMAND_BYTES = 2 ** 30 - 1;
const MOST_SNAPSHOT_BYTES = 2 ** 31 - 1024;
const LEAST_BATCH_BYTES = 1 << 16;

/** The segment that records are appended to. */
interface Segment {
  readonly file: string;
  readonly fd: number;
  length: number;
}

export let makeFileLog: (disk: Disk, folder: string, found: Found, lock: FolderLock, options: LogOptions) => FileLog;

/** A write-ahead log in a folder of its own. */
export class FileLog implements DurableLog {
  readonly recovered: Recovered;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #claim: Claim;
  readonly #fsync: FsyncPolicy;
  readonly #intervalMs: number;
  readonly #segmentBytes: number;
  /** The first records of all segments, in order. */
  readonly #segments: number[];
  #segment: Segment | null = null;
  #batch: Uint8Array = new Uint8Array(LEAST_BATCH_BYTES);
  #last: number;
  #snapshot: number;
  /** The last record on the disk, and when it came there. */
  #synced: number;
  #syncedAt: number = monotonic();
  #timer: NodeJS.Timeout | undefined;
  #failure: LogError | null = null;
  #lost: LogLockedError | null = null;
  #isClosed = false;

  static {
    makeFileLog = (...parts) => new FileLog(...parts);
  }

  private constructor(disk: Disk, folder: string, found: Found, lock: FolderLock, options: LogOptions) {
    this.#disk = disk;
    this.#folder = folder;
    this.#claim = lock.claim;
    this.#fsync = options.fsync ?? "always";
    this.#intervalMs = options.fsyncInterval ?? DEFAULT_FSYNC_INTERVAL_MS;
    this.#segmentBytes = options.segmentBytes ?? DEFAULT_SEGMENT_BYTES;
    const { snapshotIndex, snapshot, records, last, segments, useless } = found;
    this.recovered = { snapshotIndex, snapshot, records };
    this.#segments = [...segments];
    this.#snapshot = snapshotIndex;
    this.#last = records.at(-1)?.index ?? snapshotIndex;
    this.#synced = this.#last;
    this.#checkHeld("openLog");
    for (const name of useless) disk.remove(join(folder, name));
    if (last === null) return;
    const file = join(folder, segmentName(last.first));
    if (lock.isTakenOver) {
      this.#segment = this.#create(file, last.bytes);
      return;
    }
    this.#segment = { file, fd: disk.open(file), length: last.bytes.length };
    try {
      if (last.isTorn) disk.truncate(this.#segment.fd, last.bytes.length);
      // a process that was killed has left it to the operating system
      disk.sync(this.#segment.fd);
    } catch (error) {
      disk.close(this.#segment.fd);
      throw error;
    }
  }

  /** The number of the last record; that of the snapshot if there is none after it. */
  get lastIndex(): number {
    return this.#last;
  }

  /**
   * Appends records, in order.
   * @throws UsageError, OverflowError, LogError: nothing was appended; LogLockedError: the folder was taken over;
   *   StateError
   */
  append(records: readonly LogRecord[]): void {
    this.#checkUsable("append");
    if (records.length === 0) return;
    const batch = this.#encode(records);
    this.#checkHeld("append");
    const segment = this.#openSegment();
    try {
      this.#disk.write(segment.fd, batch, segment.length);
    } catch (error) {
      throw this.#takeBack(segment, error);
    }
    segment.length += batch.length;
    this.#last += records.length;
    this.#syncByPolicy();
    this.#checkHeld("append");
  }

  /** Brings all records to the disk. @throws LogError: the log takes no further call; LogLockedError; StateError */
  sync(): void {
    this.#checkUsable("sync");
    this.#checkHeld("sync");
    this.#sync();
    this.#checkHeld("sync");
  }

  #sync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#synced === this.#last) return;
    const { file, fd } = this.#segment as Segment;
    try {
      this.#disk.sync(fd);
    } catch (error) {
      throw this.#fail(file, error);
    }
    this.#synced = this.#last;
    this.#syncedAt = monotonic();
  }

  /**
   * Replaces all records up to `index` by a snapshot of the state after it.
   * @param index that of the last snapshot at least; it may be behind the last record: of a state that came from
   * elsewhere
   * @throws UsageError, OverflowError, LogError: the log is as before; LogLockedError: the folder was taken over;
   * StateError
   */
  truncate(index: number, snapshot: Uint8Array): void {
    this.#checkUsable("truncate");
    if (!Number.isSafeInteger(index) || index < Math.max(1, this.#snapshot)) {
      throw new UsageError(
        `truncate: expected a whole number >= ${Math.max(1, this.#snapshot)}, that of the last snapshot, got ${index}`,
      );
    }
    if (snapshot.length > MOST_SNAPSHOT_BYTES) {
      throw new OverflowError(
        `truncate: expected a snapshot of at most ${MOST_SNAPSHOT_BYTES} bytes, got ${snapshot.length}`,
      );
    }
    if (index === this.#snapshot) return;
    this.#writeSnapshot(index, snapshot);
    this.#checkHeld("truncate");
    const before = this.#snapshot;
    this.#snapshot = index;
    if (index >= this.#last) {
      // the next record goes to a new segment
      this.#closeSegment();
      this.#last = index;
      this.#synced = index;
    }
    this.#removeOld(before);
  }

  /** Brings all to the disk, and frees the folder. A second call has no effect. @throws LogError, LogLockedError */
  close(): void {
    if (this.#isClosed) return;
    try {
      if (this.#failure === null && this.#lost === null && this.#fsync !== "never") this.sync();
    } finally {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      this.#closeSegment();
      this.#claim.release();
    }
  }

  /** As {@link close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  #checkUsable(call: string): void {
    if (this.#isClosed) throw new StateError(`${call}: the log ${this.#folder} was closed; open it again.`);
    if (this.#lost !== null) throw this.#lost;
    if (this.#failure === null) return;
    throw new LogError(
      this.#failure.file,
      `${call}: an earlier call has failed, and what the disk has is not known: ${sentenceOf(this.#failure)} Close the log and open it again.`,
      { cause: this.#failure },
    );
  }

  /** Before a write and after it. @throws LogLockedError if another one has the folder: the log takes no call then */
  #checkHeld(call: string): void {
    if (this.#claim.isHeld()) return;
    clearTimeout(this.#timer);
    this.#lost = lostError(this.#folder, call);
    throw this.#lost;
  }

  #encode(records: readonly LogRecord[]): Uint8Array {
    let bytes = 0;
    for (const [i, { index, command }] of records.entries()) {
      const expected = this.#last + 1 + i;
      if (index !== expected) throw new UsageError(`append: expected record ${expected}, got ${index}`);
      if (command.length > MOST_COMMAND_BYTES) {
        throw new OverflowError(
          `append: expected a command of at most ${MOST_COMMAND_BYTES} bytes, got ${command.length}`,
        );
      }
      bytes += RECORD_HEADER_BYTES + command.length;
    }
    if (bytes > this.#batch.length) this.#batch = new Uint8Array(2 * bytes);
    let at = 0;
    for (const { index, command } of records) at = writeRecord(this.#batch, at, index, command, this.#synced);
    return this.#batch.subarray(0, at);
  }

  /** The segment for the next records: another one if the last one is full. */
  #openSegment(): Segment {
    if (this.#segment !== null && this.#segment.length < this.#segmentBytes) return this.#segment;
    this.#sync();
    const first = this.#last + 1;
    const file = join(this.#folder, segmentName(first));
    let segment: Segment;
    try {
      segment = this.#create(file, segmentHeader(first));
    } catch (error) {
      this.#checkHeld("append");
      throw failed(file, error, "Nothing was appended.");
    }
    this.#closeSegment();
    this.#segments.push(first);
    this.#segment = segment;
    return segment;
  }

  /** Writes the beginning of a segment, in place of what has its name. @throws LogLockedError; the system's error */
  #create(file: string, bytes: Uint8Array): Segment {
    const part = partName(file, this.#claim.token);
    let name = part;
    let fd: number | undefined;
    try {
      this.#disk.remove(part);
      fd = this.#disk.create(part);
      this.#disk.write(fd, bytes, 0);
      this.#disk.sync(fd);
      this.#checkHeld("append");
      this.#disk.rename(part, file);
      name = file;
      this.#disk.syncFolder(this.#folder);
    } catch (error) {
      this.#abandon(name, fd);
      throw error;
    }
    return { file, fd, length: bytes.length };
  }

  #writeSnapshot(index: number, snapshot: Uint8Array): void {
    const file = join(this.#folder, snapshotName(index));
    const part = partName(file, this.#claim.token);
    let fd: number | undefined;
    this.#checkHeld("truncate");
    try {
      this.#disk.remove(part);
      fd = this.#disk.create(part);
      this.#disk.write(fd, snapshotFile(index, snapshot), 0);
      this.#disk.sync(fd);
      this.#disk.close(fd);
      fd = undefined;
      this.#checkHeld("truncate");
      this.#disk.rename(part, file);
    } catch (error) {
      this.#abandon(part, fd);
      this.#checkHeld("truncate");
      throw failed(file, error, "The log is as before.");
    }
    try {
      this.#disk.syncFolder(this.#folder);
    } catch (error) {
      throw this.#fail(file, error);
    }
  }

  /** Removes what the snapshot has replaced. A file that stays does no harm: the next opening tries again. */
  #removeOld(snapshotBefore: number): void {
    const last = this.#segment === null ? this.#segments.length : this.#segments.length - 1;
    let covered = 0;
    while (covered < last && (this.#segments[covered + 1] ?? this.#last + 1) <= this.#snapshot + 1) covered++;
    const names = this.#segments.splice(0, covered).map(segmentName);
    if (snapshotBefore > 0) names.push(snapshotName(snapshotBefore));
    for (const name of names) {
      try {
        this.#disk.remove(join(this.#folder, name));
      } catch {}
    }
  }

  #syncByPolicy(): void {
    if (this.#fsync === "never") return;
    const passed = monotonic() - this.#syncedAt;
    if (this.#fsync === "always" || passed >= this.#intervalMs) {
      this.#sync();
      return;
    }
    this.#timer ??= setTimeout(() => {
      try {
        this.sync();
      } catch {
        // the next call tells it
      }
    }, this.#intervalMs - passed).unref();
  }

  /** After a write that failed: cuts off what is there of it. */
  #takeBack({ file, fd, length }: Segment, error: unknown): LogError {
    try {
      this.#disk.truncate(fd, length);
    } catch {
      return this.#fail(file, error);
    }
    return failed(file, error, "Nothing was appended.");
  }

  /** Removes a file that was being written; not one of this name of who took the folder over. */
  #abandon(file: string, fd: number | undefined): void {
    try {
      if (fd !== undefined) this.#disk.close(fd);
      if (this.#claim.isHeld()) this.#disk.remove(file);
    } catch {
      // it is removed when the log is opened
    }
  }

  #fail(file: string, error: unknown): LogError {
    this.#failure = failed(file, error, "What the disk has is not known: close the log and open it again.");
    clearTimeout(this.#timer);
    return this.#failure;
  }

  #closeSegment(): void {
    if (this.#segment === null) return;
    const { fd } = this.#segment;
    this.#segment = null;
    this.#disk.close(fd);
  }
}

const failed = (file: string, error: unknown, then: string): LogError =>
  new LogError(file, `${file}: ${(error as Error).message}. ${then}`, { cause: error });
