/**
 * How iterations are handed out, compiled ahead (assembly/), instantiated by each thread. Addresses are byte offsets.
 */
import { compileFile, KERNELS, type WasmFile } from "../../../ground/memory/kernels/compile.ts";
import { type WasmMemory, wasm } from "../../../ground/memory/kernels/webassembly.ts";

/** See assembly/. Each gives a number of iterations, as a signed integer. */
export interface LoopKernels {
  takeOwn(control: number, line: number, begin: number, end: number, most: number, chunk: number): number;
  steal(control: number, pe: number, pes: number, from: number, count: number, victims: number): number;
  takeShare(control: number, line: number, count: number, least: number, pes: number): number;
  give(range: number, begin: number, end: number, line: number): number;
  put(range: number, begin: number, end: number): void;
}

/** Base64 by the names of the files; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_WASM: { readonly loop: string };

const LOOP_KERNELS: WasmFile = {
  from: import.meta.url,
  name: "loop.wasm",
  built: "../../../../dist/src/facilities/loop/kernels/",
  what: KERNELS,
  text: () => TUNDISH_WASM.loop,
};

const known = new WeakMap<WasmMemory, LoopKernels>();

/** The kernels of a memory, loaded at first use. @throws EnvironmentError if they cannot be compiled */
export function loopKernels(memory: WasmMemory): LoopKernels {
  let kernels = known.get(memory);
  if (kernels === undefined) {
    kernels = new wasm.Instance(compileFile(LOOP_KERNELS), { env: { memory } }).exports as unknown as LoopKernels;
    known.set(memory, kernels);
  }
  return kernels;
}
