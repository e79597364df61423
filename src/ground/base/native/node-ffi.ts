/**
 * Calls of native code by Node.js itself: its module `node:ffi`, experimental in Node.js 26.1 and later, in the shape
 * of koffi.
 *
 *     C                                                  node:ffi   in JavaScript
 *     int, unsigned int                                  int32, uint32   a number
 *     long, intptr_t, int64_t; size_t, uintptr_t, …      int64, uint64   a number or bigint; a number if returned
 *     const char *                                       string          a text
 *     void *, _Out_ void *                               pointer         a typed array or null; null or an address if returned
 *
 * Source: the documentation of node:ffi of Node.js 26.
 */

import { requireFrom } from "../package-file.ts";
import type { Library, Native } from "./calls.ts";

type Call = (...args: unknown[]) => unknown;
interface Signature {
  readonly return: string;
  readonly arguments: readonly string[];
}
interface DynamicLibrary {
  getFunction(name: string, signature: Signature): Call;
  getSymbol(name: string): bigint;
}
interface NodeFfi {
  readonly DynamicLibrary: new (file: string | null) => DynamicLibrary;
  getRawPointer(memory: ArrayBufferView): bigint;
  getInt32(pointer: bigint): number;
}

const TYPES: Readonly<Record<string, string>> = {
  void: "void",
  int: "int32",
  "unsigned int": "uint32",
  long: "int64",
  intptr_t: "int64",
  int64_t: "int64",
  size_t: "uint64",
  uintptr_t: "uint64",
  uint64_t: "uint64",
};

/** The function of the C library that tells where a thread's errno is. */
const ERRNO = process.platform === "darwin" ? "__error" : "__errno_location";

/** @param type in C, with or without the name of what has it */
function typeOf(type: string): string {
  if (type.includes("*")) return /\bchar\b/.test(type) ? "string" : "pointer";
  const words = type.trim().split(/\s+/);
  const known = TYPES[words.join(" ")] ?? TYPES[words.slice(0, -1).join(" ")];
  if (known === undefined) throw new Error(`a type of C that is not known: ${type}`);
  return known;
}

function declared(library: DynamicLibrary, declaration: string): Call {
  const [, type, name, list] = /^(.*?)(\w+)\((.*)\)$/.exec(declaration) as unknown as [string, string, string, string];
  const signature = {
    return: typeOf(type),
    arguments: list.trim() === "" ? [] : list.split(",").map((one) => typeOf(one.replace("_Out_", ""))),
  };
  const call = library.getFunction(name, signature);
  if (signature.return === "pointer") return (...args) => call(...args) || null;
  return signature.return.endsWith("64") ? (...args) => Number(call(...args)) : call;
}

/** @throws where this Node.js has no such module, or its permission model forbids it */
export function nodeNative(): Native {
  const ffi = requireFrom(import.meta.url)("node:ffi") as NodeFfi;
  // at once: the first call that asks for a function changes errno
  const errnoAt = new ffi.DynamicLibrary(null).getFunction(ERRNO, { return: "pointer", arguments: [] });
  errnoAt();
  return {
    version: process.versions.node,
    load(file): Library {
      // one for each caller: a library has each function with one signature
      const library = new ffi.DynamicLibrary(file);
      return {
        func: (declaration) => declared(library, declaration) as ReturnType<Library["func"]>,
        symbol: (name) => library.getSymbol(name),
      };
    },
    address: (of) => (typeof of === "bigint" ? of : ffi.getRawPointer(of as ArrayBufferView)),
    errno: () => ffi.getInt32(errnoAt() as bigint),
  };
}
