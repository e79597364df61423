/**
 * Prints the output of PEs immediately.
 *
 * Node sends a worker's output to the main thread, which writes it; from the second line on it does so only when the
 * worker's event loop runs. Output that a PE prints before it blocks or loops for ever would be lost, just where it is
 * needed most. So PEs write to the process's stdout and stderr themselves, as the main thread does. If the main
 * thread's output is intercepted, or launch() was called in a worker, whose output may be intercepted, the output takes
 * Node's usual path.
 */

import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { isMainThread, threadId } from "node:worker_threads";
import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import { bytesOf, OpenLine, type OutputChunk, tagHeld } from "./tagged-lines.ts";

/** The streams that a PE writes to directly; cloneable. */
export interface Output {
  readonly stdout: boolean;
  readonly stderr: boolean;
  /**
   * LOCK is 1 while a thread writes: a pipe may accept a long line in parts, and other threads' output is kept from
   * between them. Two words for open lines follow (tagged-lines.ts).
   */
  readonly words: Int32Array;
  /** Whether the launching program handles errors of the streams. */
  readonly isHandled: boolean;
  /** Whether stdout and stderr are one file, such as a terminal. */
  readonly isOneFile: boolean;
  /** Whether each line begins with the rank of its PE. */
  readonly tagged: boolean;
}

const LOCK = 0;
const FREE = 0;
const TAKEN = 1;
/** Longest wait for the lock, ms: the holder may have been killed. */
const LOCK_TIMEOUT_MS = 1000;
/** Time between two attempts to write to a full pipe, ms. */
const FULL_MS = 1;

let words: Int32Array | undefined;

/** The streams that PEs started by this thread write to directly. */
export function outputOfPEs(tagged = false): Output {
  words ??= new Int32Array(new SharedArrayBuffer(12));
  const { stdout, stderr } = process;
  return {
    stdout: isPlain(stdout, 1),
    stderr: isPlain(stderr, 2),
    words,
    isOneFile: isOneFile(),
    tagged,
    isHandled: [stdout, stderr].some(isHandled),
  };
}

const isPlain = (stream: NodeJS.WriteStream, fd: number): boolean =>
  isMainThread && (stream as { fd?: unknown }).fd === fd && !Object.hasOwn(stream, "write");

/** Whether the program listens to errors of a stream, beside the streams of workers that Node.js pipes to it. */
const isHandled = (stream: NodeJS.WriteStream): boolean =>
  stream.listenerCount("error") > stream.listenerCount("unpipe");

function isOneFile(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false; // one of them is closed
  }
}

/** The line of a file that PEs write to directly. */
const lineOf = ({ words, isOneFile }: Output, fd: number): OpenLine => new OpenLine(words, isOneFile ? 1 : fd);

/** From now on this worker, which is PE `rank`, writes to the process's streams itself. */
export function printAtOnce(output: Output, rank: number): void {
  for (const [stream, fd, isDirect] of [
    [process.stdout, 1, output.stdout],
    [process.stderr, 2, output.stderr],
  ] as const) {
    if (!isDirect) {
      if (output.tagged) tagHeld(stream, rank);
      continue;
    }
    const line = output.tagged ? lineOf(output, fd) : null;
    const writer = threadId * 2 + fd - 1;
    takeOver(stream, output.isHandled, (bytes) =>
      locked(output.words, () => writeAll(fd, line === null ? bytes : line.add(bytes, writer, rank))),
    );
    if (line !== null) process.on("exit", () => endLine(output, fd, writer));
  }
}

/** The PEs have ended: what others print begins a line of its own. */
export function endLines(output: Output): void {
  if (output.stdout) endLine(output, 1);
  if (output.stderr) endLine(output, 2);
}

/** @param writer whose line it is to be. @default anybody's */
function endLine(output: Output, fd: number, writer?: number): void {
  const line = lineOf(output, fd);
  if (!line.isOpen(writer)) return;
  try {
    locked(output.words, () => writeAll(fd, line.end(writer)));
  } catch {
    // a closed pipe, for example: nobody reads the line
  }
}

/**
 * @param isHandled whether the main thread handles the error of a closed pipe or a full disk: then it gets the output,
 *   and the same error. Else it would die of that; the stream of this thread has the error then, which `console`
 *   ignores, as it does there.
 */
function takeOver(stream: Writable, isHandled: boolean, write: (bytes: Buffer) => void): void {
  const throughMain = stream._writev;
  stream._writev = function (chunks: OutputChunk[], done) {
    try {
      write(bytesOf(chunks));
    } catch (error) {
      if (isHandled) throughMain?.call(this, chunks as never, done);
      else done(error as Error);
      return;
    }
    done();
  };
}

function locked(words: Int32Array, body: () => void): void {
  const until = monotonic() + LOCK_TIMEOUT_MS;
  // pairs with the store and the notify below
  while (Atomics.compareExchange(words, LOCK, FREE, TAKEN) !== FREE) {
    const left = until - monotonic();
    if (left <= 0) break;
    Atomics.wait(words, LOCK, TAKEN, left);
  }
  try {
    body();
  } finally {
    Atomics.store(words, LOCK, FREE);
    Atomics.notify(words, LOCK, 1);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSome(fd, bytes, at);
}

/** Writes bytes from `at` on, as many as the file accepts; returns their number. */
function writeSome(fd: number, bytes: Uint8Array, at: number): number {
  try {
    return writeSync(fd, bytes, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS);
    return 0;
  }
}
