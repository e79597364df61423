/**
 * The names of the algorithms, and nothing else: whoever only has to know them (the command line, the check of
 * a setting) loads no builder. builders.ts has one for each published name.
 */

const published = ["smelt", "sequential", "binary", "fibonacci", "mst", "cluster", "bad"] as const;

/** The published ways: Smelt's adaptive tree and the trees that Smelt was compared with. */
export type Baseline = (typeof published)[number];

/** Every way of building a tree; `adaptive` is the default, `exact` is for small groups. */
export type Algorithm = "adaptive" | "exact" | Baseline;

/** The names of the published algorithms. */
export const baselines: readonly Baseline[] = published;

/** The names of all algorithms, the default first. */
export const algorithms: readonly Algorithm[] = ["adaptive", "exact", ...published];
