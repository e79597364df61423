/** The version of the machine model's format; light, for threads that load no schema. */
import { ModelError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";

const SCHEMA = "tundish/machine@1";

/** Passes for the version that this Tundish reads. @throws ModelError that says which one it is */
export function checkVersion(schema: unknown): void {
  if (schema === SCHEMA) return;
  const other = typeof schema === "string" && schema.startsWith("tundish/machine@");
  const hint = other
    ? ": another version of the format; use the Tundish that wrote it, or profile again"
    : "";
  throw new ModelError("schema", `schema: expected "${SCHEMA}", got ${shortText(schema)}${hint}`);
}
