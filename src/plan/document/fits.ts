/** Whether a plan fits the PEs that are to use it. */
import { PlanError } from "../../ground/base/errors.ts";
import type { PlanDocument } from "./document.ts";

/** The treatment of a plan that does not fit: an error, or made again for these PEs from its loads. */
export type Fit = "exact" | "adapt";

/** The PEs that are to use a plan. */
export interface PlanPlace {
  /** Number of PEs of each of their nodes. */
  readonly pesOfNode: readonly number[];
  /** The fingerprints of the machines of the world's nodes; null where there is none. */
  readonly machines: readonly (string | null)[];
}

/** Why a plan does not fit. */
export interface Misfit {
  /** The place in the document. */
  readonly path: string;
  /** `expected 3, the number of nodes here, got 2` */
  readonly sentence: string;
}

/** Why a plan's world is another one than these PEs; null if it is not. */
export function misfitOf({ world }: PlanDocument, { pesOfNode, machines }: PlanPlace): Misfit | null {
  const sum = pesOfNode.reduce((all, one) => all + one, 0);
  const expected = (path: string, what: string, got: unknown) => ({
    path,
    sentence: `expected ${what}, got ${got}`,
  });
  if (world.nodes !== pesOfNode.length) {
    return expected("world.nodes", `${pesOfNode.length}, the number of nodes here`, world.nodes);
  }
  if (world.pes !== sum) return expected("world.pes", `${sum}, the number of PEs here`, world.pes);
  const node = pesOfNode.findIndex((pes, i) => pes !== world.pesOfNode[i]);
  if (node >= 0) {
    const what = `${pesOfNode[node]}, the PEs of node ${node} here`;
    return expected(`world.pesOfNode.${node}`, what, world.pesOfNode[node]);
  }
  const other = machines.findIndex((one) => one !== null && one !== (world.fingerprint ?? one));
  if (other < 0) return null;
  const owner = machines.length > 1 ? `the machine of node ${other}` : "this machine";
  return expected("world.fingerprint", `${machines[other]}, ${owner}`, `${world.fingerprint}, another machine`);
}

/** Example: `world.nodes: expected 3, the number of nodes here, got 2` */
export const misfitText = ({ path, sentence }: Misfit): string => `${path}: ${sentence}`;

/** @param source where the plan is from */
export function misfitError(source: string, misfit: Misfit, options?: ErrorOptions): PlanError {
  return new PlanError(
    misfit.path,
    `${source}: ${misfitText(misfit)}. Plan again for this world (tundish plan), or have that done at the start: ` +
      'fit: "adapt" (tundish run --fit adapt).',
    options,
  );
}
