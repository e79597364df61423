/**
 * The part of `WebAssembly` that shared memory and its kernels need.
 *
 * TypeScript declares `WebAssembly` in its browser libraries only. Declared here, the package
 * needs none of them, nor do those who import its types.
 */

/** A `WebAssembly.Memory`. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
}

/** A compiled `WebAssembly.Module`. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

interface WebAssemblyApi {
  /** `initial` and `maximum` in pages of 64 KiB. */
  readonly Memory: new (limits: {
    initial: number;
    maximum: number;
    shared: boolean;
  }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: { env: { memory: WasmMemory } },
  ) => { readonly exports: unknown };
}

/** The runtime's own `WebAssembly`. */
export const wasm: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
