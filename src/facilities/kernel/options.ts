/** The options of kernels: valid values, defaults, and checks. */

import { isRecord } from "../../ground/base/names.ts";
import { is, type OptionField, optionsOf, whole } from "../../ground/base/options.ts";
import type { WasmImports } from "./web-assembly.ts";

/** Options of a kernel. */
export interface KernelOptions {
  /**
   * What it imports beside memory and what its linker asks for, by module and name: functions of this PE, or numbers.
   * @default nothing
   */
  readonly imports?: WasmImports | undefined;
  /** Bytes of the stack of each PE, in the heap. @default 65536 */
  readonly stackBytes?: number | undefined;
}

export const DEFAULT_STACK_BYTES = 65_536;
const LEAST_STACK_BYTES = 128;

const isImports = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isRecord);

export const KERNEL: OptionField = optionsOf<KernelOptions>({
  imports: is("functions and numbers by module and name, as { env: { log } }", isImports),
  stackBytes: whole(LEAST_STACK_BYTES, 2 ** 31),
});
