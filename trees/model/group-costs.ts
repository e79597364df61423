/**
 * The costs of a group only: sufficient to repair a tree, in a fraction of the time for a whole problem (problem.ts),
 * which also has the domains of its members and their canonical order.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { cut, cutRelays, type ProblemOptions } from "./problem.ts";
import type { TreeProblem } from "./tree.ts";

/**
 * A problem with one domain, and with an order of its members that depends on their numbers.
 *
 * @param machine a checked model
 * @param cores PE numbers of the model, all different
 */
export function groupCosts(
  machine: MachineModel,
  cores: readonly number[],
  { root, seed = 1 }: Pick<ProblemOptions, "root" | "seed"> = {},
): TreeProblem {
  const members = [...cores].sort((a, b) => a - b);
  const places = members.map((_, place) => place);
  const { send, receive, propagate } = machine;
  return {
    size: members.length,
    cores: members,
    order: places,
    canonical: places,
    send: cut(send, members),
    receive: cut(receive, members),
    propagate: propagate ? cut(propagate, members) : new Float64Array(members.length ** 2),
    relay: cutRelays(machine, members),
    root: root === undefined ? undefined : members.indexOf(root),
    domains: [new Int32Array(members.length)],
    hints: [],
    seed,
    budget: undefined,
    moves: undefined,
  };
}
