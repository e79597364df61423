/** The plan of a world: the document that launch(), createWorld() or simulate() was given, as its PEs have it. */
import type { Trees } from "../../../trees/model/tree.ts";
import { escaped } from "../../ground/base/short-text.ts";
import { countText } from "../../ground/base/units.ts";
import type { PlanDocument } from "./document.ts";
import { type Fit, type Misfit, misfitError, misfitOf, misfitText, type PlanPlace } from "./fits.ts";

/** A plan and where it is from. */
export interface GivenPlan {
  readonly document: PlanDocument;
  /** For messages: the file, or the option. */
  readonly source: string;
}

/** The PEs' knowledge of plans in a world; cloneable. */
export interface WorldPlan {
  /** The world's plan, without its trees; null if it has none. */
  readonly given: GivenPlan | null;
  readonly fit: Fit;
  /** Why the plan is made again; null if it fits. */
  readonly misfit: Misfit | null;
  /** The fingerprints of the machines of the world's nodes; null where there is none. */
  readonly machines: readonly (string | null)[];
  /** The fate of the plan's trees. */
  readonly trees: string;
}

/** The plan of a world, and its trees if the world is to have them. */
export interface Adopted {
  readonly plan: WorldPlan;
  readonly trees: Trees | null;
}

/**
 * Takes a plan for a world, or none.
 * @param otherTrees why the world has other trees than the plan's; null if it has not
 * @throws PlanError if it does not fit and is not to be adapted
 */
export function adopt(given: GivenPlan | null, fit: Fit, place: PlanPlace, otherTrees: string | null): Adopted {
  const { machines } = place;
  if (given === null) return { plan: { given, fit, misfit: null, machines, trees: "" }, trees: null };
  const misfit = misfitOf(given.document, place);
  if (misfit !== null && fit === "exact") throw misfitError(given.source, misfit);
  const { trees: own = null, ...document } = given.document;
  const why = misfit === null ? otherTrees : "they are for another world";
  const fate = why === null ? "used" : `not used: ${why}`;
  return {
    plan: { given: { ...given, document }, fit, misfit, machines, trees: own === null ? "none" : fate },
    trees: why === null ? own : null,
  };
}

/** A world's plan at one PE. */
export interface Planning {
  readonly world: WorldPlan;
  /** The entries that conveyors and exchanges were made by: `conveyors.edges`. */
  readonly used: Set<string>;
}

/** The plan of a world and what of it is used, in lines of text; none for a world without a plan. */
export function explainPlanning({ world: { given, misfit, trees }, used }: Planning): readonly string[] {
  if (given === null) return [];
  const { document, source } = given;
  const { pes, nodes } = document.world;
  const size = `${countText(pes, "PE")} on ${countText(nodes, "node")}`;
  const adapted = misfit === null ? "" : `; planned again for this world, as ${misfitText(misfit)}`;
  return [
    `plan: ${source}, made ${document.created} for ${size}${adapted}`,
    `plan, trees: ${trees}`,
    ...(["conveyors", "exchanges"] as const)
      .flatMap((part) => Object.keys(document[part] ?? {}).map((name) => `${part}.${name}`))
      .map((entry) => `plan, ${entry}: ${used.has(entry) ? "used" : "not used so far"}`),
  ].map(escaped);
}
