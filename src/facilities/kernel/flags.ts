/** What to tell compilers and linkers, for messages. */

/** For a module without data and stack of its own. */
const ASC = "asc --importMemory --sharedMemory --initialMemory 1 --maximumMemory 65536 --enable threads,simd";
const LD = "-Wl,--import-memory,--shared-memory,--max-memory=4294967296,--no-entry";

export const MEMORY_FLAGS: string = `AssemblyScript: ${ASC}. C: clang … -matomics -mbulk-memory ${LD}. Rust: -C target-feature=+atomics,+bulk-memory -C link-args="${LD.slice(4).replaceAll(",", " ")}"`;

export const PIC_FLAGS: string =
  "Link it position-independent, so that its data gets a place in the heap: clang --target=wasm32-unknown-emscripten " +
  "-fPIC -fvisibility=hidden -Wl,-shared,--experimental-pic … (docs/kernels.md has the whole line).";

export const LOCAL_FLAGS = "-Wl,--export=__wasm_init_tls,--export=__tls_size,--export=__tls_align";
