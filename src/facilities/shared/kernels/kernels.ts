/** The kernels of shared data, compiled ahead (assembly/), instantiated by each thread. Addresses are byte offsets. */
import { compileFile, KERNELS, type WasmFile } from "../../../ground/memory/kernels/compile.ts";
import { type WasmMemory, wasm } from "../../../ground/memory/kernels/webassembly.ts";
import { keepsOrder } from "../../../ground/memory/order.ts";

/** See assembly/. */
export interface SharedKernels {
  takeAtOnce(word: number, mine: number): number;
  takeSoon(word: number, mine: number, looks: number): number;
  beginRead(held: number, state: number): number;
  endRead(held: number, state: number): number;
  takeOne(word: number, floor: number): number;
  count(word: number, by: number): number;
  get(table: number, slots: number, stage: number, key: number, value: number): number;
  take(table: number, slots: number, stage: number, key: number, value: number, me: number, adds: boolean): number;
  set(table: number, slots: number, stage: number, key: number, value: number, me: number, adds: boolean): number;
  add(
    ...args: readonly [
      ...[table: number, slots: number, stage: number, key: number, value: number],
      ...[me: number, adds: boolean, type: number],
    ]
  ): number;
  remove(table: number, slots: number, stage: number, key: number, value: number, me: number): number;
  put(entry: number, stage: number, key: number, value: number): void;
  fetch(entry: number, stage: number, key: number, value: number): void;
  giveBack(entry: number, removes: boolean): void;
  slotAt(table: number, slot: number, stage: number, key: number, value: number): number;
  moveTo(
    ...args: readonly [
      ...[table: number, slots: number, slot: number],
      ...[next: number, nextSlots: number, key: number, value: number],
    ]
  ): number;
  movedEntries(): number;
  zero(at: number, bytes: number): void;
  lastEntry(): number;
  ownerOf(entry: number): number;
  free(entry: number, owner: number): void;
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
  const { exports } = new wasm.Instance(compileFile(SHARED_KERNELS), { env: { memory } });
  const kernels = exports as unknown as SharedKernels & { setReorders(value: boolean): void };
  kernels.setReorders(!keepsOrder());
  known.set(memory, kernels);
  return kernels;
}
