/** Folders of logs for tests, and what is in them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogRecord } from "../../../../src/facilities/agree/state-machine.ts";
import type { FileLog } from "../../../../src/facilities/store/log/file-log.ts";

/** Runs the body with a new folder, and removes it. */
export function withFolder<T>(body: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "tundish-log-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let result: T;
  try {
    result = body(folder);
  } catch (error) {
    remove();
    throw error;
  }
  if (result instanceof Promise) return result.finally(remove) as T;
  remove();
  return result;
}

/** A record whose bytes tell its number, of different lengths. */
export const recordOf = (index: number): LogRecord => ({
  index,
  command: Uint8Array.from({ length: index % 7 }, (_, i) => 31 * index + i),
});

export const recordsFrom = (first: number, last: number): LogRecord[] =>
  Array.from({ length: last - first + 1 }, (_, i) => recordOf(first + i));

/** What a log has given back, in a form to compare. */
export const found = ({ recovered: { snapshotIndex, snapshot, records } }: FileLog): unknown => ({
  snapshotIndex,
  snapshot: snapshot === null ? null : [...snapshot],
  records: records.map(({ index, command }) => [index, ...command]),
});

export const expected = (snapshotIndex: number, first: number, last: number): unknown => ({
  snapshotIndex,
  snapshot: snapshotIndex === 0 ? null : [...stateOf(snapshotIndex)],
  records: recordsFrom(first, last).map(({ index, command }) => [index, ...command]),
});

export const stateOf = (index: number): Uint8Array => Uint8Array.of(index, 255, index);
