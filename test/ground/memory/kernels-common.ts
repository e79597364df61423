/** What the tests of the kernels share. */
import * as assert from "uvu/assert";
import { type WasmMemory, wasm } from "../../../src/ground/memory/kernels/webassembly.ts";

/** Bytes of a page of WebAssembly memory. */
export const PAGE = 65536;

/** A shared memory that may grow up to 4 GiB. */
export function sharedMemory(pages: number): WasmMemory {
  return new wasm.Memory({ initial: pages, maximum: 65536, shared: true });
}

/** Fails with `what()` and the first difference unless the two are the same. */
export function equalBytes(got: Uint8Array, expected: Uint8Array, what: () => string): void {
  if (Buffer.compare(got, expected) === 0) return;
  const at = got.findIndex((byte, i) => byte !== expected[i]);
  assert.unreachable(
    `${what()}: ${got.length} bytes for ${expected.length}, byte ${at} is ${got[at]} for ${expected[at]}`,
  );
}
