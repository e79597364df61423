/**
 * Memory that several processes of one machine share: a file without a name in the system's memory, which each maps
 * over pages of a WebAssembly memory of its own. From then on all its views and kernels access the same bytes as the
 * other processes'. The pages stay mapped until the WebAssembly memory is collected, also when the other processes
 * have ended.
 *
 * Other processes of the same user open the file through /proc; nothing has to be removed afterwards.
 *
 * Source: memfd_create(2), mmap(2), proc_pid_fd(5) of Linux.
 */
import { closeSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { addressOf, native } from "../base/native/native.ts";
import { shield } from "../base/shield.ts";

const MFD_CLOEXEC = 1;
const PROT_READ_WRITE = 3;
const MAP_SHARED_FIXED = 0x11;

/** The calls of the C library. */
interface Calls {
  create(name: string, flags: number): number;
  map(at: number, bytes: number, protection: number, flags: number, fd: number, offset: number): number;
}

let opened: Calls | null | undefined;

/** The calls, opened once in a thread; null if they are not available. */
function calls(): Calls | null {
  if (opened === undefined) opened = shield(open);
  return opened;
}

function open(): Calls | null {
  const libc = process.platform === "linux" ? native()?.load(null) : undefined;
  if (libc === undefined) return null;
  try {
    return {
      create: libc.func("int memfd_create(const char *name, unsigned int flags)"),
      map: libc.func("intptr_t mmap(uintptr_t at, size_t bytes, int protection, int flags, int fd, int64_t offset)"),
    };
  } catch {
    return null; // another C library
  }
}

/** A file of `bytes` zeros, of which only what is touched is in memory; its descriptor, or -1 without such files. */
export function createMemoryFile(bytes: number): number {
  const fd = calls()?.create("tundish", MFD_CLOEXEC) ?? -1;
  if (fd < 0) return -1;
  try {
    ftruncateSync(fd, bytes);
    return fd;
  } catch {
    try {
      closeSync(fd);
    } catch {
      // Deno uses no descriptor that it has not opened itself; there are no such files then
    }
    return -1;
  }
}

/** Opens the memory file of another process, of at least `bytes` bytes; -1 if that is not possible. */
export function openMemoryFile(pid: number, number: number, bytes: number): number {
  let fd = -1;
  try {
    fd = openSync(`/proc/${pid}/fd/${number}`, "r+");
    if (fstatSync(fd).size >= bytes) return fd;
  } catch {
    // another user's, another container's, or gone
  }
  if (fd >= 0) closeSync(fd);
  return -1;
}

/**
 * Maps the first `bytes` bytes of a file over a memory from byte `offset` on, both multiples of 64 KiB; what was there
 * is lost. Returns whether that succeeded.
 */
export function mapFile(memory: Uint8Array, offset: number, bytes: number, fd: number): boolean {
  const at = addressOf(memory) + offset;
  return calls()?.map(at, bytes, PROT_READ_WRITE, MAP_SHARED_FIXED, fd, 0) === at;
}
