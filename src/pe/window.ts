/** Access to the memory of other nodes. */
import type { Window } from "../machine/mpi/window.ts";

/** The window over the heaps of all nodes of the world, until it is made. */
export interface WantedWindow {
  /** Asks for it; it is made once, whoever asks. */
  want(): void;
  /** Whether it is made, or cannot be. */
  readonly isSettled: boolean;
  /** Its handle in this process, once it is settled; null if there is none. */
  readonly handle: number | null;
  /** Why there is none. */
  readonly reason: string;
}

/** It, in which PEs reach memory that they have not mapped. A node's rank in it is its number in the world. */
export interface OpenWindow {
  readonly wanted: WantedWindow;
  /** It, for this PE. @param slots accesses that may be under way at the same time */
  open(handle: number, slots: number): Window;
}
