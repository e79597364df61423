/** The steps of a push, compiled ahead (assembly/), instantiated by each thread. Addresses are byte offsets. */
import { compileFile, KERNELS, type WasmFile } from "../../../ground/memory/kernels/compile.ts";
import { type WasmMemory, wasm } from "../../../ground/memory/kernels/webassembly.ts";
import { keepsOrder } from "../../../ground/memory/order.ts";

/** See assembly/. */
export interface AppendKernels {
  reserve(control: number, slot: number, length: number, bytes: number): number;
  reserveAny(control: number, slot: number, bytes: number): number;
  complete(slot: number, messages: number): void;
  copy(to: number, from: number, bytes: number): void;
  push(control: number, slot: number, start: number, length: number, bytes: number, flags: number): number;
  reserved(control: number): number;
  readable(control: number, slots: number, writers: number, line: number, length: number): number;
  messages(slots: number, writers: number, line: number): number;
  reset(control: number): number;
}

/** Base64 by the names of the files; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_WASM: { readonly append: string };

const APPEND_KERNELS: WasmFile = {
  from: import.meta.url,
  name: "append.wasm",
  built: "../../../../dist/src/facilities/append/kernels/",
  what: KERNELS,
  text: () => TUNDISH_WASM.append,
};

const known = new WeakMap<WasmMemory, AppendKernels>();

/** The kernels of a memory, loaded at first use. @throws EnvironmentError if they cannot be compiled */
export function appendKernels(memory: WasmMemory): AppendKernels {
  let kernels = known.get(memory);
  if (kernels === undefined) {
    const exports = new wasm.Instance(compileFile(APPEND_KERNELS), { env: { memory } }).exports;
    const { completeInOrder, ...all } = exports as unknown as AppendKernels & {
      completeInOrder: AppendKernels["complete"];
    };
    kernels = { ...all, complete: keepsOrder() ? all.complete : completeInOrder };
    known.set(memory, kernels);
  }
  return kernels;
}
