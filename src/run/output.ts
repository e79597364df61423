/**
 * Prints the output of PEs immediately.
 *
 * Node sends a worker's output to the main thread, which writes it; from the second line on it does so only when the
 * worker's event loop runs. Output that a PE prints before it blocks or loops for ever would be lost, just where it is
 * needed most. So PEs write to the process's stdout and stderr themselves, as the main thread does. If the main
 * thread's output is intercepted, or launch() was called in a worker, whose output may be intercepted, the output takes
 * Node's usual path.
 */
import { writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { isMainThread } from "node:worker_threads";

/** The streams that a PE writes to directly; cloneable. */
export interface Output {
  readonly stdout: boolean;
  readonly stderr: boolean;
  /**
   * One word: 1 while a thread writes. A pipe may accept a long line in parts; the lock keeps other threads' output
   * from between them.
   */
  readonly lock: Int32Array;
  /** Whether each line begins with the rank of its PE. */
  readonly tagged: boolean;
}

const FREE = 0;
const TAKEN = 1;
/** Longest wait for the lock, ms: the holder may have been killed. */
const LOCK_TIMEOUT_MS = 1000;
/** Time between two attempts to write to a full pipe, ms. */
const FULL_MS = 1;

let lock: Int32Array | undefined;

/** The streams that PEs started by this thread write to directly. */
export function outputOfPEs(tagged = false): Output {
  lock ??= new Int32Array(new SharedArrayBuffer(4));
  const { stdout, stderr } = process;
  return { stdout: isPlain(stdout, 1), stderr: isPlain(stderr, 2), lock, tagged };
}

const isPlain = (stream: NodeJS.WriteStream, fd: number): boolean =>
  isMainThread && (stream as { fd?: unknown }).fd === fd && !Object.hasOwn(stream, "write");

/** From now on this worker, which is PE `rank`, writes to the process's streams itself. */
export function printAtOnce({ stdout, stderr, lock, tagged }: Output, rank: number): void {
  if (stdout) takeOver(process.stdout, 1, lock);
  if (stderr) takeOver(process.stderr, 2, lock);
  if (!tagged) return;
  for (const stream of [process.stdout, process.stderr]) tagLines(stream, rank);
}

interface Chunk {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

const bytesOf = (chunks: readonly Chunk[]): Buffer =>
  Buffer.concat(
    chunks.map(({ chunk, encoding }) => (typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk)),
  );

const NEWLINE = 0x0a;

/** Begins each line with the rank. The last part of a line waits for its end, or that of the thread. */
function tagLines(stream: Writable, rank: number): void {
  const write = stream._writev;
  const tag = Buffer.from(`[${rank}] `);
  let rest = Buffer.alloc(0);
  const put = (bytes: Buffer, done: (error?: Error | null) => void): void =>
    write?.call(stream, [{ chunk: bytes, encoding: "buffer" as BufferEncoding }], done);
  stream._writev = (chunks: Chunk[], done) => {
    const bytes = Buffer.concat([rest, bytesOf(chunks)]);
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      lines.push(tag, bytes.subarray(from, at + 1));
      from = at + 1;
    }
    rest = bytes.subarray(from);
    if (lines.length > 0) put(Buffer.concat(lines), done);
    else done();
  };
  process.on("exit", () => {
    if (rest.length > 0) put(Buffer.concat([tag, rest, Buffer.from("\n")]), () => {});
  });
}

function takeOver(stream: Writable, fd: number, lock: Int32Array): void {
  const throughMain = stream._writev;
  stream._writev = function (chunks: Chunk[], done) {
    try {
      writeAll(fd, bytesOf(chunks), lock);
    } catch {
      // for example a closed pipe: the main thread gets the same error and handles it
      throughMain?.call(this, chunks as never, done);
      return;
    }
    done();
  };
}

function writeAll(fd: number, bytes: Uint8Array, lock: Int32Array): void {
  const until = performance.now() + LOCK_TIMEOUT_MS;
  // pairs with the store and the notify below
  while (Atomics.compareExchange(lock, 0, FREE, TAKEN) !== FREE) {
    const left = until - performance.now();
    if (left <= 0) break;
    Atomics.wait(lock, 0, TAKEN, left);
  }
  try {
    for (let at = 0; at < bytes.length; ) at += writeSome(fd, bytes, at);
  } finally {
    Atomics.store(lock, 0, FREE);
    Atomics.notify(lock, 0, 1);
  }
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
