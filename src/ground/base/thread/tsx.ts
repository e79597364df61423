/** Finds tsx, which makes a thread of Node 20 load TypeScript once it is registered inside that thread. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { requireFrom } from "../package-file.ts";

/**
 * The modules of tsx that export `register()`, for ES modules and for CommonJS, resolved from a file; null if tsx is
 * not installed.
 *
 * `createRequire().resolve()` alone would give the CommonJS form, whose register() looks for its hooks in the wrong
 * folder (tsx 4.23), and import.meta.resolve() accepts no parent other than the caller.
 */
export function findTsx(from: string | URL): { esm: string; cjs: string } | null {
  try {
    const manifest = requireFrom(from).resolve("tsx/package.json");
    const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as {
      exports: { "./esm/api": { import: { default: string } } };
    };
    const esm = new URL(exports["./esm/api"].import.default, pathToFileURL(manifest)).href;
    return { esm, cjs: requireFrom(from).resolve("tsx/cjs/api") };
  } catch {
    return null;
  }
}
