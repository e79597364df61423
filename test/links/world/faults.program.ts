/** One PE goes wrong in a way of its choice while the others wait for it; what they see they write down. */
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";

/** The ways to go wrong. */
export type Fault =
  | "throw"
  | "throw with cause"
  | "throw text"
  | "throw undefined"
  | "throw nothing printable"
  | "reject"
  | "exit 3"
  | "exit 0"
  | "throw in a timer"
  | "reject in the background"
  | "wait for nothing"
  | "out of memory"
  | "return early"
  | "never call"
  | "loop"
  | "answer a function";

/** What the others wait in. */
export type Wait = "barrier" | "number" | "short" | "blocks" | "reduce" | "alloc";
export const WAITS: readonly Wait[] = ["barrier", "number", "short", "blocks", "reduce", "alloc"];

/** What the PEs are told to do. */
export interface Args {
  readonly fault: Fault;
  readonly culprit: number;
  readonly wait: Wait;
  /** Rounds in which all is well, before that. */
  readonly rounds: number;
  /** The others do not wait for the culprit, but return. @default false */
  readonly alone?: boolean;
  /** Where the others write: NOTE_BYTES for each PE. */
  readonly notes?: SharedArrayBuffer;
}

export const NOTE_BYTES = 1024;

/** What a PE saw. */
export interface Note {
  readonly name: string;
  readonly code?: unknown;
  readonly rank?: number;
  readonly message: string;
  readonly cause?: string;
}

function writeDown(rank: number, notes: SharedArrayBuffer | undefined, error: unknown): void {
  const { name, code, rank: lost, message, cause } = error as Error & { code?: string; rank?: number };
  const told = cause === undefined ? undefined : String(cause);
  const text = JSON.stringify({
    name,
    code,
    rank: lost,
    message: message.slice(0, 300),
    cause: told?.slice(0, 300),
  });
  if (notes) new Uint8Array(notes, rank * NOTE_BYTES).set(new TextEncoder().encode(text));
}

const array = new Float64Array(100_000);

const waits: Record<Wait, (pe: PE, culprit: number) => void> = {
  barrier: (pe) => pe.barrier(),
  number: (pe, culprit) => void pe.broadcast(1, culprit),
  short: (pe, culprit) => void pe.broadcast(array.subarray(0, 3), culprit),
  blocks: (pe, culprit) => void pe.broadcast(array, culprit),
  reduce: (pe) => void pe.allreduce(array, "sum"),
  alloc: (pe) => void pe.alloc(Uint8Array, 1000),
};

const faults: Record<Fault, () => unknown> = {
  throw: () => {
    throw new TypeError("something broke");
  },
  "throw with cause": () => {
    const cause = Object.assign(new RangeError("deep down"), { code: "ERR_DEEP" });
    throw Object.assign(new Error("on top", { cause }), { code: "ERR_TOP" });
  },
  "throw text": () => {
    throw "just text";
  },
  "throw undefined": () => {
    throw undefined;
  },
  "throw nothing printable": () => {
    throw {
      [inspect.custom]() {
        throw new Error("no");
      },
    };
  },
  reject: () => Promise.reject(new SyntaxError("rejected")),
  "exit 3": () => process.exit(3),
  "exit 0": () => process.exit(0),
  "throw in a timer": async () => {
    setTimeout(() => {
      throw new Error("from a timer");
    }, 1);
    await delay(60_000);
  },
  "reject in the background": async () => {
    void Promise.reject(new Error("in the background"));
    await delay(60_000);
  },
  "wait for nothing": () => new Promise(() => {}),
  "out of memory": () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
  },
  "return early": () => {},
  "never call": () => delay(60_000),
  loop: () => {
    for (;;);
  },
  "answer a function": () => () => 1,
};

const program: Spmd = spmd(async (pe, args) => {
  const { fault, culprit, wait, rounds, notes, alone = false } = args as Args;
  const warmUp = () => {
    for (let i = 0; i < rounds; i++) waits[WAITS[i % WAITS.length]](pe, culprit);
  };
  if (pe.rank === culprit) {
    warmUp();
    return faults[fault]();
  }
  if (alone) return;
  try {
    // the culprit may be through the last round, and gone wrong, before the others are
    warmUp();
    waits[wait](pe, culprit);
    // what needs no answer from the culprit may pass; this cannot
    pe.barrier();
  } catch (error) {
    writeDown(pe.rank, notes, error);
    throw error;
  }
});

export default program;
