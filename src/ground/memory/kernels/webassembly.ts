/**
 * The part of `WebAssembly` that shared memory, its kernels and the tree search need.
 *
 * TypeScript declares `WebAssembly` in its browser libraries only. Declared here, neither the package nor the users of
 * its types need those.
 */

/** A `WebAssembly.Memory`. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
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
