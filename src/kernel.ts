/**
 * Kernels of one's own: WebAssembly of AssemblyScript, C, Rust or Zig on the heap. See docs/kernels.md.
 *
 * @module tundish/kernel
 */

export type { Kernel } from "./facilities/kernel/kernel.ts";
export {
  addressOf,
  type KernelMemory,
  type KernelSource,
  kernel,
  kernelAsync,
  memoryOf,
} from "./facilities/kernel/kernels.ts";
export type { KernelOptions } from "./facilities/kernel/options.ts";
export type { WasmImports } from "./facilities/kernel/web-assembly.ts";
