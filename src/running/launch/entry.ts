/**
 * Whether a module is the file that the process was started with. A program in one file starts its PEs only there: each
 * PE imports the file as well, and so may a test.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { UsageError } from "../../ground/base/errors.ts";
import { requireFrom } from "../../ground/base/package-file.ts";
import { shortText } from "../../ground/base/short-text.ts";

/**
 * Whether this module is the file that Node.js (tsx, Deno, Bun) was started with, and this is the main thread:
 * `if (isEntry(import.meta)) await launch(import.meta.url)`. False in PEs and other workers, where another module
 * imports this one, and for `tundish run` and `tundish simulate`, which start the program themselves. CommonJS has
 * `require.main === module` for it.
 * @param meta the module's `import.meta`
 * @throws UsageError for what has no url, as `import.meta` in a bundle of CommonJS
 */
export function isEntry(meta: ImportMeta): boolean {
  const { main, url } = (meta ?? {}) as { readonly main?: unknown; readonly url?: unknown };
  if (typeof url !== "string") {
    throw new UsageError(
      `isEntry expected import.meta, whose url is a string, got ${shortText(meta)}. In CommonJS, also of a bundler, write \`if (require.main === module)\`.`,
    );
  }
  if (!isMainThread) return false;
  // from Node.js 24.2 on
  return typeof main === "boolean" ? main : isStarted(url);
}

/** Whether it is the file behind the first argument, which may be a link or a folder, or lack its ending. */
function isStarted(url: string): boolean {
  const [, started] = process.argv;
  if (started === undefined || !url.startsWith("file:")) return false;
  try {
    return realpathSync(requireFrom(started).resolve(started)) === realpathSync(fileURLToPath(url));
  } catch {
    return false; // a word that is no file, as behind --eval, or a path that is relative
  }
}
