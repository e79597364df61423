/** Paths that hold both when the tests run built (dist/test) and from source (test). */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout: the nearest folder upwards with a package.json. */
export const root: string = (() => {
  let dir = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(dir, "package.json"))) dir = dirname(dir);
  return dir;
})();

/** A data file below test/fixtures. */
export const fixture = (...parts: string[]): string => join(root, "test", "fixtures", ...parts);
