/**
 * The loops over items, compiled ahead (assembly/): each thread instantiates them once for each memory, and all threads
 * of a process share their code. So they are as fast in the first session as in the last one, whatever items a program
 * has.
 */
import { compileFile, KERNELS, type WasmFile } from "../../../ground/memory/kernels/compile.ts";
import { type WasmMemory, wasm } from "../../../ground/memory/kernels/webassembly.ts";
import type { ConveyorKernels } from "./exports.ts";

export type { ConveyorKernels };

/** Base64 by the names of the files; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_WASM: { readonly conveyor: string };

/** Where these kernels are. */
export const CONVEYOR_KERNELS: WasmFile = {
  from: import.meta.url,
  name: "conveyor.wasm",
  built: "../../../../dist/src/facilities/conveyor/kernels/",
  what: KERNELS,
  text: () => TUNDISH_WASM.conveyor,
};

const known = new WeakMap<WasmMemory, ConveyorKernels>();

/**
 * The kernels for a memory, which is shared.
 * @throws EnvironmentError if they cannot be compiled
 */
export function conveyorKernels(memory: WasmMemory): ConveyorKernels {
  const before = known.get(memory);
  if (before !== undefined) return before;
  const { exports } = new wasm.Instance(compileFile(CONVEYOR_KERNELS), { env: { memory } });
  known.set(memory, exports as ConveyorKernels);
  return exports as ConveyorKernels;
}
