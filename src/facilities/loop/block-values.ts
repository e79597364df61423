/**
 * The values of the fixed blocks of a loop (blocks.ts), each computed by one PE, and seen by all once the loop has
 * ended. On one node they lie in the heap. Over nodes each PE has an array of its own, and at the end all are combined
 * bit by bit, which changes none: where a PE has no value there are zeros.
 */
import { blockOn, type Task } from "../../ground/wait/task.ts";
import type { LoopArea } from "./chunks/area.ts";
import type { LoopEnd } from "./chunks/endings.ts";
import type { Slot } from "./chunks/layout.ts";

export class BlockValues<T> implements LoopEnd<T> {
  /** By block. */
  all: Float64Array = new Float64Array(0);
  readonly #area: LoopArea;
  readonly #blocks: number;
  readonly #result: (values: Float64Array) => T;

  /** @param result what the loop has come to, of all values */
  constructor(area: LoopArea, blocks: number, result: (values: Float64Array) => T) {
    this.#area = area;
    this.#blocks = blocks;
    this.#result = result;
  }

  begin(slot: Slot): void {
    const area = this.#area;
    if (area.partners !== null) {
      this.all = new Float64Array(this.#blocks);
      return;
    }
    const at = area.valuesOf(slot);
    this.all = area.heap.f64.subarray(at, at + this.#blocks);
  }

  now(): void {
    // on one node the barrier orders the stores of all PEs before the loads
    if (this.#area.partners === null) this.#area.barrier.now();
    else blockOn(this.#area.seat, this.later());
  }

  *later(): Task<void> {
    const { seat, partners, barrier } = this.#area;
    if (partners === null) return yield* barrier.later();
    const { collectives } = seat;
    if (this.#blocks > 0) yield* collectives.task(collectives.backend.allreduce(new Int32Array(this.all.buffer), "or"));
  }

  result(): T {
    return this.#result(this.all);
  }
}
