/** Machine models in files. schema.ts has their format and its check. */
import { readFile, realpath, stat, writeFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { EnvironmentError, ModelError, sentenceOf } from "../base/errors.ts";
import { replaceFile } from "../base/replace-file.ts";
import { parseMachine } from "./schema.ts";
import type { MachineModel } from "./types.ts";

export { parseMachine } from "./schema.ts";

/**
 * Reads a machine model.
 * @param path of the file; `-` is stdin
 * @throws ModelError if the file cannot be read, or is not JSON or not a model; the message names the file, the error's
 *   `path` the place in the document (empty for the whole)
 */
export async function readMachine(path: string): Promise<MachineModel> {
  const name = path === "-" ? "stdin" : path;
  let text: string;
  try {
    text = path === "-" ? await readAll(process.stdin) : await readFile(path, "utf8");
  } catch (cause) {
    throw new ModelError(
      "",
      `${name}: expected a machine model, but it cannot be read (${(cause as Error).message}). Make one with: tundish profile -o machine.json`,
      { cause },
    );
  }
  let document: unknown;
  try {
    // some editors write a byte-order mark, which JSON does not allow
    document = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ModelError("", `${name}: expected JSON: ${(cause as Error).message}`, { cause });
  }
  try {
    return parseMachine(document);
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    throw new ModelError(cause.path, `${name}: ${sentenceOf(cause)}`, { cause });
  }
}

/**
 * Checks a machine model and writes it as formatMachine() formats it. The file is replaced atomically: a reader sees
 * the old one or the whole new one.
 * @throws ModelError for an invalid model, EnvironmentError if the file cannot be written
 */
export async function writeMachine(path: string, model: MachineModel): Promise<void> {
  const text = formatMachine(parseMachine(model));
  // the target of a link is replaced, not the link; pipes and devices can only be written to
  const target = await realpath(path).catch(() => path);
  const isFile = await stat(target).then(
    (found) => found.isFile(),
    () => true,
  );
  try {
    if (isFile) replaceFile(target, text);
    else await writeFile(target, text);
  } catch (cause) {
    throw new EnvironmentError(
      `Cannot write the machine model to ${path}: ${(cause as Error).message}. Choose a file in a folder that can be written to.`,
      { cause },
    );
  }
}

/** The model as readable JSON: one line per field, and one per PE or matrix row. Ends with a line feed. */
export function formatMachine(model: MachineModel): string {
  return `${format(model, true)}\n`;
}

// the model and objects with a table are spread over lines, and so is a table
function format(value: unknown, spread = hasTable(value)): string {
  if (!spread) return JSON.stringify(value);
  if (Array.isArray(value)) return `[\n${value.map((row) => JSON.stringify(row)).join(",\n")}\n]`;
  const fields = Object.entries(value as object)
    .filter(([, content]) => content !== undefined)
    .map(([key, content]) => `${JSON.stringify(key)}: ${format(content)}`);
  return `{\n${fields.join(",\n")}\n}`;
}

function hasTable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return typeof value[0] === "object";
  return Object.values(value).some(hasTable);
}
