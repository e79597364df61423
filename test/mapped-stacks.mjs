// Stacks of built code, as positions in the sources. Only the output of a file that failed is mapped: under
// --enable-source-maps every worker thread of every test would load the maps first, a quarter of its CPU time.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The map beside each built file; null where there is none. */
const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) {
    const path = `${file}.map`;
    maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null);
  }
  return maps.get(file);
}

/** `text` with each position in a built file below `root` replaced by that in its source, relative to `root`. */
export function mappedStacks(text, root) {
  return text.replace(/((?:file:\/\/)?\/[^\s():]+\.js):(\d+):(\d+)/g, (built, name, line, column) => {
    const file = name.startsWith("file:") ? fileURLToPath(name) : name;
    if (!file.startsWith(join(root, "dist"))) return built;
    const { originalSource, originalLine, originalColumn } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
    if (originalSource === undefined) return built;
    const source = originalSource.startsWith("file:")
      ? fileURLToPath(originalSource)
      : join(dirname(file), originalSource);
    return `${relative(root, source)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}
