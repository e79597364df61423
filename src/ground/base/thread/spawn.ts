/** Starts worker threads that run a module of this package, built or from its TypeScript sources. */

import { type ResourceLimits, Worker, type WorkerOptions } from "node:worker_threads";
import { checkRoom, countStart, refusalOf } from "./room.ts";
import { findTsx } from "./tsx.ts";

/** Why this process can start no thread; null if it can. */
export function whyNoThreads(): string | null {
  try {
    process.cwd();
    return null;
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    return `the working directory was removed (${why}), and Node.js starts no thread then. Change to another directory.`;
  }
}

/** What a message hands over; the name that @types/node has for it differs between versions. */
export type Transferred = NonNullable<Parameters<Worker["postMessage"]>[1]>[number];

/** How to start a thread. */
export interface ThreadStart {
  /** The module it runs. */
  readonly entry: URL;
  readonly workerData: unknown;
  /** Ports that `workerData` transfers instead of copying. */
  readonly transferList?: readonly Transferred[];
  /** Shown by debuggers and in stack traces. */
  readonly name: string;
  /** Whether it supplies its `process.stdin` itself; else Node.js ends that at once. @default false */
  readonly isReading?: boolean;
  /** Limits of its memory. */
  readonly resourceLimits?: ResourceLimits | undefined;
}

/**
 * Starts a thread. A TypeScript entry needs tsx, which Node 20 does not apply to worker threads; there it is registered
 * inside the thread first.
 * @throws EnvironmentError if a limit of the system leaves no room for it
 */
export function spawnThread({
  entry,
  workerData,
  name,
  transferList = [],
  isReading = false,
  resourceLimits,
}: ThreadStart): Worker {
  const execArgv = loadingOptions();
  const options = {
    workerData,
    name,
    ...(isReading && { stdin: true }),
    transferList: [...transferList],
    ...(execArgv && { execArgv }),
    ...(resourceLimits && { resourceLimits }),
  };
  if (!entry.pathname.endsWith(".ts")) return startThread(entry, options);
  const code =
    `import(${JSON.stringify(findTsx(import.meta.url)?.esm)}).then((tsx) => { tsx.register(); return import(` +
    `${JSON.stringify(entry.href)}); }).catch((error) => setImmediate(() => { throw error; }));`;
  return startThread(code, { ...options, eval: true });
}

/** Makes a Worker. @throws as {@link spawnThread} */
export function startThread(code: URL | string, options: WorkerOptions): Worker {
  checkRoom();
  try {
    const worker = new Worker(code, options);
    countStart(worker);
    return worker;
  } catch (cause) {
    throw refusalOf(cause) ?? cause;
  }
}

/**
 * The options of Node that control module loading, for `node -e` and the like. A thread inherits all options by default
 * and would treat its own module as the text of -e. V8 options hold for the whole process, and a thread refuses them.
 */
function loadingOptions(): string[] | undefined {
  const text = /^(--input-type(=.*)?|-e|--eval|-p|--print|-pe|-i|--interactive)$/;
  if (!process.execArgv.some((argument) => text.test(argument))) return undefined;
  const loading =
    /^(--import|--require|-r|--loader|--experimental-loader|--conditions|-C|--enable-source-maps|--no-warnings)(=|$)/;
  const withValue = /^(--import|--require|-r|--loader|--experimental-loader|--conditions|-C)$/;
  return process.execArgv.filter((argument, i, all) => loading.test(argument) || (i > 0 && withValue.test(all[i - 1])));
}
