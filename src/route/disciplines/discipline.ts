/**
 * The parts of a discipline: the lanes from one PE to the others, and the rule that says over which of them it may send
 * now.
 *
 * A lane carries chunks, in order. A chunk is what a PE may send in one turn; it travels in packets. No call here
 * waits: whoever owns the lanes asks {@link Discipline.next} again and again, sends what it allows, and hands it the
 * control messages that came.
 */
import type { Vote } from "../../links/transport/contract.ts";

/** The lanes of one PE, as a discipline sees them. Lane i leads to the i-th PE of those that send to each other. */
export interface Lanes {
  /** Number of PEs. */
  readonly size: number;
  /** This PE's number among them. Its own lane is always empty. */
  readonly self: number;
  /** Number of chunks that wait to be sent over a lane, the one that is being sent included. */
  waiting(lane: number): number;
  /** The same for all lanes. */
  readonly backlog: number;
  /** The lane of the chunk that has waited for longest; -1 if there is none. */
  readonly oldest: number;
  /** Whether the transport takes a packet over a lane now. */
  hasRoom(lane: number): boolean;
  /** Whether all packets that were sent over a lane have left this PE's node. */
  hasLeft(lane: number): boolean;
  /** Whether all packets of this PE were received and read. */
  readonly isRead: boolean;
  /** Whether this PE schedules nothing more in this phase. */
  readonly isClosed: boolean;
  /** Sends a control message of three numbers of 32 bits. Those of one lane arrive in order. */
  tell(lane: number, kind: number, a?: number, b?: number): void;
  /** Whether all control messages of this PE were received and read. */
  readonly isHeard: boolean;
  readonly vote: Vote;
  /** A random number from 0 to 1, other ones at other PEs. */
  random(): number;
}

/** Counts of disciplines, by a name in words. */
export type DisciplineCounts = Readonly<Record<string, number>>;

/** The rule that says which PE may send to which one now, at one PE. */
export interface Discipline {
  /** Before a phase. */
  begin(): void;
  /** Makes progress. @returns the lane to send one packet over, which has room and a chunk; -1 if there is none now */
  next(): number;
  /** The packet of the last {@link next} was sent. @param isLast whether it is the last one of its chunk */
  sent(isLast: boolean): void;
  /** A control message came. */
  hear(lane: number, kind: number, a: number, b: number): void;
  /** Whether the phase is over: no PE sends anything more, and all packets were read, at all PEs. */
  readonly isOver: boolean;
  /** Whether the last {@link next} has changed anything. */
  readonly moved: boolean;
  readonly counts: DisciplineCounts;
}
