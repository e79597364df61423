/**
 * Files of this package that are started by path: the threads' entry points. In the sources and in dist/src they keep
 * the folders of the sources; in dist/lib, bundled, they are all in one folder, and code may be in dist/lib/esm. The
 * bundle of a user does not have them.
 */
import nodeModule from "node:module";
import { posix } from "node:path";
import { loadClean } from "./objects/clean.ts";

/** The name of this file in dist/lib; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_FILE: string | undefined;
/** The version of the package, likewise. */
declare const TUNDISH_VERSION: string | undefined;
/** In bundles of webpack only, which replaces `import.meta.url` by the place that a file had when it was bundled. */
declare const __webpack_require__: unknown;
/** In CommonJS only. */
declare const __filename: string | undefined;

/** The version of this copy of the package; "" for one that is not published. */
export const version: string = typeof TUNDISH_VERSION === "undefined" ? "" : TUNDISH_VERSION;

const isWebpack = typeof __webpack_require__ !== "undefined";

/** Whether a bundler of the user has copied this code into a file of theirs. */
export const isBundled: boolean =
  typeof TUNDISH_FILE !== "undefined" && (isWebpack || !String(import.meta.url).endsWith(`/${TUNDISH_FILE}`));

/** A file of this package relative to the caller: `sibling("./worker.js", import.meta.url)`. Not in bundles. */
export function sibling(path: string, base: string): URL {
  if (typeof TUNDISH_FILE !== "undefined") return new URL(posix.basename(path), base.replace(/\/esm\/[^/]*$/, "/"));
  return new URL(base.endsWith(".ts") ? path.replace(/\.js$/, ".ts") : path, base);
}

/** `require` as from another file, hidden from webpack, which replaces createRequire and looks for its calls. */
export const requireFrom = (file: string | URL): NodeJS.Require => nodeModule.createRequire(file);

/**
 * `require` for an optional package: from the file with this code, or in bundles that do not tell their place from the
 * program.
 * @param base the caller's `import.meta.url`, undefined in a bundle that is CommonJS
 */
export function requireHere(base: string | undefined): (name: string) => unknown {
  const own = base ?? (typeof __filename === "undefined" ? undefined : __filename);
  const load = requireFrom((isWebpack ? process.argv[1] : own) ?? `${process.cwd()}/`);
  return (name) => loadClean(() => load(name));
}
