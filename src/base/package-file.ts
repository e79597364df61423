/**
 * Where the files of this package are that are started or read by their place: threads' entry points and
 * the kernels. From source and in dist/src they lie as the sources do; in dist/lib, bundled, all side by
 * side.
 */
import { posix } from "node:path";

/** Defined by the bundler (scripts/build/lib.mjs), and nowhere else. */
declare const TUNDISH_BUNDLED: true | undefined;

/** A file of this package, named as it lies from the caller: `sibling("./worker.js", import.meta.url)`. */
export function sibling(path: string, base: string): URL {
  if (typeof TUNDISH_BUNDLED !== "undefined") return new URL(posix.basename(path), base);
  return new URL(base.endsWith(".ts") ? path.replace(/\.js$/, ".ts") : path, base);
}
