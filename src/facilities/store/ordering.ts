/** A replica, as a store needs it. That of src/facilities/agree fits. */
import { StateError, sentenceOf } from "../../ground/base/errors.ts";

/** Something that was asked of a replica. */
export interface Proposed {
  /** Whether it has a reply or an error. */
  readonly done: boolean;
  readonly reply: Uint8Array | null;
  readonly error: Error | null;
}

/** The agreed order of commands, as one replica sees it. */
export interface Ordering {
  /** The index up to which its state has applied all. */
  readonly applied: number;
  /** Why nothing can be agreed on any more; null if nothing is known to prevent it. */
  readonly blocked: Error | null;
  /** Replicas that were not heard for long, by place. */
  readonly silent: readonly number[];
  /** Replicas that have to answer before this one's proposals are decided, by place. */
  readonly awaited: readonly number[];
  /** ms until {@link advance} has something to do even if no message comes. */
  readonly idleFor: number;
  /** Proposes a command, whose bytes are copied. */
  propose(command: Uint8Array): Proposed;
  /** When it is done, the state includes all that was answered anywhere before the call. */
  sync(): Proposed;
  /** Receives, answers, sends; never waits. @returns whether something happened */
  advance(): boolean;
  close(): void;
}

/** The error of calls when nothing can be agreed on any more. */
export const blockedError = ({ blocked }: Ordering): StateError =>
  new StateError(`store: nothing can be agreed on: ${sentenceOf(blocked as Error)}`, { cause: blocked });
