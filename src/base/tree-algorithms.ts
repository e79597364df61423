/**
 * The names of the algorithms, and nothing else: whoever only has to know them (the command line, the check of
 * a setting) loads no builder. builders.ts has one for each published name.
 */

/** The published ways: Smelt's adaptive tree and the trees that Smelt was compared with. */
export type Baseline = "smelt" | "sequential" | "binary" | "fibonacci" | "mst" | "cluster" | "bad";

/** Every way of building a tree; `adaptive` is the default, `exact` is for small groups. */
export type Algorithm = "adaptive" | "exact" | Baseline;

// a record, so that the compiler misses a name that is forgotten
const all: Readonly<Record<Algorithm, "own" | "published">> = {
  adaptive: "own",
  exact: "own",
  smelt: "published",
  sequential: "published",
  binary: "published",
  fibonacci: "published",
  mst: "published",
  cluster: "published",
  bad: "published",
};

/** The names of all algorithms, the default first. */
export const algorithms: readonly Algorithm[] = Object.keys(all) as Algorithm[];

/** The names of the published algorithms. */
export const baselines: readonly Baseline[] = algorithms.filter(
  (name): name is Baseline => all[name] === "published",
);
