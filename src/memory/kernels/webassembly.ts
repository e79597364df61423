/**
 * The part of `WebAssembly` that shared memory, its kernels and the search for trees need.
 *
 * TypeScript declares `WebAssembly` in its browser libraries only. Declared here, the package
 * needs none of them, nor do those who import its types.
 */

/** A `WebAssembly.Memory`. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
}

/** A memory as it is made. */
export interface WasmOwnMemory extends WasmMemory {
  /** Adds so many pages; if it is not shared, its former buffer is empty then. */
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
  readonly Instance: new (
    module: WasmModule,
    imports: { env: { memory: WasmMemory } },
  ) => { readonly exports: unknown };
}

/** The runtime's own `WebAssembly`. */
export const wasm: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
