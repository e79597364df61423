/**
 * Memory of an array that is larger than the heap: a SharedArrayBuffer of its own. V8 reserves the pages, and they use
 * physical memory when they are touched. The collector frees it when no thread has the array any more, which may be
 * much later: what is known to be unused gives its pages back at once (pages.ts).
 */
import { freemem } from "node:os";
import { HeapError } from "../base/errors.ts";
import { wantLargePages } from "./pages.ts";

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
    const memory = new SharedArrayBuffer(bytes);
    wantLargePages(memory, 0, bytes);
    return memory;
  } catch (cause) {
    throw refused(cause);
  }
}
