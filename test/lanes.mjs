/** How the test files share the machine (run.mjs). No test depends on that, but for those that are named as alone. */

/** A file is one of the first kind that names it. */
export const KINDS = {
  /** Whose figures would not hold beside others, or whose PEs spin without yielding: one at a time, after all others. */
  alone: [/^ground\/channel\/channel\./, /^collectives\/oversubscribed\./, /^ground\/wait\/parking\./],
  /** Of launchers, limits of time, other machines, and PEs that sleep: their time is far above what they take of a CPU. */
  waiting: [
    /^nodes\/(apps|exits|faults|hosts|room|start)\./,
    /^machine\/mpi\//,
    /^tundish-bench\/peers\./,
    /^examples\/slurm\./,
    /^links\/world\/(terminate|process)\./,
    /^collectives\/endless\./,
    /^facilities\/append\/faults\./,
  ],
  /** All others: two at a time, beside one that waits; and then waiting ones too. */
  busy: [/./],
};

/** Busy files of twenty seconds and more, the longest first, so that none is left at the end. */
export const LONGEST = [
  /^nodes\/conveyor\./,
  /^tundish-bench\/cli\/bench-mpi\./,
  /^nodes\/collectives\./,
  /^facilities\/exchange\/conveyors-(simulated|nodes)\./,
  /^(interface\/cli\/plan|tundish-bench\/cli\/bench-conveyors)/,
  /^tundish-bench\/(cli\/)?bench-trees\./,
  /^(apps\/thesis|tundish-bench\/cli\/bench|facilities\/conveyor\/matrix|facilities\/selector\/selector|running\/contest\/contest|package\/package)\./,
];
