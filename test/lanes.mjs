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

/**
 * Files of half a minute and more on a busy machine, by --times of run.mjs, the longest groups first: each kind begins
 * with its own, so that none is left at the end.
 */
export const LONGEST = [
  /^nodes\/(conveyor|hosts|limited-link)\./,
  /^tundish-bench\/(smelt|cli\/bench(-(adapt|append|containers|conveyors|conveyors-parts|loops|mpi|tram))?)\./,
  /^(examples\/examples|facilities\/append\/nodes|package\/(bundlers|compiled|package))\./,
  /^nodes\/(apps|collectives|faults|mpi-collectives|plan)\./,
  /^interface\/(cli\/(profile-mpi|report|start|templates|tree)|report\/page-browser)\./,
  /^facilities\/(containers\/containers|conveyor\/belts\/compiled|exchange\/bench|loop\/(nodes|virtual)|messages\/uses)\./,
  /^(apps\/thesis|collectives\/every|links\/world\/(hostile|losses\/nodes|open\/open)|running\/contest\/contest|types\/types)\./,
  /^(microbench\/profile|tundish-bench\/(items|peers|cli\/bench-latency)|trees\/(generate\/machines|nodes\/nodes|repair\/repair))\./,
];
