/**
 * The WebAssembly of the annealing (assembly/), and its memory.
 *
 * Each thread keeps one memory for the next annealing, as making one takes longer than a small search. A memory larger
 * than {@link KEPT} is made for one annealing and then garbage-collected.
 */
import { compileFile } from "../../src/ground/memory/kernels/compile.ts";
import { type WasmOwnMemory, wasm } from "../../src/ground/memory/kernels/webassembly.ts";

/** Its exports; trees are identified by their addresses. */
interface Exports {
  /** Size, whether the root is free, and the addresses of what assembly/costs.ts lists. */
  setUp(size: number, isFree: boolean, ...places: number[]): void;
  plant(tree: number, seed: number): void;
  sharpen(tree: number): void;
  sum(tree: number): number;
  move(tree: number, count: number): void;
}

/** The kernel, bound to a memory. */
export interface AnnealingKernel extends Exports {
  readonly memory: WasmOwnMemory;
}

const PAGE = 65_536;
/** Pages of the memory that is kept: 64 MiB. */
const KEPT = 1024;

/** Base64 by the names of the files; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_WASM: { readonly anneal: string };

const FILE = {
  from: import.meta.url,
  name: "anneal.wasm",
  built: "../../dist/trees/search/",
  what: "WebAssembly",
  text: () => TUNDISH_WASM.anneal,
};
let kept: AnnealingKernel | undefined;

/** A kernel with a memory of `bytes` bytes; the content of an earlier caller is lost. */
export function kernelOf(bytes: number): AnnealingKernel {
  const pages = Math.ceil(bytes / PAGE);
  if (pages > KEPT) return instance(pages);
  kept ??= instance(pages);
  const { memory } = kept;
  const missing = pages - memory.buffer.byteLength / PAGE;
  if (missing > 0) memory.grow(missing);
  return kept;
}

function instance(initial: number): AnnealingKernel {
  const memory = new wasm.Memory({ initial });
  const exports = new wasm.Instance(compileFile(FILE), { env: { memory } }).exports as Exports;
  return { ...exports, memory };
}
