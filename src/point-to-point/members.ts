/** Members of a group that send each other messages: what protocols among them need of the platform. */

/** A message that has come. */
export interface MemberMessage {
  /** The member that sent it, by rank in the group. */
  readonly from: number;
  /** Its content: valid until the next {@link Members.tryReceive}. */
  readonly bytes: Uint8Array;
}

/** The members of a group, as seen by one of them. Messages between two members arrive in order, and are lost only with one of the two. */
export interface Members {
  /** This member's rank, and the number of members, the lost ones included. */
  readonly rank: number;
  readonly size: number;
  /** Time, ms: of the thread, or virtual. */
  readonly now: number;
  /**
   * Sends a message of any length; its bytes are copied. It never waits and is never refused: what has no room yet is sent by later calls of
   * any method, in order. To a member that is lost: no effect.
   */
  post(to: number, bytes: Uint8Array): void;
  /** The next message, from any member in turn; undefined if none is here. What a member sent before it was lost comes first. */
  tryReceive(): MemberMessage | undefined;
  /**
   * Whether a member is lost for ever: it has thrown, exited or returned, and all that it sent was received. One that has returned from a run
   * of an open world is not, as it may go on in the next run.
   */
  isLost(member: number): boolean;
  /** Bytes that were posted to a member and have no room yet: callers limit what they send by it. */
  backlog(member: number): number;
  /** Blocks the thread until a message may be here, a member was lost, or `ms` have passed. */
  wait(ms: number): void;
  /** As {@link wait}, without blocking. */
  waitAsync(ms: number): Promise<void>;
  /** Gives the members up: what was posted is still sent. */
  free?(): void;
}
