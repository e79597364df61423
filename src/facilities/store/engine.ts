/** The engine of a store's calls: a replica in this PE (replica-engine.ts), or in another (client-engine.ts). */
import type { Pending } from "../agree/waits.ts";
import type { KeyChange } from "./command.ts";
import type { StoreValue } from "./value.ts";

export interface StoreEngine {
  /** The copy of this PE; null for a client. */
  readonly values: ReadonlyMap<string, StoreValue> | null;
  /** @param isLatest through the order, or from the replica's copy */
  read(key: string, isLatest: boolean): Pending<StoreValue | undefined>;
  write(change: KeyChange): Pending<boolean>;
  /** Done when the replica's copy has all that was answered anywhere before the call. */
  sync(): Pending<void>;
  /** Receives, answers, sends; never waits. @returns whether something happened */
  advance(): boolean;
  /** ms until {@link advance} has something to do even if no message comes. */
  readonly idleFor: number;
  /** Replicas that others may wait for, by rank, as far as this PE knows. */
  readonly silent: readonly number[];
  /** Replicas whose answers this PE's calls need now, by rank; none if that is not known. */
  readonly awaited: readonly number[];
  /** Others that have not made their last call. */
  readonly present: readonly number[];
  /** Tells the others that this PE makes no more calls. */
  leave(): void;
  /** Whether nobody needs this PE any more: all others have left, and what was sent to them is on its way. */
  readonly isOver: boolean;
  close(): void;
}
