/*
 * The module's exports, by their names: `copy`, `fill`, and `<operator>_<type>`, e.g. `sum_f64`.
 *
 * The memory is imported (`env.memory`, shared, of any size up to 4 GiB) and belongs to the
 * importer: nothing here has data, globals, a stack or a heap in it (asconfig.json).
 */
export * from "./arithmetic";
export * from "./bitwise";
export * from "./bytes";
export * from "./minmax";
