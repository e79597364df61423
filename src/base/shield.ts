/**
 * Threads are ended between two calls of native code, not in the middle of one: the opening of a native library.
 *
 * What: from the moment in which a worker is to end, nothing that Node-API offers to an addon works there any more, and koffi answers
 * that with an abort of the whole process. So who opens a library is {@link shield}ed: who ends a thread waits, for some ms,
 * until neither it nor a thread that it has started is; and from then on they wait to be ended instead of beginning.
 *
 *     words of a thread, at 2 * (its id modulo THREADS)
 *     HELD     how many threads are shielded: this one, and those that descend from it
 *     CLOSED   1 + its id, when it is to end
 *
 * Limits: `Worker.terminate()` waits in threads that have called launch() or createWorld(), where it is replaced. Calls of a
 * function that is open already need no shield as long as numbers, strings and typed arrays are all that they take and give:
 * koffi asks Node-API nothing that could fail then, as it does for `_Out_ int *`, for which it writes to an array of JavaScript.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, Worker } from "node:worker_threads";

/** What threads inherit of the one that starts them. */
interface Inherited {
  readonly words: Int32Array;
  /** The ids of the threads that this one descends from, as far as they are known. */
  readonly ancestors: readonly number[];
}

const KEY = "tundish.shield";
const THREADS = 1024;
const HELD = 0;
const CLOSED = 1;
/** Longest time that an end waits, ms: for a library that cannot be opened for ever. */
const PATIENCE_MS = 5000;

const at = (id: number): number => 2 * (id % THREADS);

let words: Int32Array | null = null;
/** This thread and its ancestors. */
let line: readonly number[] = [];
let depth = 0;

/** What a thread has once, also where it has loaded two copies of this package. */
const kState: unique symbol = Symbol.for("tundish.shield");
const holder = globalThis as { [kState]?: { isExiting: boolean } };

function take({ words: table, ancestors }: Inherited): void {
  words = table;
  line = [...new Set([threadId, ...ancestors])];
}

function find(): Int32Array | null {
  const inherited =
    words === null ? (getEnvironmentData(KEY) as unknown as Inherited | undefined) : undefined;
  if (inherited !== undefined) take(inherited);
  return words;
}

/** Runs `work`, during which this thread is not ended. It must not wait for other threads. */
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
    // pairs with the load in close(): who ends a thread sees that it is shielded, or it sees that it is to end
    for (const id of line) Atomics.add(table, at(id) + HELD, 1);
    const ending = line.find(
      // a thread that exits may still open something: nobody ends it before that
      (id) =>
        !(id === threadId && holder[kState]?.isExiting) && Atomics.load(table, at(id) + CLOSED) === id + 1,
    );
    if (ending === undefined) return;
    release(table);
    // until it ends
    Atomics.wait(table, at(ending) + CLOSED, ending + 1);
  }
}

function release(table: Int32Array): void {
  // pairs with the wait in close()
  for (const id of line) if (Atomics.sub(table, at(id) + HELD, 1) === 1) Atomics.notify(table, at(id) + HELD);
}

/** From here on no thread of a family begins anything that is shielded; waits until none is. */
function close(table: Int32Array, id: number): void {
  // pairs with the loads in enter()
  Atomics.store(table, at(id) + CLOSED, id + 1);
  const until = performance.now() + PATIENCE_MS;
  for (let left = PATIENCE_MS; left > 0; left = until - performance.now()) {
    const held = Atomics.load(table, at(id) + HELD);
    if (held === 0) return;
    Atomics.wait(table, at(id) + HELD, held, left);
  }
}

/** From here on the threads that this one starts, ends, or leaves behind when it exits are ended only where they are not shielded. */
export function shieldThreads(): Int32Array {
  const table = find() ?? new Int32Array(new SharedArrayBuffer(THREADS * 2 * Int32Array.BYTES_PER_ELEMENT));
  if (holder[kState] !== undefined) return table;
  const state = { isExiting: false };
  holder[kState] = state;
  if (words === null) take({ words: table, ancestors: isMainThread ? [] : [0] });
  setEnvironmentData(KEY, { words: table, ancestors: line } as never);
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

/** For a thread that was started before its parent called {@link shieldThreads}: what that gave. */
export function shieldAlike(table: Int32Array): void {
  if (find() === null) take({ words: table, ancestors: [0] });
}
