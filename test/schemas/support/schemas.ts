/** The JSON Schemas that the package has, compiled. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { root } from "../../support/paths.ts";

const folder = join(root, "schemas");
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

/** `machine.json` and so on. */
export const names: readonly string[] = readdirSync(folder).sort();
for (const name of names) ajv.addSchema(JSON.parse(readFileSync(join(folder, name), "utf8")), name);

/** The check by the schema in this file. */
export const validator = (name: string): ValidateFunction => ajv.getSchema(name) as ValidateFunction;

/** Why a document does not follow the schema in this file; an empty text if it does. */
export function faultsOf(name: string, document: unknown): string {
  const isValid = validator(name);
  return isValid(document) ? "" : JSON.stringify(isValid.errors);
}
