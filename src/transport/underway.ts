/**
 * Sessions under way at a PE. One that leaves in the middle of a session takes along what it has not sent, handed on or
 * pulled; when all do so, nobody is left who could notice. So it is noticed at the PE that leaves.
 */
import { RankLostError } from "../base/errors.ts";

/** A session from its begin until it is complete. */
export interface UnderWay {
  /** Of what, in words: "conveyor of u32". */
  readonly title: string;
  readonly state: string;
}

/** The sessions under way at one PE, in the order in which they began. */
export type Sessions = Set<UnderWay>;

/** The error of a PE that leaves now; null when it may. @param pe as the world numbers it */
export function leavingError(pe: number, sessions: Sessions): RankLostError | null {
  const [first] = sessions;
  if (first === undefined) return null;
  return new RankLostError(
    pe,
    `PE ${pe} has returned from its main, or left, in the middle of a conveyor's session: the ${first.title} is in state ` +
      `${first.state} there, and items may not have arrived. Every PE pulls, and calls advance(true), until advance ` +
      "returns DONE, or awaits the end of batches or runAsync.",
  );
}
