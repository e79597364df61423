/** From values to places in a drawing. */

/** A function from values to places; values out of its domain have the places of its ends. */
export type Scale = (value: number) => number;

type Range = readonly [from: number, to: number];

/** Equal differences are equally far apart. */
export function linear([from, to]: Range, [start, end]: Range): Scale {
  return (value) => start + between(from, to, value) * (end - start);
}

/** Equal ratios are equally far apart; values are above 0. */
export function logarithmic([from, to]: Range, [start, end]: Range): Scale {
  const [low, high] = [Math.log(from), Math.log(to)];
  return (value) => start + between(low, high, value > 0 ? Math.log(value) : low) * (end - start);
}

/** The decimal logarithm; finite for all numbers, so that loops over decades end. */
export const log10 = (value: number): number => Math.log10(Math.min(1e300, Math.max(1e-300, value)));

const between = (from: number, to: number, value: number): number =>
  to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 0;
