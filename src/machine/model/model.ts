/** Machine models in files. schema.ts has their format and its check. */
import { type DocumentKind, filePath, readDocument, writeDocument } from "../../ground/base/document-file.ts";
import { ModelError } from "../../ground/base/errors.ts";
import type { MachineModel } from "./machine-model.ts";
import { parseMachine } from "./schema.ts";

export { parseMachine } from "./schema.ts";

const MACHINE: DocumentKind<MachineModel> = {
  what: "a machine model",
  madeBy: "tundish profile -o machine.json",
  parse: parseMachine,
  fault: ModelError,
};

/**
 * Reads a machine model.
 * @param path of the file, or its URL; `-` is stdin
 * @throws ModelError if the file cannot be read, or is not JSON or not a model; the message names the file, the error's
 *   `path` the place in the document (empty for the whole); UsageError for what is no path
 */
export async function readMachine(path: string | URL): Promise<MachineModel> {
  return readDocument(filePath(path), MACHINE);
}

/**
 * Checks a machine model and writes it as formatMachine() formats it. The file is replaced atomically: a reader sees
 * the old one or the whole new one.
 * @throws ModelError for an invalid model, EnvironmentError if the file cannot be written
 */
export async function writeMachine(path: string | URL, model: MachineModel): Promise<void> {
  await writeDocument(filePath(path), formatMachine(parseMachine(model)), "the machine model");
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
