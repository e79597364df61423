/** How the test files share the machine (run.mjs). No test depends on that, but for those that are named as alone. */

/** A file is one of the first kind that names it. */
export const KINDS = {
  /** Whose figures would not hold beside others, or whose PEs spin without yielding: one at a time, after all others. */
  alone: [/^ground\/channel\/channel\./, /^collectives\/oversubscribed\./, /^ground\/wait\/parking\./],
  /** Of launchers, limits of time, other machines, and PEs that sleep: their time is far above what they take of a CPU. */
  waiting: [
    /^nodes\/(apps|exits|faults|hosts|limited-link|room|start)\./,
    /^machine\/mpi\//,
    /^tundish-bench\/peers\./,
    /^examples\/slurm\./,
    /^links\/world\/(terminate|process)\./,
    /^collectives\/endless\./,
    /^facilities\/append\/faults\./,
  ],
  /** All others: three at a time on two CPUs, as they wait, too, beside one that waits more; and then those too. */
  busy: [/./],
};

/** Busy files of thirty seconds and more, the longest first, so that none is left at the end. */
export const LONGEST = [
  /^examples\/examples\./,
  /^nodes\/conveyor\./,
  /^facilities\/append\/nodes\./,
  /^package\/package\./,
  /^tundish-bench\/cli\/bench-mpi\./,
  /^nodes\/(collectives|plan)\./,
  /^trees\/generate\/machines\./,
  /^(package\/(bench|bundlers)|interface\/report\/page-browser|facilities\/conveyor\/matrix-simulated|apps\/thesis)\./,
  /^(facilities\/(containers\/containers|messages\/uses)|links\/world\/open\/open|tundish-bench\/bench-trees)\./,
];
