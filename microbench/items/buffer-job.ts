/** Arguments and results of the PEs that measure buffers (buffers.program.ts): data. */

/** Their task. */
export interface BufferJob {
  /** Items that a PE pushes in a session, to random PEs. */
  readonly items: number;
  /** Time before the first round, ms: V8 compiles. */
  readonly warmMs: number;
  readonly rounds: number;
}

/** The times of sessions in one round, ns. */
export interface BufferSample {
  /** With small buffers, four for each link. */
  readonly small: number;
  /** With small buffers, one for each link. */
  readonly lone: number;
  readonly large: number;
}

/** Bytes of the small buffers. */
export const SMALL_BYTES = 512;
