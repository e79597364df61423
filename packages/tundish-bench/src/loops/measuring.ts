/** Batches of loops at all PEs, of which every iteration is counted: as `measure` of peers/c/openmp/loops.h. */
import type { PE } from "../../../../src/index.ts";
import type { LoopAnswer, LoopVolume } from "./job.ts";

/** Sixteen dependent multiplications and additions. */
export function work(from: number): number {
  let x = from;
  for (let i = 0; i < 16; i++) x = x * 0.5 + 1;
  return x;
}

/**
 * Batches before those that count. V8 compiles in the first 50 ms of a construct, on threads that share the CPUs with
 * the PEs: that is in `bench loops --only uneven`, and not in what a construct costs.
 */
const WARM = 25;

/** Measures loops of one PE after the other. */
export class Measuring {
  /** Of this PE, that were run. */
  iterations = 0;
  readonly #pe: PE;
  readonly #volume: LoopVolume;

  constructor(pe: PE, volume: LoopVolume) {
    this.#pe = pe;
    this.#volume = volume;
  }

  /** ns of some loops. */
  #time(loop: () => void, count: number, isAlone: boolean): number {
    const pe = this.#pe;
    pe.barrier();
    const start = performance.now();
    if (!isAlone || pe.rank === 0) for (let k = 0; k < count; k++) loop();
    pe.barrier();
    return (performance.now() - start) * 1e6;
  }

  /**
   * @param loop of `each` iterations of each PE @returns ns of an iteration of a PE
   * @throws Error if an iteration was left out, or run twice
   */
  measured(what: string, loop: () => void, each: number): LoopAnswer["entries"][number] {
    return this.#measured(what, loop, each, false);
  }

  /** The same of PE 0, while the others wait. */
  alone(what: string, loop: () => void, each: number): LoopAnswer["entries"][number] {
    return this.#measured(what, loop, each, true);
  }

  #measured(what: string, loop: () => void, each: number, isAlone: boolean): LoopAnswer["entries"][number] {
    const pe = this.#pe;
    const { batches, batchMs } = this.#volume;
    const batchNs = batchMs * 1e6;
    let batch = 1;
    let quickest = 0;
    for (; ; batch *= 2) {
      quickest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 4; i++) quickest = Math.min(quickest, this.#time(loop, batch, isAlone));
      quickest = pe.broadcast(quickest, 0);
      if (quickest >= batchNs / 4) break;
    }
    batch = Math.floor((batch * batchNs) / quickest) + 1;
    for (let i = 0; i < WARM; i++) this.#time(loop, batch, isAlone);
    this.iterations = 0;
    const samples = Array.from({ length: batches }, () => this.#time(loop, batch, isAlone) / batch / each);
    const expected = batches * batch * each * (isAlone ? 1 : pe.size);
    const run = pe.allreduce(this.iterations, "sum");
    if (run !== expected) throw new Error(`${what}: expected ${expected} iterations, got ${run}`);
    return { what, batch: batch * each, samples };
  }
}
