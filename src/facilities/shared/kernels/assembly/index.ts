/*
 * Words and tables that PEs of a node share. The memory is imported and belongs to the importer. Addresses are byte
 * offsets.
 *
 * Why: an atomic operation of JavaScript is a call of a builtin of V8, 18 to 25 ns; WebAssembly has it inlined, and is
 * called in 6.
 */
export * from "./table";
export * from "./words";
