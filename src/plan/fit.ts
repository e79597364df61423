/**
 * The factors of the model (predict.ts), fitted to the simulator: over cases of `tundish bench plan`, so that what the model
 * takes for the best is the best, and its times are near.
 */
export const FIT = {
  /** Messages that give a buffer back, for each buffer. */
  tells: 0.94,
  /** Turns for each buffer. */
  turns: 2.2,
  /** Weight of the smaller of work and network: the larger hides the rest. */
  overlap: 0.19,
  /** Weight of the PE that has most to do with messages, against the mean. */
  worst: 0.78,
  /** Latencies at the end of a hop. */
  ends: 1.1,

  /** Simple conveyors: votes at the end, and of each round before. */
  last: 2.1,
  rounds: 1.3,
  /** How much longer their work takes, as all wait for the slowest in each round. */
  even: 1.2,

  /** Weight of the waits for room; of those of other hops than the one that waits most. */
  stalls: 0.51,
  others: 0.91,
  /** Waits when there is no room for the first time. */
  once: 1.3,
  /** Room between two waits: in buffers that have come back, and in the one that is partly full. */
  room: 2.1,
  part: 1.2,
  /** Buffers that the receiver takes before the one that is waited for. */
  backlog: 0.81,
  /** Of the time between two waits: what the receiver is busy with, and what is done meanwhile. */
  attention: 0.6,
  hidden: 2.8,
  /** The least that a wait takes, in times to the receiver. */
  least: 0.21,
};
