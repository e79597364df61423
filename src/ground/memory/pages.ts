/**
 * What Linux is told about the pages of a memory: that large ones are to be had, that they are not used any more. By
 * native code; nothing happens without.
 *
 * Why large ones: a fault of each 2 MiB in place of 512 faults of 4 KiB, which zero no more bytes, and fewer misses of
 * the TLB. NumPy does the same from 4 MiB on.
 *
 * Source: madvise(2), and Documentation/admin-guide/mm/transhuge.rst of the kernel.
 */
import { addressOf, native } from "../base/native/native.ts";
import { shield } from "../base/shield.ts";

const MADVISE = "int madvise(uintptr_t at, size_t bytes, int advice)";
const MADV_DONTNEED = 4;
const MADV_HUGEPAGE = 14;
/** Multiple of every size of a small page of Linux. */
const PAGE_BYTES = 65_536;
const LARGE_PAGE_BYTES = 2 ** 21;
/** Blocks of so many bytes get large pages, which their neighbours have, too. */
export const LARGE_BLOCK_BYTES: number = 2 ** 19;

type Advise = (at: number, bytes: number, advice: number) => number;
let advise: Advise | null | undefined;

/** Advises of the pages that have bytes `begin` to `end` - 1, as far as they lie in the memory. */
function tell(memory: SharedArrayBuffer, begin: number, end: number, advice: number): void {
  const isLinux = process.platform === "linux";
  if (advise === undefined)
    advise = isLinux ? shield(() => (native()?.load(null).func(MADVISE) as Advise | undefined) ?? null) : null;
  if (advise === null) return;
  const base = addressOf(new Uint8Array(memory, 0, 1));
  const first = Math.floor((base + begin) / LARGE_PAGE_BYTES) * LARGE_PAGE_BYTES;
  const last = Math.ceil((base + end) / LARGE_PAGE_BYTES) * LARGE_PAGE_BYTES;
  const from = Math.max(first, Math.ceil(base / PAGE_BYTES) * PAGE_BYTES);
  const to = Math.min(last, Math.floor((base + memory.byteLength) / PAGE_BYTES) * PAGE_BYTES);
  if (to > from) advise(from, to - from, advice);
}

/** Pages of 2 MiB, where there are such, for bytes that nobody has touched yet. */
export const wantLargePages = (memory: SharedArrayBuffer, begin: number, end: number): void =>
  tell(memory, begin, end, MADV_HUGEPAGE);

/** Gives the pages of a memory back that no PE uses any more; its content is lost. */
export const discardPages = (memory: SharedArrayBuffer): void => tell(memory, 0, memory.byteLength, MADV_DONTNEED);
