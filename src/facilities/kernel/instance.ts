/** An instance of a kernel: what its linker asks for, with a stack and a thread-local block of this PE. */
import { sentenceOf, UsageError } from "../../ground/base/errors.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { HeapNeed } from "../../ground/memory/refusal.ts";
import type { BinaryImport } from "./binary.ts";
import { ENLARGE, isGiven, isRelocatable } from "./check.ts";
import { type Extent, GUARD, GUARD_BYTES, localsAt, ownBlockBytes, STACK_ALIGN, stackTop } from "./layout.ts";
import type { Loaded } from "./source.ts";
import { type WasmGlobal, type WasmImports, webAssembly } from "./web-assembly.ts";

type Exports = Readonly<Record<string, unknown>>;
/** Imports of the module env, by name. */
type Given = Readonly<Record<string, unknown>>;
/** Slot 0 of a table is the null of C. */
const TABLE_BASE = 1;

/** Where a kernel is placed in the heap of a PE. */
export interface KernelPlace {
  readonly heap: Heap;
  /** Where its static data is; 0 without any. */
  readonly data: number;
  /** Whether it is the first instance on its node, and initialises the data. */
  readonly isFirst: boolean;
  readonly stackBytes: number;
  readonly imports: WasmImports;
}

export interface Instance {
  readonly exports: Exports;
  /** The block of its stack, a byte offset in the heap. */
  readonly block: number;
}

/**
 * Makes it. The start function of a position-independent module places the data, if no instance has done so before.
 * @throws UsageError if what is imported does not fit; HeapError; what a constructor throws
 */
export function instantiate(loaded: Loaded, { heap, data, isFirst, stackBytes, imports }: KernelPlace): Instance {
  const stack = roundUp(stackBytes, STACK_ALIGN);
  const given = givenTo(loaded, data);
  const exports = link(loaded, importsFor(loaded, heap.memory, imports, given));
  const locals = localsOf(loaded, exports, heap.bytes);
  const block = heap.allocate(ownBlockBytes(stack, locals), needOf(stackBytes));
  heap.i32.fill(GUARD, block / 4, (block + GUARD_BYTES) / 4);
  const pointer = given.__stack_pointer ?? exports.__stack_pointer;
  if (pointer !== undefined) (pointer as WasmGlobal).value = stackTop(block, stack);
  if (locals.bytes > 0) (exports.__wasm_init_tls as (at: number) => void)(localsAt(block, stack, locals));
  if (!isFirst || !isRelocatable(loaded)) return { exports, block };
  try {
    // pointers in the data, where an older linker leaves them to its loader; then constructors
    for (const name of ["__wasm_apply_data_relocs", "__wasm_call_ctors", "_initialize"])
      if (loaded.exports.get(name) === "function") (exports[name] as () => void)();
    return { exports, block };
  } catch (error) {
    heap.free(block);
    throw error;
  }
}

const needOf = (stackBytes: number): HeapNeed => ({
  what: "the stack of a kernel",
  lower: () => `Lower stackBytes, which is ${stackBytes}.`,
});

/** Whether the stack that begins in a block has run over its end. */
export function hasOverrun({ i32 }: Heap, block: number): boolean {
  return i32.subarray(block / 4, (block + GUARD_BYTES) / 4).some((word) => word !== GUARD);
}

/** Globals and the table for the imports that its linker has made, by name. */
function givenTo({ imports, dylink, binary }: Loaded, data: number): Given {
  const tableSize = TABLE_BASE + (dylink?.tableSize ?? 0);
  const given = imports.filter(isGiven).map(({ name }) => {
    if (name === "__indirect_function_table") return [name, tableFor(binary?.tables[0], tableSize)];
    const mutable = binary?.globals.find((one) => one.name === name)?.isMutable ?? name === "__stack_pointer";
    const value = name === "__memory_base" ? data : name === "__table_base" ? TABLE_BASE : 0;
    return [name, new webAssembly.Global({ value: "i32", mutable }, value | 0)];
  });
  return Object.fromEntries(given);
}

function tableFor(table: BinaryImport | undefined, size: number): object {
  const { least = 0, most = Number.POSITIVE_INFINITY } = table?.limits ?? {};
  const initial = Math.max(least, size);
  return new webAssembly.Table({ element: "anyfunc", initial, ...(Number.isFinite(most) ? { maximum: most } : {}) });
}

/** What the module imports, by module and name. */
function importsFor(loaded: Loaded, memory: unknown, wished: WasmImports, given: Given): WasmImports {
  const all: Record<string, Readonly<Record<string, unknown>>> = { ...wished, env: { ...wished.env, ...given } };
  for (const { module, name, kind } of loaded.imports)
    if (kind === "memory") all[module] = { ...all[module], [name]: memory };
  return all;
}

function link({ module, name }: Loaded, imports: WasmImports): Exports {
  try {
    return new webAssembly.Instance(module, imports).exports;
  } catch (cause) {
    throw new UsageError(
      `kernel: expected imports that fit ${name}, got: ${sentenceOf(cause as Error)}. ` +
        "Functions are passed for functions, numbers for globals that do not change, and WebAssembly.Global for those that do.",
      { cause },
    );
  }
}

/** What a thread-local block of the module has to be. @throws UsageError for one that no such heap has room for */
function localsOf({ name }: Loaded, exports: Exports, room: number): Extent {
  const size = (of: string) => ((exports[of] as WasmGlobal | undefined)?.value ?? 0) >>> 0;
  const [bytes, align] = [size("__tls_size"), Math.max(1, size("__tls_align"))];
  if (bytes + align <= room && Number.isInteger(Math.log2(align))) return { bytes, align };
  throw new UsageError(
    `kernel: expected thread-local data that has room in the heap of ${room} bytes, got ${bytes} bytes at a multiple of ${align} ` +
      `(__tls_size, __tls_align). ${ENLARGE} (${name})`,
  );
}
