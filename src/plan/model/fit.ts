/**
 * The factors of the model (predict.ts), fitted to the simulator by packages/tundish-bench/src/plan/fit, so that the
 * candidate with the least predicted time is the best one, and predicted times are close. The cases of the fit are none
 * of those that `tundish bench plan` judges plans by.
 */
export const FIT = {
  /** Messages that return a buffer, per buffer. */
  tells: 0.75,
  /** Turns per buffer. */
  turns: 1.84,
  /** Messages between nodes that give a buffer back, per buffer: their load. Nobody waits for the last. */
  releases: 0.431,
  releasesAtEnd: 0.01,
  /** Weight of the smaller of work and network, which overlap: the larger dominates. Also at a hop's end. */
  overlap: 0.262,
  overlapAtEnd: 0.14,
  /** Of the work at a hop's end, what is done while the network is busy with the hop before. */
  meanwhile: 0.12,
  /** Weight of the less busy end of the network at a hop's end: senders meet at receivers. */
  after: 0.0402,
  /** Time for which the network has nothing to send, of that for which it is busy, with one buffer for each link. */
  lone: 0.24,
  /** Round trips of a link's buffers, of those if all links were as full as each other. */
  trips: 0.634,
  /** Weight of the PE with the most message handling, relative to the mean. */
  worst: 0.412,
  /** Latencies at the end of a hop; and until its sender knows that a buffer was read, where there is a vote. */
  ends: 0.921,
  read: 0.652,

  /** Simple conveyors: votes at the end, and of each round before. */
  last: 2.98,
  rounds: 2.15,
  /** Factor on the work of simple conveyors, as all PEs wait for the slowest in each round. */
  even: 1.01,
  /** Factor on the network, as all send at the same time; weight of the smaller of work and network. */
  exchange: 1.3,
  apart: 0.749,

  /** Weight of the waits for room; and of those of the hops other than the one that waits most. */
  stalls: 0.761,
  others: 0.683,
  /** Weight of the first wait for room. */
  once: 0.511,
  /** Room between two waits: in returned buffers, and in the partly full one. */
  room: 2.19,
  part: 0.952,
  /** Buffers that the receiver handles before the awaited one. */
  backlog: 0.549,
  /** Of the time between two waits: the part in which the receiver is busy, and the work done meanwhile. */
  attention: 0.485,
  hidden: 5.19,
  /** Least time of a wait, in units of the latency. */
  least: 0.142,
};

/** The factors. */
export type FitFactors = { readonly [name in keyof typeof FIT]: number };
