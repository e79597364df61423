/** What `node:v8` serializes, which takes half a millisecond to load in each thread: it is loaded by the first call. */
import { loadClean } from "./clean.ts";

type V8 = typeof import("node:v8");

let v8: V8 | undefined;

function loaded(): V8 {
  v8 ??= loadClean(() => process.getBuiltinModule("node:v8"));
  return v8;
}

/** As that of node:v8. @throws DataCloneError */
export const serialize = (value: unknown): Buffer => loaded().serialize(value);

/** Likewise. */
export const deserialize = (bytes: Uint8Array): unknown => loaded().deserialize(bytes);
