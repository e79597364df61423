/**
 * What starts worlds: loaded by the first call that starts one. A thread of a PE imports `tundish` for spmd and the collectives, and
 * starts nothing.
 */
export const starting = (): Promise<typeof import("./start.ts")> => import("./start.ts");
