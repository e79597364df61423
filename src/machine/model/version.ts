/** The version of the machine model's format. A separate file, for threads that do not load the schema. */
import { ModelError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

const SCHEMA = "tundish/machine@1";

/** Checks that this Tundish can read the version. @throws ModelError that names the version */
export function checkVersion(schema: unknown): void {
  if (schema === SCHEMA) return;
  const other = typeof schema === "string" && schema.startsWith("tundish/machine@");
  const hint = other ? ": another version of the format; use the Tundish that wrote it, or profile again" : "";
  throw new ModelError("schema", `schema: expected "${SCHEMA}", got ${shortText(schema)}${hint}`);
}
