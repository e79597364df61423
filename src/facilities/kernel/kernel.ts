/** A kernel, as the program of a PE has it. */
import { HeapError } from "../../ground/base/errors.ts";
import type { Seat } from "../../pe/seat.ts";
import { hasOverrun, type Instance } from "./instance.ts";
import { FREED } from "./layout.ts";

/** Makes the face of an instance. @param data block of the node's static data; null without any */
export let newKernel: <E>(seat: Seat, instance: Instance, data: number | null) => Kernel<E>;

/**
 * A WebAssembly module of the program's own on the heap: this PE's instance, with a stack of its own. Made by
 * {@link kernel}.
 * @typeParam E what it exports
 */
export class Kernel<E = Readonly<Record<string, unknown>>> {
  static {
    newKernel = (seat, instance, data) => new Kernel(seat, instance, data);
  }

  /** What the module exports. Addresses are byte offsets in the heap: {@link addressOf}. */
  readonly exports: E;
  readonly #seat: Seat;
  readonly #block: number;
  readonly #data: number | null;
  #isFreed = false;

  private constructor(seat: Seat, { exports, block }: Instance, data: number | null) {
    this.exports = exports as E;
    this.#seat = seat;
    this.#block = block;
    this.#data = data;
  }

  /**
   * Frees this PE's stack, and the static data once all PEs of the node have called it. It waits for nobody. Nothing
   * that the module exports is called afterwards. `using` calls it; a second call has no effect. A world that ends
   * frees all.
   * @throws HeapError if the module's stack was too small: what lies before it in the heap may have been overwritten
   */
  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    const { heap, here } = this.#seat;
    const overran = hasOverrun(heap, this.#block);
    heap.free(this.#block);
    const data = this.#data;
    // pairs with the same addition at the other PEs: the last one knows that none uses the data any more
    if (data !== null && Atomics.add(heap.i32, (data + FREED) / 4, 1) + 1 === here.length) heap.free(data);
    if (overran) {
      throw new HeapError(
        "free: expected the stack of the kernel to stay in its bytes, got values beyond its end: other data of the heap may be " +
          "damaged. Raise stackBytes, or have smaller arrays on the stack.",
      );
    }
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }
}
