/**
 * SIMD kernels on a shared WebAssembly memory: copy, fill and elementwise reductions.
 *
 * An address is a byte offset in the memory, a number from 0 to 2^32-1 of any alignment. WebAssembly takes it as 32
 * bits without a sign, so addresses above 2 GiB need no special treatment: 3e9 and `3e9 | 0` are the same address.
 * Counts are below 2^32, too. Only WebAssembly itself checks addresses: a range beyond the memory throws
 * WebAssembly.RuntimeError, and bytes inside the memory may have been changed by then.
 *
 * No access is atomic. The caller ensures that no other thread writes what a kernel reads, or accesses what it writes.
 */

import { UsageError } from "../../base/errors.ts";
import { compileFile, KERNELS, type WasmFile } from "./compile.ts";
import { checkOp, type ElementType, type ReduceOp } from "./elements.ts";
import { type WasmMemory, wasm } from "./webassembly.ts";

export type { ElementType, ReduceOp } from "./elements.ts";

/**
 * dst[i] = dst[i] op src[i] for i = 0..count-1; `dst` and `src` are addresses, `count` is in elements. The two ranges
 * are the same or do not overlap; with a partial overlap the result is undefined.
 */
export type Reducer = (dst: number, src: number, count: number) => void;

/** The kernels of one memory. */
export interface Kernels {
  /** Copies `bytes` bytes from `src` to `dst`; the ranges may overlap, as in C's memmove. */
  readonly copy: (dst: number, src: number, bytes: number) => void;
  /** Sets `bytes` bytes from `dst` on to the low 8 bits of `value`. */
  readonly fill: (dst: number, value: number, bytes: number) => void;
  /**
   * The kernel of an operator for an element type. Look it up once and keep it.
   *
   * Each element is combined in one step, with dst's value as the left operand. Integers wrap around. f32 and f64 are
   * rounded once, to their own precision: f32 gives `Math.fround(a op b)`. `min` and `max` are `Math.min` and
   * `Math.max`: NaN wins and -0 < +0. The bits of a resulting NaN are unspecified.
   * @throws UsageError for an invalid pair, such as `xor` on f64, with the valid ones
   */
  reducer(op: ReduceOp, type: ElementType): Reducer;
}

type Exports = Pick<Kernels, "copy" | "fill"> & Readonly<Record<`${ReduceOp}_${ElementType}`, Reducer>>;

/** Base64 by the names of the files; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_WASM: { readonly kernels: string };

/** Where these kernels are. */
export const HEAP_KERNELS: WasmFile = {
  from: import.meta.url,
  name: "kernels.wasm",
  built: "../../../../dist/src/ground/memory/kernels/",
  what: KERNELS,
  text: () => TUNDISH_WASM.kernels,
};

/**
 * Instantiates the kernels for a memory. Each thread that uses the memory loads its own.
 * @param memory a shared memory of any size up to 65536 pages (4 GiB); it may grow later
 * @throws UsageError for a memory that is not shared; EnvironmentError if the kernels cannot be compiled
 */
export function loadKernels(memory: WasmMemory): Kernels {
  if (!(memory.buffer instanceof SharedArrayBuffer)) {
    throw new UsageError(
      "loadKernels: expected a shared memory, got one that is not shared. " +
        "Make it with new WebAssembly.Memory({ initial, maximum, shared: true }).",
    );
  }
  const exports = new wasm.Instance(compileFile(HEAP_KERNELS), { env: { memory } }).exports as Exports;
  return {
    copy: exports.copy,
    fill: exports.fill,
    reducer(op, type) {
      checkOp(op, type);
      return exports[`${op}_${type}`];
    },
  };
}
