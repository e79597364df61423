/**
 * A process whose system lets it have no more of something: `node --expose-gc room.program.js WHAT [DESCRIPTORS]`. It
 * takes nearly all that is left, beside a world that is open, and launches more PEs than there is room for. Prints an
 * Outcome as JSON.
 */
import { closeSync, openSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { addressSpace, type Limit, mappings } from "../../../../src/ground/base/thread/system-limits.ts";
import { launch, open, type Spmd, spmd, type TundishError } from "../../../../src/index.ts";

export type What = "mappings" | "address space" | "heap" | "descriptors" | "threads";

export interface Outcome {
  /** Of the launch that there was no room for. */
  readonly error: { readonly name: string; readonly code: string; readonly message: string } | null;
  /** The results of the world that was open, afterwards. */
  readonly others: unknown;
  /** The results of a launch once there is room again. */
  readonly after: unknown;
  /** Threads that are left of the launch that failed. */
  readonly threads: number;
}

const GIB = 2 ** 30;
const PES = 40;
const heapBytes = 2 ** 24;
const here = sibling("./room.program.js", import.meta.url);

const program: Spmd = spmd((pe) => pe.allreduce(pe.rank, "sum"));
export default program;

const entries = (folder: string): number => readdirSync(folder).length;

/** What is taken of a resource at a time, and how much is left in the end. */
interface Taking {
  readonly of: () => Pick<Limit, "used" | "most"> | null;
  readonly leave: number;
  /** What one takes. */
  readonly each: number;
  take(): () => void;
}

const share = (most: number): (() => void) => {
  const kept = { buffer: new SharedArrayBuffer(4096, { maxByteLength: most }) as SharedArrayBuffer | null };
  return () => {
    kept.buffer = null;
  };
};

const takings: Readonly<Record<Exclude<What, "threads">, Taking>> = {
  // two each: the pages in use, and those that it may grow into
  mappings: { of: mappings, leave: 600, each: 2, take: () => share(2 ** 17) },
  // a heap takes 8 or 10 GiB, and then there is room for a thread or two
  "address space": { of: addressSpace, leave: 12 * GIB, each: GIB, take: () => share(GIB) },
  heap: { of: addressSpace, leave: 2 * GIB, each: GIB, take: () => share(GIB) },
  descriptors: {
    of: () => ({ used: entries("/proc/self/fd"), most: Number(process.argv[3]) }),
    leave: 2,
    each: 1,
    take() {
      const file = openSync("/dev/null", "r");
      return () => closeSync(file);
    },
  },
};

const nothing = { most: 0, used: 0 };

/** Takes all but what is to be left. @returns what gives it back */
function fill({ of, leave, each, take }: Taking): () => Promise<void> {
  const { most, used } = of() ?? nothing;
  const taken = Array.from({ length: Math.floor((most - used - leave) / each) }, take);
  return async () => {
    for (const giveBack of taken) giveBack();
    for (let i = 0; i < 100 && (of() ?? nothing).used > used + leave / 4; i++) {
      globalThis.gc?.();
      await delay(50);
    }
  };
}

async function main(what: What): Promise<Outcome> {
  const limits = { pes: 2, heapBytes };
  await using world = await open(limits);
  await world.run(here);
  const before = entries("/proc/self/task");
  const giveBack = what === "threads" ? () => Promise.resolve() : fill(takings[what]);
  const error = await launch(here, { pes: PES, heapBytes: what === "heap" ? 4 * GIB : heapBytes }).then(
    () => null,
    ({ name, code, message }: TundishError) => ({ name, code, message }),
  );
  const others = await world.run(here);
  await giveBack();
  const after = await launch(here, limits);
  for (let i = 0; i < 100 && entries("/proc/self/task") > before; i++) await delay(50);
  return { error, others, after, threads: entries("/proc/self/task") - before };
}

if (isMainThread) console.log(JSON.stringify(await main(process.argv[2] as What)));
