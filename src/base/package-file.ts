/**
 * Resolves files of this package that are started or read by path: the threads' entry points and the kernels. In the
 * sources and in dist/src they keep the folders of the sources; in dist/lib, bundled, they are all in one folder.
 */
import { posix } from "node:path";

/** Defined by the bundler (scripts/build/lib.mjs) only. */
declare const TUNDISH_BUNDLED: true | undefined;

/** A file of this package by its path relative to the caller: `sibling("./worker.js", import.meta.url)`. */
export function sibling(path: string, base: string): URL {
  if (typeof TUNDISH_BUNDLED !== "undefined") return new URL(posix.basename(path), base);
  return new URL(base.endsWith(".ts") ? path.replace(/\.js$/, ".ts") : path, base);
}
