/** What a conveyor counts. Source: convey_statistic of bale, S1 to S3. */

/** Counts of one PE. */
export interface ConveyorCounts {
  /** Sessions begun. */
  readonly begins: number;
  /** Items that push has taken. */
  readonly pushes: number;
  /** Items that pull has given, those included that were given again after an unpull. */
  readonly pulls: number;
  /** Items that unpull has put back. */
  readonly unpulls: number;
  /** Calls of advance, but for those that were refused or came when all was over. */
  readonly advances: number;
  /** Buffers sent by this PE over all hops. */
  readonly buffers: number;
  /** Bytes sent in them, tags included, after compression. */
  readonly bytes: number;
  /** Bytes that compression has saved. */
  readonly saved: number;
  /** Votes of all PEs that this one took part in: begin, reset, and what the engine takes. */
  readonly votes: number;
}

/** Of the session (the last one, when dormant), and of all up to now. */
export interface ConveyorStats extends ConveyorCounts {
  /** Of all sessions, this one included. */
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

/** Adds up. Field by field, as every session does it: a loop over their names takes longer than a vote. */
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
