/** Whether a module can be a kernel: it writes nothing but what it is told to, and all that it imports is there. */
import { UsageError } from "../../ground/base/errors.ts";
import type { Binary, BinaryImport } from "./binary.ts";
import { LOCAL_FLAGS, MEMORY_FLAGS, PIC_FLAGS } from "./flags.ts";
import type { Loaded } from "./source.ts";
import type { WasmImports, WasmPort } from "./web-assembly.ts";

const PAGE = 65_536;
/** Elements that V8 has in a table. */
const MOST_SLOTS = 10_000_000;
export const ENLARGE = "If the module is not damaged, make the heap larger (heapBytes).";

/** What the linker asks for, which each instance gets. */
export const GIVEN: readonly string[] = [
  "__indirect_function_table",
  "__stack_pointer",
  "__memory_base",
  "__table_base",
  "__tls_base",
];

/** Whether it is given by {@link GIVEN}. */
export const isGiven = ({ module, name }: Pick<WasmPort, "module" | "name">): boolean =>
  module === "env" && GIVEN.includes(name);

/** Whether its static data goes where it is told. */
export const isRelocatable = ({ imports }: Loaded): boolean =>
  imports.some((one) => isGiven(one) && one.name === "__memory_base");

/** @param pages of the heap, 64 KiB each @throws UsageError that says what is wrong and which flags help */
export function checkModule(loaded: Loaded, pages: number, imports: WasmImports): void {
  const { binary, name } = loaded;
  const wrong = problemOf(loaded, pages) ?? missingOf(loaded, imports);
  if (wrong !== null) throw new UsageError(`kernel: ${wrong} (${binary === null ? "a WebAssembly.Module" : name})`);
}

function problemOf(loaded: Loaded, pages: number): string | null {
  const { binary, dylink, exports } = loaded;
  const relocatable = isRelocatable(loaded);
  if (relocatable && dylink === null)
    return `expected the section dylink.0, which says how much memory its data takes, got none. Do not strip it, and use LLVM 13 or later.`;
  if (dylink !== null && dylink.libraries.length > 0)
    return `expected a module that stands alone, got one that needs ${dylink.libraries.join(", ")}. Link those into it.`;
  const slots = Math.min(MOST_SLOTS, binary?.tables[0]?.limits?.most ?? MOST_SLOTS);
  // slot 0 is null
  if (dylink !== null && !(dylink.bytes + dylink.align <= pages * PAGE && dylink.tableSize < slots))
    return `expected static data and functions that have room, got ${dylink.bytes} bytes at a multiple of ${dylink.align}, and ${dylink.tableSize} slots of the table, in the section dylink.0; the heap has ${pages * PAGE} bytes. ${ENLARGE}`;
  if (exports.get("__wasm_init_tls") === "function" && !exports.has("__tls_size"))
    return `expected the exports __wasm_init_tls and __tls_size together, got the first alone. Link with ${LOCAL_FLAGS}.`;
  if (binary !== null)
    return memoryProblem(binary, pages) ?? (relocatable ? localProblem(loaded, binary) : fixedProblem(loaded, binary));
  if (relocatable) return null;
  return (
    "expected a compiled WebAssembly.Module that is position-independent, got another one, of which nobody can see where it writes. " +
    "Pass its bytes, or the URL of its file, instead."
  );
}

function memoryProblem({ memories, ownMemories }: Binary, pages: number): string | null {
  const [memory] = memories as readonly (BinaryImport | undefined)[];
  if (memory === undefined || ownMemories > 0)
    return `expected a module that imports its memory, the heap, got one ${memory === undefined && ownMemories === 0 ? "without a memory" : "with a memory of its own"}. ${MEMORY_FLAGS}.`;
  if (memories.length > 1) return `expected one memory, got ${memories.length}: the heap is one.`;
  const { least, most, isShared, is64 } = memory.limits as NonNullable<BinaryImport["limits"]>;
  if (is64) return "expected addresses of 32 bits, as the heap has, got memory64. Compile for wasm32.";
  if (!isShared) return `expected an import of a shared memory, got one that is not shared. ${MEMORY_FLAGS}.`;
  if (most < pages)
    return `expected a maximum of at least ${pages} pages of 64 KiB, which the heap has, got ${most}. Set it to the most that there can be: asc --maximumMemory 65536, wasm-ld --max-memory=4294967296.`;
  if (least > pages)
    return `expected an initial memory of at most ${pages} pages of 64 KiB, which the heap has, got ${least}. Raise heapBytes to ${least * PAGE}, or lower the module's initial memory.`;
  return null;
}

/** Of a position-independent module. */
function localProblem({ exports }: Loaded, { activeSegments, globalNames }: Binary): string | null {
  if (activeSegments > 0)
    return "expected data that the first PE places for all, got segments that each instance would write again. Link with --shared-memory.";
  if (globalNames.includes("__tls_base") && exports.get("__wasm_init_tls") !== "function")
    return `expected __wasm_init_tls as an export of a module with thread-local data, got none. Link with ${LOCAL_FLAGS}.`;
  return null;
}

/** Of a module whose addresses are fixed. */
function fixedProblem({ exports }: Loaded, binary: Binary): string | null {
  const { activeSegments, passiveSegments, hasStart, globalNames } = binary;
  if (activeSegments > 0 || (hasStart && passiveSegments > 0))
    return `expected a module whose data goes where the heap has room, got static data at fixed addresses, which would overwrite the heap. ${PIC_FLAGS} AssemblyScript: have no strings and array literals (asc --noAssert --use abort=), and pass arrays.`;
  if (hasStart)
    return "expected a module without a start function, got one, which would run once in each PE. Export it (asc --exportStart start) and call it where you want it.";
  if (globalNames.includes("__stack_pointer") && exports.get("__stack_pointer") !== "global")
    return `expected a stack that can be placed, got one at a fixed address, which would overwrite the heap. Link with -Wl,--export=__stack_pointer and -mmutable-globals, if the module has no static data. Else: ${PIC_FLAGS}`;
  return null;
}

function missingOf({ imports }: Loaded, given: WasmImports): string | null {
  const missing = imports.filter(
    (one) => one.kind !== "memory" && !isGiven(one) && given[one.module]?.[one.name] === undefined,
  );
  if (missing.length === 0) return null;
  const names = missing.map(({ module, name }) => `${module}.${name}`);
  return `expected all that it imports in the option imports, got nothing for ${names.join(", ")}. ${adviceOn(names)}`;
}

function adviceOn(names: readonly string[]): string {
  if (names.some((name) => name.startsWith("GOT.")))
    return "Compile with -fvisibility=hidden, and link all that it uses into it.";
  if (names.some((name) => name.startsWith("wasi")))
    return "A kernel has no WASI: link without a C library (-nostdlib), or pass these functions.";
  if (names.includes("env.abort")) return "asc --use abort= leaves it out.";
  return "Pass them, as { imports: { env: { name } } }, or link them into it.";
}
