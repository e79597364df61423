/** Random trees for tasks: the same at all PEs. */

/** A number from some numbers. */
export function mixed(...of: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const one of of) {
    hash = Math.imul(hash ^ one, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

/** Nodes 0 to size - 1; the parent of each comes before it. */
export class Tree {
  readonly size: number;
  readonly roots: readonly number[];
  /** The node whose task throws, or -1. */
  readonly throwsAt: number;
  readonly #children = new Map<number, number[]>();

  /** @param most nodes */
  constructor(seed: number, most: number) {
    this.size = Math.max(1, mixed(seed, 1) % (mixed(seed, 2) % 8 === 0 ? most - 1 : 60));
    this.throwsAt = mixed(seed, 3) % 5 === 0 ? mixed(seed, 4) % this.size : -1;
    /** How far back parents are: chains, or wide trees. */
    const reach = 1 + (mixed(seed, 5) % 30);
    const roots: number[] = [];
    for (let at = 0; at < this.size; at++) {
      const back = mixed(seed, 6, at) % reach;
      const parent = at - 1 - back;
      if (parent < 0) roots.push(at);
      else this.#children.set(parent, [...(this.#children.get(parent) ?? []), at]);
    }
    this.roots = roots;
  }

  childrenOf(at: number): readonly number[] {
    return this.#children.get(at) ?? [];
  }
}

/** What a call throws. */
export function errorOf(call: () => unknown): Error | undefined {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}
