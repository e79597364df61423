/** Shapes (member numbers) and trees (PE numbers of the model): traversal and conversion. */
import { UsageError } from "../../src/ground/base/errors.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { treeMembers } from "./check-tree.ts";
import { checkMachine, treeProblem } from "./problem.ts";
import type { Algorithm, Finder, Shape, Tree, TreeProblem } from "./tree.ts";

/** The members of a shape, every parent before its children; a fresh array. */
export function topDown(shape: Shape): number[] {
  const walk = [shape.root];
  // the array grows during the loop; no recursion, as a chain may be thousands deep
  for (const parent of walk) for (const child of shape.children[parent] as readonly number[]) walk.push(child);
  return walk;
}

/** The shape in which `order[0]` is the root and member `order[i]` has the parent `order[parent(i)]`. */
export function layOut(order: readonly number[], parent: (position: number) => number): Shape {
  const children: number[][] = order.map(() => []);
  for (let i = 1; i < order.length; i++) (children[order[parent(i)] as number] as number[]).push(order[i] as number);
  return { root: order[0] as number, children };
}

/** All members in ascending order, except that the given root (else the lowest member) is first. */
export function rootFirst(problem: TreeProblem): number[] {
  const root = problem.root ?? 0;
  const rest = Array.from({ length: problem.size }, (_, member) => member).filter((member) => member !== root);
  return [root, ...rest];
}

/** A shape in the public form: PE numbers, parents without children left out. */
export function treeOf(problem: TreeProblem, shape: Shape, algorithm: Algorithm, latency: number, from?: Finder): Tree {
  const pe = (member: number): number => problem.cores[member] as number;
  const children: Record<string, number[]> = {};
  shape.children.forEach((list, parent) => {
    if (list.length > 0) children[pe(parent)] = list.map(pe);
  });
  return { algorithm, ...(from && { from }), root: pe(shape.root), children, latency };
}

/**
 * A tree as a shape over the problem of exactly its PEs.
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model; ModelError for an invalid model
 */
export function onMachine(tree: Tree, machine: MachineModel): { problem: TreeProblem; shape: Shape } {
  const problem = treeProblem(machine, membersOn(tree, machine));
  return { problem, shape: shapeOver(problem, tree) };
}

/** Checks a tree and a machine; returns the PEs of the tree. @throws as {@link onMachine} */
export function membersOn(tree: Tree, machine: MachineModel, what?: string): number[] {
  checkMachine(machine);
  const members = treeMembers(tree, what);
  checkFits(members, machine, what ?? "tree");
  return members;
}

/** A checked tree as a shape over a problem of its PEs. */
export function shapeOver({ cores }: TreeProblem, tree: Tree): Shape {
  const memberOf = new Map(cores.map((core, member) => [core, member]));
  const member = (core: number): number => memberOf.get(core) as number;
  return {
    root: member(tree.root),
    children: cores.map((core) => (tree.children[core] ?? []).map(member)),
  };
}

/** Checks that PEs are in the model. @throws UsageError that names the tree or barrier */
export function checkFits(members: readonly number[], machine: MachineModel, what: string): void {
  const stranger = members.find((pe) => pe >= machine.pes.length);
  if (stranger === undefined) return;
  throw new UsageError(
    `The ${what} names PE ${stranger}; the model ${machine.name} has PEs 0 to ${machine.pes.length - 1}. Use the model that the ${what} was made for.`,
  );
}
