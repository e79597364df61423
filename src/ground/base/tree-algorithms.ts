/**
 * The names of the tree algorithms only, so that modules which need just the names (the command line, the check of a
 * setting) load no builder. builders.ts has a builder for each published name.
 */

/** The published algorithms: Smelt's adaptive tree and the trees that Smelt was compared with. */
export type Baseline = "smelt" | "sequential" | "binary" | "fibonacci" | "mst" | "cluster" | "bad";

/** Every algorithm that builds a tree. `adaptive` is the default; `exact` is for small groups. */
export type Algorithm = "adaptive" | "exact" | Baseline;

// a record, so that the compiler reports a missing name
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
export const baselines: readonly Baseline[] = algorithms.filter((name): name is Baseline => all[name] === "published");
