/**
 * The kernels of the PEs, compiled while their world is prepared: this thread waits for files then, or has one CPU of
 * several. PEs share the code, so that none has to compile it in its first session.
 */
import { CONVEYOR_KERNELS } from "../../facilities/conveyor/kernels/kernels.ts";
import { compileAhead, type WasmModules } from "../../ground/memory/kernels/compile.ts";
import { HEAP_KERNELS } from "../../ground/memory/kernels/kernels.ts";

let ahead: Promise<WasmModules> | null = null;

/** Empty if they cannot be compiled: the PE that needs them will say why. */
export function kernelsAhead(): Promise<WasmModules> {
  ahead ??= compileAhead([HEAP_KERNELS, CONVEYOR_KERNELS]).catch(() => ({}));
  return ahead;
}
