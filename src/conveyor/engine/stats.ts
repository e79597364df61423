/** The counts of a conveyor. Source: convey_statistic of bale, S1 to S3. */

/** Counts at one PE. */
export interface ConveyorCounts {
  /** Sessions begun. */
  readonly begins: number;
  /** Items accepted by push. */
  readonly pushes: number;
  /** Items returned by pull, including those returned again after an unpull. */
  readonly pulls: number;
  /** Items put back by unpull. */
  readonly unpulls: number;
  /** Calls of advance, without those that threw or were made after the session was complete. */
  readonly advances: number;
  /** Buffers sent by this PE over all hops. */
  readonly buffers: number;
  /** Bytes sent in them, including tags, after compression. */
  readonly bytes: number;
  /** Bytes saved by compression. */
  readonly saved: number;
  /** Votes of all PEs that this PE took part in: those of begin and of the engine. */
  readonly votes: number;
}

/** The counts of the session (the last one, when dormant), and of all sessions. */
export interface ConveyorStats extends ConveyorCounts {
  /** Of all sessions, including this one. */
  readonly cumulative: ConveyorCounts;
}

export const NO_COUNTS: ConveyorCounts = {
  begins: 0,
  pushes: 0,
  pulls: 0,
  unpulls: 0,
  advances: 0,
  buffers: 0,
  bytes: 0,
  saved: 0,
  votes: 0,
};

/**
 * Adds counts. Each field is written out: every session calls this, and a loop over the names takes longer than a vote.
 */
export const addCounts = (a: ConveyorCounts, b: ConveyorCounts): ConveyorCounts => ({
  begins: a.begins + b.begins,
  pushes: a.pushes + b.pushes,
  pulls: a.pulls + b.pulls,
  unpulls: a.unpulls + b.unpulls,
  advances: a.advances + b.advances,
  buffers: a.buffers + b.buffers,
  bytes: a.bytes + b.bytes,
  saved: a.saved + b.saved,
  votes: a.votes + b.votes,
});
