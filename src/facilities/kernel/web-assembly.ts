/**
 * The part of `WebAssembly` that kernels of programs need beside that of the heap (kernels/webassembly.ts of memory).
 * Declared here for the same reason.
 */
import type { WasmModule } from "../../ground/memory/kernels/webassembly.ts";

/** A number that instances share. */
export interface WasmGlobal {
  value: number;
}

/** What a module imports or exports, as V8 says. */
export interface WasmPort {
  readonly module: string;
  readonly name: string;
  readonly kind: "function" | "table" | "memory" | "global" | "tag";
}

/** Values of imports, by module and name. */
export type WasmImports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface WebAssemblyApi {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule;
    imports(module: WasmModule): WasmPort[];
    exports(module: WasmModule): Omit<WasmPort, "module">[];
    customSections(module: WasmModule, name: string): ArrayBuffer[];
  };
  readonly Instance: new (
    module: WasmModule,
    imports: WasmImports,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly Global: new (type: { value: "i32"; mutable: boolean }, value: number) => WasmGlobal;
  readonly Table: new (limits: { element: "anyfunc"; initial: number; maximum?: number }) => object;
}

export const webAssembly: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
