/** The PEs of `bench shared`: one job. Sums of what was read are compared between a Map and a shared map. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { f64, type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { lock, sharedMap } from "../../../../src/shared.ts";
import { ENTRIES, type SharedAnswer, type SharedJob } from "./works.ts";

/** What both kinds of maps have. */
interface Numbers {
  get(key: number): number | undefined;
  set(key: number, value: number): unknown;
}

interface Work {
  /** Operations of this PE. @returns a sum that depends on all of them */
  run(count: number): number;
  readonly entryBytes: number | null;
}

function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Whole numbers below 2^31, which a Map is fastest with. */
const keyOf = (i: number): number => i * 4099;

function locks(pe: PE): Work {
  const a = lock(pe);
  const sum = pe.allocShared(Float64Array, 16);
  return {
    entryBytes: null,
    run(count) {
      for (let i = 0; i < count; i++) {
        a.lock();
        (sum[0] as number)++;
        a.unlock();
      }
      pe.barrier();
      const all = sum[0] as number;
      pe.barrier();
      sum[0] = 0;
      if (all !== count * pe.size) throw new Error(`${all} additions under a lock instead of ${count * pe.size}`);
      return all;
    },
  };
}

const plainMap = (): Map<number, number> => new Map();

/** Gets and sets of keys that are there, in an order without a pattern. */
function uses(map: Numbers, first: number, isMixed: boolean, entryBytes: number | null): Work {
  let seed = first | 1;
  return {
    entryBytes,
    run(count) {
      let found = 0;
      for (let i = 0; i < count; i++) {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
        const key = keyOf((seed >>> 8) % ENTRIES);
        if (isMixed && i % 10 === 0) map.set(key, 1);
        else found += map.get(key) as number;
      }
      if (found !== count - (isMixed ? Math.ceil(count / 10) : 0)) throw new Error(`${found} found of ${count}`);
      return found;
    },
  };
}

function madeWork(pe: PE, { kind, work }: SharedJob): Work {
  if (work === "lock") return locks(pe);
  if (work === "insert") {
    return {
      entryBytes: null,
      run(count) {
        const map = kind === "alone" ? plainMap() : sharedMap(pe, f64, f64);
        for (let i = 0; i < count; i++) map.set(keyOf(i * pe.size + pe.rank), 1);
        pe.barrier();
        if (map.size !== count * pe.size) throw new Error(`${map.size} entries`);
        pe.barrier();
        if ("leave" in map) map.leave();
        return count;
      },
    };
  }
  const before = kind === "alone" ? usedHeap() : 0;
  const map = kind === "alone" ? plainMap() : sharedMap(pe, f64, f64);
  for (let i = pe.rank; i < ENTRIES; i += pe.size) map.set(keyOf(i), 1);
  pe.barrier();
  const bytes = map instanceof Map ? usedHeap() - before : map.bytes;
  return uses(map, 7919 * (pe.rank + 1), work === "mixed", bytes / ENTRIES);
}

const program: Spmd = spmd((pe: PE, args: unknown): SharedAnswer => {
  const job = args as SharedJob;
  const work = madeWork(pe, job);
  const times = Array.from({ length: job.runs }, () => {
    pe.barrier();
    const start = performance.now();
    work.run(Math.ceil(job.size / pe.size));
    pe.barrier();
    return (performance.now() - start) * 1e6;
  });
  return { bound: pe.cpu !== null, times, entryBytes: work.entryBytes };
});

export default program;
