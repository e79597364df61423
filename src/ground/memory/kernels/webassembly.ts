/**
 * The part of `WebAssembly` that shared memory, its kernels and the tree search need.
 *
 * TypeScript declares `WebAssembly` in its browser libraries only. Declared here, neither the package nor the users of
 * its types need those.
 */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";

/** A `WebAssembly.Memory`. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
}

/**
 * A memory as a thread is sent it: its bytes at once, the object when kernels need it. V8 14 counts that as 1 GiB in
 * use in each thread that has it, and collects garbage while the world starts.
 */
export interface LateMemory {
  readonly buffer: SharedArrayBuffer;
  /** Where the object waits for the thread. */
  readonly port: MessagePort;
  taken?: WasmMemory;
}
export type HeapMemory = WasmMemory | LateMemory;

export function wasmMemory(memory: HeapMemory): WasmMemory {
  if (!("port" in memory)) return memory;
  memory.taken ??= (receiveMessageOnPort(memory.port) as { readonly message: WasmMemory }).message;
  return memory.taken;
}

/** A memory that this code made. */
export interface WasmOwnMemory extends WasmMemory {
  /** Adds pages. If the memory is not shared, its former buffer becomes empty. */
  grow(pages: number): number;
}

/** A compiled `WebAssembly.Module`. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

interface WebAssemblyApi {
  /** `initial` and `maximum` in pages of 64 KiB. */
  readonly Memory: new (limits: {
    initial: number;
    maximum?: number;
    shared?: boolean;
  }) => WasmOwnMemory;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly compile: (bytes: Uint8Array) => Promise<WasmModule>;
  readonly Instance: new (
    module: WasmModule,
    imports: { env: { memory: WasmMemory } },
  ) => { readonly exports: unknown };
}

/** The runtime's own `WebAssembly`: undefined where options of V8 have taken it away, which reserveMemory says. */
export const wasm: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
