/** The plan that a world is given: by an option, or by the environment. */
import { hashDigits } from "../../ground/base/hash.ts";
import { setting, variableOf } from "../../ground/base/settings.ts";
import type { GivenPlan } from "../../plan/document/world-plan.ts";
import type { WorldOptions } from "./options.ts";

/** The plan of the options, else that of the environment, else null. @throws PlanError for one that is none */
export async function givenPlan({ plan }: WorldOptions): Promise<GivenPlan | null> {
  if (plan === undefined && setting("plan") === "") return null;
  const { fileOf, readPlan } = await import("../../plan/document/file.ts");
  const fromFile = async (path: string | URL, by = ""): Promise<GivenPlan> => {
    const document = await readPlan(path);
    return { document, source: `${fileOf(document)}${by}` };
  };
  if (plan === undefined) return fromFile(setting("plan"), ` (${variableOf("plan")})`);
  if (typeof plan === "string" || plan instanceof URL) return fromFile(plan);
  const { parsePlan } = await import("../../plan/document/schema.ts");
  return { document: parsePlan(plan), source: fileOf(plan) ?? "the option plan" };
}

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

/** The key by which nodes compare plans: few characters, different for different plans. */
export function planTerm(given: GivenPlan | null, { fit = "exact" }: WorldOptions): string {
  if (given === null) return `none, with fit ${fit}`;
  const { document } = given;
  const digits = hashDigits(JSON.stringify(document));
  return `one of ${document.created} (${digits}), with fit ${fit}`;
}
