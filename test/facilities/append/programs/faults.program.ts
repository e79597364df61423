/** A writer that goes, or stays, in the middle of a push: between its reservation and its completion. */
import { appendBuffer } from "../../../../src/append.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

export type Fault = "exits" | "throws" | "stalls" | "is killed" | "leaves before" | "never pushes" | "is reset";

export interface Args {
  readonly fault: Fault;
  readonly isAsync: boolean;
  /** Limit of the owner's wait, ms. */
  readonly timeout?: number;
}

/** How long one stalls that must be found stalling, ms. */
const STALL_MS = 1200;

function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}

/** What the next copy of a typed array does instead of copying: a push copies after it has reserved. */
function atCopy(act: () => void): void {
  const { set } = Uint8Array.prototype;
  Uint8Array.prototype.set = function (...args) {
    Uint8Array.prototype.set = set;
    act();
    return set.apply(this, args);
  };
}

const acts: Readonly<Record<string, () => void>> = {
  exits: () => process.exit(3),
  throws() {
    throw new RangeError("out of ink");
  },
  stalls: stall,
  "is reset": stall,
  // the process, and all PEs of its node
  "is killed": () => process.kill(process.pid, "SIGKILL"),
};

const program: Spmd = spmd(async (pe: PE, { fault, isAsync, timeout }: Args) => {
  const a = appendBuffer(pe, pe.rank === 0 ? 1000 : 0);
  if (pe.rank === 0 && fault === "is reset") {
    while (a.offset < 150);
    try {
      a.reset();
    } catch (error) {
      return [(error as Error).message, a.offset, a.completed];
    }
    return ["reset"];
  }
  if (pe.rank === 0) {
    const target = { bytes: 150 };
    try {
      if (isAsync) await a.waitUntilAsync(target, { timeout });
      else a.waitUntil(target, { timeout });
    } catch (error) {
      const { code, message, rank } = error as Error & { code: string; rank?: number };
      if (code !== "ERR_TUNDISH_TIMEOUT") throw error;
      return [code, message, rank, a.offset, a.completed, a.data().length];
    }
    return ["came", a.completed];
  }
  a.push(0, new Uint8Array(50));
  if (fault === "leaves before") return undefined;
  if (fault === "never pushes") stall();
  const act = acts[fault];
  if (act !== undefined) atCopy(act);
  a.push(0, new Uint8Array(100));
  return undefined;
});
export default program;
