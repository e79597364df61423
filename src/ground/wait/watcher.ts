/** What waits say of themselves. */

/** A collective call, encoded (collectives/team/call-words.ts). */
export interface WaitingCall {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  readonly sequence: number;
}

/**
 * What a wait says of itself: for diagnoses, and for the error that ends it. It may also know that the wait is in vain:
 * it is asked before a waiter sleeps or gives up on a departed peer.
 */
export interface Watcher {
  /** The call and its object: `receive of the channel to PE 0`; "" if it is reported in another way, as sessions. */
  readonly call: string;
  /** The PEs that can make the condition true, by rank in the world. @default those that the condition names */
  readonly awaited?: readonly number[] | undefined;
  /** Whether any one of them can; else all are needed. @default false */
  readonly needsOne?: boolean;
  /** When the call began of which this is a wait (by the clock of the wait), ms. @default when the wait began */
  readonly since?: number | undefined;
  /** Whether the call is a collective. @default false */
  readonly isCollective?: boolean;
  /** The group of the wait, for messages: ` in the group of PE 0, 2`; "" for the world. */
  readonly where: string;
  /** @throws when the wait must end */
  verify(): void;
  /** The PEs of the group, by rank in the world: a loss of one ends the wait. @default those of the condition */
  readonly members?: readonly number[];
  /** The call that waits. */
  readonly calling?: WaitingCall | undefined;
  /** The PEs that have not arrived, as a sentence for the message of a TimeoutError; "" if not known. */
  absent(): string;
}

/** Of a wait that knows no more than its call. */
export const watcherOf = (call: string): Watcher => ({ call, where: "", verify() {}, absent: () => "" });
