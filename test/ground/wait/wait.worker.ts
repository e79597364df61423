/** One PE of the waiting tests: parks, plays ping-pong, produces or consumes. */
import { parentPort, workerData } from "node:worker_threads";
import { Heap } from "../../../src/ground/memory/heap.ts";
import type { WasmMemory } from "../../../src/ground/memory/kernels/webassembly.ts";
import type { Strategy } from "../../../src/ground/wait/strategy.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { DATA_WORDS, type Mode, sleeperOf } from "./room.ts";

/** What a PE is told to do. */
export interface Job {
  readonly memory: unknown;
  readonly waitOffset: number;
  readonly dataOffset: number;
  readonly pes: number;
  readonly rank: number;
  readonly mode: Mode;
  readonly strategy: Strategy;
  readonly role: "park" | "pingpong" | "produce" | "consume";
  /** The PE to wait for, or to write to. */
  readonly peer: number;
  readonly rounds?: number;
  readonly timeout?: number;
}

/** How it went. */
export interface Answer {
  /** The longest that one wait took, ms. */
  readonly longest: number;
  readonly code?: string | undefined;
  readonly rank?: number | undefined;
  readonly message?: string | undefined;
}

const job = workerData as Job;
const { rank, peer, rounds = 1 } = job;
const { i32, u8 } = Heap.attach(job.memory as WasmMemory);
const wakers = new Wakers(i32, job.waitOffset, job.pes, sleeperOf(job.mode));
const waiter = new ParkingWaiter(rank, wakers, new Termination(i32, u8, job.waitOffset), job.strategy);
if (job.timeout) waiter.timeout = job.timeout;
const wordOf = (pe: number): number => job.dataOffset / 4 + pe * DATA_WORDS;
let longest = 0;

function waitUntil(ready: () => boolean): void {
  const started = performance.now();
  let turn = 0;
  while (!ready()) turn = waiter.pause(turn, job.role === "consume" ? -1 : peer);
  waiter.done(turn);
  longest = Math.max(longest, performance.now() - started);
}

/** Writes a word that a PE may be waiting for, then notifies. */
function write(word: number, value: number, pe: number): void {
  Atomics.store(i32, word, value);
  wakers.notify(pe);
}

const roles = {
  park: () => waitUntil(() => Atomics.load(i32, wordOf(rank)) === 1),
  pingpong() {
    for (let round = 1; round <= rounds; round++) {
      if (rank < peer) write(wordOf(peer), round, peer);
      waitUntil(() => Atomics.load(i32, wordOf(rank)) === round);
      if (rank > peer) write(wordOf(peer), round, peer);
    }
  },
  // each producer counts up its own word and waits until the consumer has seen it every few rounds
  produce() {
    for (let round = 1; round <= rounds; round++) {
      write(wordOf(rank), round, peer);
      if (round % 8 === 0) waitUntil(() => Atomics.load(i32, wordOf(rank) + 1) === round);
    }
  },
  consume() {
    const seen = new Int32Array(job.pes);
    const fresh = (pe: number): boolean => pe !== rank && Atomics.load(i32, wordOf(pe)) > seen[pe];
    const anyFresh = (): boolean => seen.some((_, pe) => fresh(pe));
    while (seen.some((count, pe) => pe !== rank && count < rounds)) {
      waitUntil(anyFresh);
      for (let pe = 0; pe < job.pes; pe++) {
        if (!fresh(pe)) continue;
        seen[pe] = Atomics.load(i32, wordOf(pe));
        write(wordOf(pe) + 1, seen[pe], pe);
      }
    }
  },
};

let answer: Answer;
try {
  roles[job.role]();
  answer = { longest };
} catch (error) {
  const { code, rank, message } = error as Partial<Answer>;
  answer = { longest, code, rank, message };
}
parentPort?.postMessage(answer);
