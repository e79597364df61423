/**
 * A thread is not ended while it opens a native library, requires a module, or holds a lock in the heap.
 *
 * Why: once a worker is being terminated, no Node-API call works in it any more, and koffi then aborts the whole
 * process; Node 20 does so itself where `require` instantiates a module. A lock would stay locked. So all three are
 * {@link shield}ed. The thread that terminates a worker first waits (some ms) until neither it nor a thread that it
 * started is shielded. From then on those threads wait to be terminated instead of entering a shield.
 *
 *     words of a thread, at 2 * (its id modulo THREADS)
 *     HELD     number of shielded threads: this one and its descendants
 *     CLOSED   1 + its id, if it is to end
 *
 * Limits: `Worker.terminate()` waits only in threads that have called launch() or createWorld(), where it is replaced.
 * Calls of a function that is open already need no shield as long as they take and return only numbers, strings and
 * typed arrays: for these koffi makes no Node-API call that could fail. It makes one for `_Out_ int *`, where it writes
 * to a JavaScript array.
 */

import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, Worker } from "node:worker_threads";
import { monotonic } from "./event-loop/timers.ts";

/** Options that a thread inherits from the thread that starts it. */
interface Inherited {
  readonly words: Int32Array;
  /** The ids of this thread's ancestors, as far as they are known. */
  readonly ancestors: readonly number[];
}

const KEY = "tundish.shield";
const THREADS = 1024;
const HELD = 0;
const CLOSED = 1;
/** Longest wait before a termination, ms: for a library that never opens. */
const END_TIMEOUT_MS = 5000;

const at = (id: number): number => 2 * (id % THREADS);

let words: Int32Array | null = null;
/** The ids of this thread and its ancestors. */
let lineage: readonly number[] = [];
let depth = 0;

/** State of a thread, shared by all copies of this package that the thread has loaded. */
const kState: unique symbol = Symbol.for("tundish.shield");
const holder = globalThis as { [kState]?: { isExiting: boolean } };

function take({ words: table, ancestors }: Inherited): void {
  words = table;
  lineage = [...new Set([threadId, ...ancestors])];
}

function find(): Int32Array | null {
  const inherited = words === null ? (getEnvironmentData(KEY) as unknown as Inherited | undefined) : undefined;
  if (inherited !== undefined) take(inherited);
  return words;
}

/** Runs `work`; this thread is not ended meanwhile. `work` waits for no other threads but shielded ones. */
export function shield<T>(work: () => T): T {
  const table = find();
  if (table === null || depth > 0) return work();
  enter(table);
  depth++;
  try {
    return work();
  } finally {
    depth--;
    release(table);
  }
}

function enter(table: Int32Array): void {
  for (;;) {
    // pairs with the load in close(): either the ending thread sees this shield, or this thread sees CLOSED
    for (const id of lineage) Atomics.add(table, at(id) + HELD, 1);
    const ending = lineage.find(
      // an exiting thread may still open a library: it is not ended before that
      (id) => !(id === threadId && holder[kState]?.isExiting) && Atomics.load(table, at(id) + CLOSED) === id + 1,
    );
    if (ending === undefined) return;
    release(table);
    // waits until it is terminated
    Atomics.wait(table, at(ending) + CLOSED, ending + 1);
  }
}

function release(table: Int32Array): void {
  // pairs with the wait in close()
  for (const id of lineage) if (Atomics.sub(table, at(id) + HELD, 1) === 1) Atomics.notify(table, at(id) + HELD);
}

/** From now on no thread of this family enters a shield; waits until none is shielded. */
function close(table: Int32Array, id: number): void {
  // pairs with the loads in enter()
  Atomics.store(table, at(id) + CLOSED, id + 1);
  const until = monotonic() + END_TIMEOUT_MS;
  for (let left = END_TIMEOUT_MS; left > 0; left = until - monotonic()) {
    const held = Atomics.load(table, at(id) + HELD);
    if (held === 0) return;
    Atomics.wait(table, at(id) + HELD, held, left);
  }
}

/** From now on this thread's threads are ended, also by its exit, only while they are not shielded. */
export function shieldThreads(): Int32Array {
  const table = find() ?? new Int32Array(new SharedArrayBuffer(THREADS * 2 * Int32Array.BYTES_PER_ELEMENT));
  if (holder[kState] !== undefined) return table;
  const state = { isExiting: false };
  holder[kState] = state;
  if (words === null) take({ words: table, ancestors: isMainThread ? [] : [0] });
  setEnvironmentData(KEY, { words: table, ancestors: lineage } as never);
  const { terminate } = Worker.prototype;
  Worker.prototype.terminate = function () {
    if (this.threadId >= 0) close(table, this.threadId);
    return terminate.call(this);
  };
  process.on("exit", () => {
    state.isExiting = true;
    close(table, threadId);
  });
  return table;
}

/** For a thread whose parent called {@link shieldThreads} after starting it. @param table returned by that */
export function shieldAlike(table: Int32Array): void {
  if (find() === null) take({ words: table, ancestors: [0] });
}
