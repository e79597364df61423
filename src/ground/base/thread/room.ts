/**
 * The system's limits for this process: mappings, address space, threads; known on Linux only.
 *
 * V8 ends the process where it gets no memory for a thread that has begun ("heap out of memory"). So it is asked before
 * whether there is room for one.
 */
import type { Worker } from "node:worker_threads";
import { EnvironmentError } from "../errors.ts";
import { monotonic } from "../event-loop/timers.ts";
import { addressSpace, type Limit, mappings, threadLimits } from "./system-limits.ts";

const MIB = 2 ** 20;

/** Mappings of a PE's thread: measured were 75 to 93 with the modules of this package, Node 20, 24 and 26. */
const THREAD_MAPPINGS = 128;
/** Address space that V8 reserves for a thread: measured were 535 MiB on Node 20 and 24, 780 MiB on Node 26. */
const THREAD_BYTES: number = (Number.parseInt(process.versions.node, 10) < 25 ? 640 : 896) * MIB;
/** Left to the process itself. */
const OWN_MAPPINGS = 256;
const OWN_BYTES: number = 64 * MIB;

/** Mappings take a millisecond per 1,000 to count: it is done once for so many threads, within so many ms. */
const COUNTED_THREADS = 8;
const COUNTED_MS = 50;

/** Threads that have been started and do not run yet: what they will take is not seen. */
let starting = 0;
let counted: Counted | undefined;

interface Counted {
  readonly limit: Limit | null;
  readonly at: number;
  /** Threads that were starting then. */
  readonly before: number;
  /** Threads started since. */
  since: number;
}

/** Says that a thread is being started. */
export function countStart(worker: Worker): void {
  starting++;
  let isCounted = true;
  const end = () => {
    if (isCounted) starting--;
    isCounted = false;
  };
  worker.once("online", end);
  worker.once("exit", end);
}

/**
 * @throws EnvironmentError if V8 would end this process for want of mappings or address space, were one more thread
 *   started
 */
export function checkRoom(): void {
  const now = monotonic();
  if (counted === undefined || counted.since >= COUNTED_THREADS || now - counted.at > COUNTED_MS)
    counted = { limit: mappings(), at: now, before: starting, since: 0 };
  counted.since++;
  const short = [
    isShort(counted.limit, (counted.before + counted.since) * THREAD_MAPPINGS + OWN_MAPPINGS),
    isShort(addressSpace(), (starting + 1) * THREAD_BYTES + OWN_BYTES),
  ].filter((limit) => limit !== null);
  if (short.length === 0) return;
  const need = `${THREAD_MAPPINGS} mappings and ${THREAD_BYTES / MIB} MiB of address space`;
  throw new EnvironmentError(`There is no room for another thread, which takes some ${need}. ${textOf(short)}`);
}

/** The error of a thread that did not start for a limit of the system; else null. @param cause the Worker's error */
export function refusalOf(cause: unknown): EnvironmentError | null {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  const isRefused = code === "ERR_WORKER_INIT_FAILED";
  if (!isRefused && code !== "ERR_WORKER_OUT_OF_MEMORY") return null;
  const short = [
    isShort(mappings(), THREAD_MAPPINGS + OWN_MAPPINGS),
    isShort(addressSpace(), THREAD_BYTES + OWN_BYTES),
    ...(isRefused ? threadLimits().map((limit) => isShort(limit, 1)) : []),
  ].filter((limit) => limit !== null);
  // then the thread has reached the limit of its own objects
  if (short.length === 0 && !isRefused) return null;
  const why = String(message).includes("EMFILE")
    ? "This process has no file descriptor left (ulimit -n). Use fewer PEs, close files, or raise the limit."
    : textOf(short) || "See the limits on threads (ulimit -u, pids.max of the container) and on memory.";
  return new EnvironmentError(`The system refuses another thread (${message}). ${why}`, { cause });
}

/** Why there is no address space for a heap of so many bytes, and what to do. */
export function whyNoMemory(bytes: number): string {
  const short = [
    isShort(mappings(), OWN_MAPPINGS),
    // V8 reserves 8 or 10 GiB for each, with pages that catch what is out of bounds; Node 24 can do without
    isShort(addressSpace(), bytes + 10 * 1024 * MIB),
  ].filter((limit) => limit !== null);
  if (short.length > 0) return textOf(short);
  return "Use a smaller heapBytes, or raise the limit on address space (ulimit -v).";
}

const isShort = (limit: Limit | null, need: number): Limit | null =>
  limit !== null && limit.used + need > limit.most ? limit : null;

const textOf = (short: readonly Limit[]): string => short.map(({ text, advice }) => `${text}. ${advice}`).join(" ");
