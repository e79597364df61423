/** Trees by which a message goes from one member to all: who passes it on, around the lost and the slow. */
import { UsageError } from "../../../ground/base/errors.ts";

/** The children of each member, by rank. */
export type Children = readonly (readonly number[])[];

/** How a child is reached. */
export interface Reach {
  /** Passes it on to its own children. */
  relay(child: number): void;
  /** Gets it for itself, as it may be slow: others pass it on. */
  only(child: number): void;
  /** 0: it is lost, or gets it later; 1: for itself; 2: it passes it on. */
  ability(child: number): 0 | 1 | 2;
}

/** Sends to the children of a member; those that do not pass it on are replaced by their children, at any depth. */
export function reachChildren(children: Children, member: number, reach: Reach): void {
  for (const child of children[member] as readonly number[]) {
    const ability = reach.ability(child);
    if (ability === 2) {
      reach.relay(child);
      continue;
    }
    if (ability === 1) reach.only(child);
    reachChildren(children, child, reach);
  }
}

/** The trees of a group, by root: from the given function, or each root sends to all others, in turn. */
export class Trees {
  readonly #given: ((root: number) => Children) | undefined;
  readonly #size: number;
  readonly #trees: (Children | undefined)[] = [];

  constructor(given: ((root: number) => Children) | undefined, size: number) {
    this.#given = given;
    this.#size = size;
  }

  of(root: number): Children {
    let tree = this.#trees[root];
    if (tree === undefined) {
      tree = this.#given === undefined ? star(root, this.#size) : this.#given(root);
      checkTree(tree, root, this.#size);
      this.#trees[root] = tree;
    }
    return tree;
  }
}

/** The root sends to all others; those behind it in rank first, so that not all roots begin with the same. */
const star = (root: number, size: number): Children =>
  Array.from({ length: size }, (_, member) =>
    member === root ? Array.from({ length: size - 1 }, (_, i) => (root + 1 + i) % size) : [],
  );

function checkTree(tree: Children, root: number, size: number): void {
  const reached = new Set([root]);
  const visit = (member: number): boolean =>
    (tree[member] ?? []).every((child) => !reached.has(child) && reached.add(child) && visit(child));
  if (tree.length === size && visit(root) && reached.size === size && Math.max(...reached) < size) return;
  throw new UsageError(
    `treeFor(${root}): expected the children of each of the ${size} members, which reach each member once from ${root}; got ${JSON.stringify(tree)}`,
  );
}
