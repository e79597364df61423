/** PEs that are lost while they hold a shared object, or wait for it. */
import { latch } from "../../../../src/facilities/shared/sync/latch.ts";
import { lock } from "../../../../src/facilities/shared/sync/lock.ts";
import { rwlock } from "../../../../src/facilities/shared/sync/read-write-lock.ts";
import { semaphore } from "../../../../src/facilities/shared/sync/semaphore.ts";
import type { PE, Spmd } from "../../../../src/index.ts";
import { spmd, TundishError } from "../../../../src/index.ts";

export interface Fault {
  readonly kind: "lock" | "rwlock" | "semaphore";
  readonly how: "throw" | "exit" | "return" | "hang";
  /** In which turn PE 1 ends, and whether it holds the object then, or waits for it. */
  readonly at: number;
  readonly holds: boolean;
  readonly repairs: boolean;
  readonly blocks: boolean;
  readonly turns: number;
}

/** What a PE has come to: turns, errors by their names and ranks, repairs. */
export interface Outcome {
  readonly turns: number;
  readonly errors: readonly string[];
  readonly repairs: number;
}

export const DOOMED = 1;

/** One object: takes it and gives it back. */
function made(
  pe: PE,
  { kind, repairs, blocks }: Fault,
  onRepair: (lost: number) => number,
): { take(): Promise<void>; give(): void } {
  const repair = repairs ? onRepair : undefined;
  if (kind === "lock") {
    const a = lock(pe, { name: "a", repair });
    return { take: async () => void (blocks ? a.lock() : await a.lockAsync()), give: () => a.unlock() };
  }
  if (kind === "rwlock") {
    const a = rwlock(pe, { repair });
    // the others read every second time
    let turn = 0;
    let reads = false;
    return {
      take: async () => {
        reads = pe.rank !== DOOMED && turn++ % 2 === 1;
        if (reads) void (blocks ? a.lockRead() : await a.lockReadAsync());
        else void (blocks ? a.lockWrite() : await a.lockWriteAsync());
      },
      give: () => (reads ? a.unlockRead() : a.unlockWrite()),
    };
  }
  const a = semaphore(pe, 1, { repair });
  return { take: async () => (blocks ? a.acquire() : await a.acquireAsync()), give: () => a.release() };
}

/** All wait until all have come, and PE 1 does not. */
function come(pe: PE): Outcome {
  const all = latch(pe, pe.size);
  if (pe.rank === DOOMED) throw new RangeError("out of luck");
  all.countDown();
  try {
    all.wait();
  } catch (error) {
    if (!(error instanceof TundishError)) throw error;
    return { turns: all.left, errors: [`${error.name} ${(error as { rank?: number }).rank}`], repairs: 0 };
  }
  return { turns: 0, errors: [], repairs: 0 };
}

async function main(pe: PE, args: unknown): Promise<Outcome> {
  if (args === "latch") return come(pe);
  const fault = args as Fault;
  let repairs = 0;
  const { take, give } = made(pe, fault, (lost) => {
    if (lost !== DOOMED) throw new Error(`PE ${lost} instead of PE ${DOOMED} is repaired`);
    repairs++;
    return 1;
  });
  const errors: string[] = [];
  let turns = 0;
  const end = async () => {
    if (fault.how === "exit") process.exit(3);
    if (fault.how === "throw") throw new RangeError("out of luck");
    // until it is terminated
    if (fault.how === "hang") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  for (let turn = 0; turn < fault.turns; turn++) {
    const isLast = pe.rank === DOOMED && turn === fault.at;
    if (isLast && !fault.holds) {
      // it begins to wait, and ends before it has it
      const begun = take();
      begun.catch(() => {});
      await end();
      return { turns, errors, repairs };
    }
    try {
      await take();
    } catch (error) {
      if (!(error instanceof TundishError)) throw error;
      errors.push(`${error.name} ${(error as { rank?: number }).rank}`);
      break;
    }
    if (isLast) {
      await end();
      return { turns, errors, repairs };
    }
    turns++;
    give();
  }
  return { turns, errors, repairs };
}

const program: Spmd = spmd(main);
export default program;
