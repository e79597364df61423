/*
 * The module's exports: the loops over items. The memory is imported (`env.memory`, shared) and belongs to the
 * importer: nothing here has data, globals, a stack or a heap in it (asconfig.json).
 */
export * from "./columns";
export * from "./mesh";
export * from "./packets";
export * from "./pivot";
export * from "./ring";
export * from "./scatter";
export * from "./session";
export * from "./tables";
