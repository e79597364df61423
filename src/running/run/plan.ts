/** The plan that a world is given: by an option, or by the environment. */
import { createHash } from "node:crypto";
import { setting, variableOf } from "../../ground/base/settings.ts";
import type { PlanDocument } from "../../plan/document/document.ts";
import { fileOf, readPlan } from "../../plan/document/file.ts";
import { parsePlan } from "../../plan/document/schema.ts";
import type { GivenPlan } from "../../plan/document/world-plan.ts";
import type { WorldOptions } from "./options.ts";

/** The plan of the options, else that of the environment, else null. @throws PlanError for one that is none */
export async function givenPlan({ plan }: WorldOptions): Promise<GivenPlan | null> {
  if (typeof plan === "string" || plan instanceof URL) return fromFile(await readPlan(plan));
  if (plan !== undefined) return { document: parsePlan(plan), source: fileOf(plan) ?? "the option plan" };
  const path = setting("plan");
  return path === "" ? null : fromFile(await readPlan(path), ` (${variableOf("plan")})`);
}

const fromFile = (document: PlanDocument, by = ""): GivenPlan => ({
  document,
  source: `${fileOf(document)}${by}`,
});

/** The number of PEs of this node: that of the options, else that of a plan that must fit. */
export function pesOf(
  given: GivenPlan | null,
  { pes, fit = "exact" }: WorldOptions,
  node: number,
): Pick<WorldOptions, "pes"> {
  const planned = fit === "exact" ? given?.document.world.pesOfNode[node] : undefined;
  const wish = pes ?? planned;
  return wish === undefined ? {} : { pes: wish };
}

/** What nodes compare of a plan: few characters, different for different plans. */
export function planTerm(given: GivenPlan | null, { fit = "exact" }: WorldOptions): string {
  if (given === null) return `none, with fit ${fit}`;
  const { document } = given;
  const digits = createHash("sha256").update(JSON.stringify(document)).digest("hex").slice(0, 16);
  return `one of ${document.created} (${digits}), with fit ${fit}`;
}
