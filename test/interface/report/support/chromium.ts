/** The browser for tests of pages. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of the Chromium in TUNDISH_TEST_CHROMIUM, else of the one in PATH; undefined if there is none. */
export function chromium(): string | undefined {
  const given = process.env.TUNDISH_TEST_CHROMIUM;
  if (given !== undefined && given !== "") return given;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "chromium")).find((file) => existsSync(file));
}
