/** The kernels of shared data, compiled ahead (assembly/), instantiated by each thread. Addresses are byte offsets. */
import { compileFile, KERNELS, type WasmFile } from "../../../ground/memory/kernels/compile.ts";
import { type WasmMemory, wasm } from "../../../ground/memory/kernels/webassembly.ts";

/** See assembly/. */
export interface SharedKernels {
  exchange(word: number, expected: number, next: number): number;
  beginRead(held: number, state: number): number;
  endRead(held: number, state: number): number;
  takeOne(word: number, floor: number): number;
}

/** Base64 by the names of the files; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_WASM: { readonly shared: string };

const SHARED_KERNELS: WasmFile = {
  from: import.meta.url,
  name: "shared.wasm",
  built: "../../../../dist/src/facilities/shared/kernels/",
  what: KERNELS,
  text: () => TUNDISH_WASM.shared,
};

const known = new WeakMap<WasmMemory, SharedKernels>();

/** The kernels of a memory, loaded at first use. @throws EnvironmentError if they cannot be compiled */
export function sharedKernels(memory: WasmMemory): SharedKernels {
  const before = known.get(memory);
  if (before !== undefined) return before;
  const kernels = new wasm.Instance(compileFile(SHARED_KERNELS), { env: { memory } })
    .exports as unknown as SharedKernels;
  known.set(memory, kernels);
  return kernels;
}
