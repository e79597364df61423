/**
 * The factors of the model (predict.ts), fitted to the simulator over the cases of `tundish bench plan`, so that the
 * candidate with the least predicted time is the best one, and predicted times are close.
 */
export const FIT = {
  /** Messages that return a buffer, per buffer. */
  tells: 0.94,
  /** Turns per buffer. */
  turns: 2.2,
  /** Weight of the smaller of work and network: they overlap, so the larger one dominates. */
  overlap: 0.19,
  /** Weight of the PE with the most message handling, relative to the mean. */
  worst: 0.78,
  /** Latencies at the end of a hop. */
  ends: 1.1,

  /** Simple conveyors: votes at the end, and of each round before. */
  last: 2.1,
  rounds: 1.3,
  /** Factor on the work of simple conveyors, as all PEs wait for the slowest in each round. */
  even: 1.2,

  /** Weight of the waits for room; and of those of the hops other than the one that waits most. */
  stalls: 0.51,
  others: 0.91,
  /** Weight of the first wait for room. */
  once: 1.3,
  /** Room between two waits: in returned buffers, and in the partly full one. */
  room: 2.1,
  part: 1.2,
  /** Buffers that the receiver handles before the awaited one. */
  backlog: 0.81,
  /** Of the time between two waits: the part in which the receiver is busy, and the work done meanwhile. */
  attention: 0.6,
  hidden: 2.8,
  /** Least time of a wait, in units of the latency. */
  least: 0.21,
};
