/**
 * Steps of several PEs in one thread, interleaved at their atomic operations: before each of them other PEs may take
 * steps, within which a third one may. A PE that waits looks once more after it has begun to wait, and then sleeps
 * until it is told: so a wake-up that is lost is a PE that sleeps for ever.
 *
 * Limits: a step that was interrupted goes on only when those in its middle are over: interleavings are nested. All of
 * them with up to `preemptions` interruptions are played. An operation in WebAssembly is one step.
 */
import type { Heap } from "../../src/ground/memory/heap.ts";
import { newHeap } from "../../src/ground/memory/new-heap.ts";
import type { Condition } from "../../src/ground/wait/condition.ts";
import type { Task } from "../../src/ground/wait/task.ts";
import type { Seat } from "../../src/pe/seat.ts";

/** A program of one PE: it takes a step at each yield; a condition that it yields is waited for. */
export type Script = Generator<Condition | undefined, void, unknown>;

const NAMES = ["load", "store", "add", "and", "or", "exchange", "compareExchange"] as const;

/** Each crowd has its memory anew: kernels are instantiated for each heap. */
const HEAP = newHeap(2 ** 18);
const MOST_BYTES = 2 ** 16;
const BLOCK = HEAP.allocate(MOST_BYTES);

/** PEs in one heap, without threads: one crowd after the other. */
export class Crowd {
  readonly heap: Heap = HEAP;
  /** Byte offset of memory that is zero at first. */
  readonly at: number = BLOCK;
  readonly seats: Seat[];
  readonly gone: Set<number> = new Set();
  readonly #told: boolean[];

  /** @param domains the domain of each PE @param bytes of the memory, which is the block that a seat gives */
  constructor(pes: number, domains: readonly number[] = [], bytes: number = 2 ** 12) {
    if (bytes > MOST_BYTES) throw new RangeError(`at most ${MOST_BYTES} bytes, got ${bytes}`);
    HEAP.u8.fill(0, BLOCK, BLOCK + bytes);
    const members = Array.from({ length: pes }, (_, i) => i);
    this.#told = members.map(() => false);
    const levels = domains.length > 0 ? [Int32Array.from(domains)] : [];
    this.seats = members.map(
      (rank) =>
        ({
          rank,
          size: pes,
          members,
          heap: this.heap,
          here: members,
          sites: { site() {}, levels, costs: () => ({ send: null, receive: null }) },
          block: () => this.at,
          waiter: { mayBlock: false, looks: 1 },
          hasReturned: (one: number) => this.gone.has(one),
          lossOf: () => null,
          checkWorld() {},
          stir() {},
          posted: (one: number, awaited: number) => {
            if (this.heap.i32[awaited] !== 0) this.#told[one] = true;
          },
        }) as unknown as Seat,
    );
  }

  /**
   * Plays the scripts with interruptions where `choices` says so.
   * @param choices at each point: 0 goes on, k interrupts by the k-th of the others that can
   * @returns how many could interrupt at each point; points behind the choices are not interrupted
   */
  play(scripts: readonly Script[], choices: readonly number[]): number[] {
    const options: number[] = [];
    const waits: (Condition | null | "over")[] = scripts.map(() => null);
    const busy = new Set<number>();
    const step = (pe: number): void => {
      busy.add(pe);
      try {
        const wait = waits[pe];
        if (wait !== null && wait !== "over") {
          this.#told[pe] = false;
          if (!wait.ready()) return;
        }
        const next = (scripts[pe] as Script).next();
        if (next.done) {
          waits[pe] = "over";
          return;
        }
        waits[pe] = next.value ?? null;
        // it looks once after it has said that it waits; then it sleeps until it is told
        if (next.value !== undefined) this.#told[pe] = true;
      } finally {
        busy.delete(pe);
      }
    };
    const ready = (pe: number) =>
      !busy.has(pe) && !this.gone.has(pe) && waits[pe] !== "over" && (waits[pe] === null || this.#told[pe]);
    const interrupt = (): void => {
      for (;;) {
        const others = scripts.flatMap((_, pe) => (ready(pe) ? [pe] : []));
        const choice = choices[options.length] ?? 0;
        options.push(others.length);
        if (choice === 0 || choice > others.length) return;
        // another one may follow it at the same place
        step(others[choice - 1] as number);
      }
    };
    const before = NAMES.map((name) => [name, Atomics[name]] as const);
    for (const [name, call] of before) {
      (Atomics as unknown as Record<string, unknown>)[name] = (...args: readonly never[]) => {
        interrupt();
        return (call as (...all: readonly never[]) => unknown)(...args);
      };
    }
    try {
      // those that are not interrupted take turns, so that all get on
      for (let any = true; any; ) {
        any = false;
        for (const pe of scripts.keys()) {
          if (!ready(pe)) continue;
          any = true;
          step(pe);
        }
      }
    } finally {
      Object.assign(Atomics, Object.fromEntries(before));
    }
    const stuck = waits.flatMap((wait, pe) => (wait === "over" || this.gone.has(pe) ? [] : pe));
    if (stuck.length > 0) throw new Error(`PE ${stuck.join()} waits for ever`);
    return options;
  }
}

/** The conditions of a task as steps of a script. What ends it is thrown. */
export function* steps<T>(task: Task<T>): Generator<Condition, T, unknown> {
  for (let next = task.next(); ; next = task.next()) {
    if (next.done) return next.value;
    yield next.value;
  }
}

/**
 * Plays all interleavings with at most so many interruptions.
 * @param play makes everything anew, plays, checks, and returns what `Crowd.play` does
 * @returns how many there were
 */
export function everyInterleaving(
  preemptions: number,
  play: (choices: readonly number[]) => readonly number[],
): number {
  let count = 0;
  const explore = (choices: readonly number[], left: number): void => {
    let options: readonly number[];
    try {
      options = play(choices);
    } catch (error) {
      throw new Error(`choices ${JSON.stringify(choices)}: ${(error as Error).stack}`);
    }
    count++;
    if (left === 0) return;
    for (let at = choices.length; at < options.length; at++) {
      for (let k = 1; k <= (options[at] as number); k++) {
        explore([...choices, ...new Array<number>(at - choices.length).fill(0), k], left - 1);
      }
    }
  };
  explore([], preemptions);
  return count;
}
