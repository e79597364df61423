import { loadClean } from "./objects/clean.ts";

/**
 * Node's cryptography, loaded when it is first needed: that takes milliseconds, and every PE's thread has the modules
 * that use it, while hardly any PE does.
 */
export const nodeCrypto = (): typeof import("node:crypto") => loadClean(() => process.getBuiltinModule("node:crypto"));
