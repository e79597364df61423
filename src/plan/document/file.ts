/** Plans in files. schema.ts has their format and its check. */
import { type DocumentKind, filePath, readDocument, writeDocument } from "../../ground/base/document-file.ts";
import { PlanError } from "../../ground/base/errors.ts";
import type { PlanDocument } from "./document.ts";
import { parsePlan } from "./schema.ts";

const PLAN: DocumentKind<PlanDocument> = {
  what: "a plan",
  madeBy: "tundish plan machine.json --item-bytes 16 --load 1000 -o plan.json",
  parse: parsePlan,
  fault: PlanError,
};

const sources = new WeakMap<PlanDocument, string>();

/** The file that a plan was read from, for messages; undefined for another one. */
export const fileOf = (plan: PlanDocument): string | undefined => sources.get(plan);

/**
 * Reads a plan.
 * @param path of the file, or its URL; `-` is stdin
 * @throws PlanError if the file cannot be read, or is not JSON or not a plan; the message names the file, the error's
 *   `path` the place in the document (empty for the whole); UsageError for what is no path
 */
export async function readPlan(path: string | URL): Promise<PlanDocument> {
  const file = filePath(path);
  const plan = await readDocument(file, PLAN);
  sources.set(plan, file === "-" ? "stdin" : file);
  return plan;
}

/**
 * Checks a plan and writes it as formatPlan() formats it. The file is replaced atomically.
 * @throws PlanError for an invalid plan, EnvironmentError if the file cannot be written
 */
export async function writePlan(path: string | URL, plan: PlanDocument): Promise<void> {
  await writeDocument(filePath(path), formatPlan(parsePlan(plan)), "the plan");
}

/** The plan as readable JSON. Ends with a line feed. */
export function formatPlan(plan: PlanDocument): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}
