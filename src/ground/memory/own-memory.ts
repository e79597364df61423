/**
 * Memory of an array that is larger than the heap: a SharedArrayBuffer of its own. V8 reserves the pages, and they use
 * physical memory when they are touched. The collector frees it when no thread has the array any more, which may be
 * much later: what is known to be unused gives its pages back at once.
 *
 * Source: madvise(2) of Linux.
 */
import { freemem } from "node:os";
import { HeapError } from "../base/errors.ts";
import { addressOf, native } from "../base/native/native.ts";
import { shield } from "../base/shield.ts";

const MADVISE = "int madvise(uintptr_t at, size_t bytes, int advice)";
const MADV_DONTNEED = 4;
/** Multiple of every page size of Linux. */
const PAGE_BYTES = 65_536;

/** Bytes that this process can have: of the machine, or of its container. */
const freeBytes = (): number => Math.min(freemem(), process.availableMemory?.() ?? Number.POSITIVE_INFINITY);

/**
 * @param lower what to ask for instead where there is room for so many bytes, as a sentence
 * @throws HeapError that says how much was asked for and how much there is
 */
export function reserveOwn(call: string, bytes: number, lower: (room: number) => string): SharedArrayBuffer {
  const free = freeBytes();
  const refused = (cause?: unknown): HeapError =>
    new HeapError(
      `${call}: cannot have ${bytes} bytes beside the heap, which is smaller: ${free} are free on this machine` +
        `${cause === undefined ? "" : ` (${(cause as Error).message})`}. ${lower(free)} Or end other programs, or free arrays.`,
      { cause },
    );
  if (bytes > free) throw refused();
  try {
    return new SharedArrayBuffer(bytes);
  } catch (cause) {
    throw refused(cause);
  }
}

/** Gives the pages of a memory back that no PE uses any more; its content is lost. Linux with native code. */
export function discardOwn(memory: SharedArrayBuffer): void {
  if (process.platform !== "linux" || native() === null) return;
  const begin = addressOf(new Uint8Array(memory, 0, 1));
  const first = Math.ceil(begin / PAGE_BYTES) * PAGE_BYTES;
  const bytes = Math.floor((begin + memory.byteLength - first) / PAGE_BYTES) * PAGE_BYTES;
  if (bytes <= 0) return;
  shield(() => native()?.load(null).func(MADVISE)(first, bytes, MADV_DONTNEED));
}
