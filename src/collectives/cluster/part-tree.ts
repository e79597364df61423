/**
 * The binomial tree over the parts of a group.
 *
 * Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005,
 * section 4.2.
 *
 * Example with 5 parts from part 0: 0 -> [4, 2, 1], 2 -> [3].
 */

/** A part's place in the tree. */
export interface PartTree {
  /** -1 at the root. */
  readonly parent: number;
  /** The largest subtree first. */
  readonly children: readonly number[];
}

/** The place of part `own` of `count` in the binomial tree from part `root`. */
export function partTree(count: number, own: number, root: number): PartTree {
  const place = (own - root + count) % count;
  const part = (at: number) => (at + root) % count;
  const children: number[] = [];
  let step = 1;
  for (; step < count && (place & step) === 0; step *= 2) {
    if (place + step < count) children.push(part(place + step));
  }
  return { parent: place === 0 ? -1 : part(place - step), children: children.toReversed() };
}
