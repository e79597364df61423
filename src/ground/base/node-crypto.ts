/**
 * Node's cryptography, loaded when it is first needed: that takes milliseconds, and every PE's thread has the modules
 * that use it, while hardly any PE does.
 */
export const nodeCrypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

/** In hexadecimal digits. */
export const sha256 = (text: string): string => nodeCrypto().createHash("sha256").update(text).digest("hex");
