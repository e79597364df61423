/** What loops that begin outside the PEs need of an open world (running/loops). */

/** Of one world. */
export interface WorldParts {
  /** PEs of this node. */
  readonly pes: number;
  isClosed(): boolean;
  /** Has the PEs look at what they wait for. */
  wake(): void;
  /** Called before a run is begun, and before the world ends. @returns what the end of the world waits for */
  beforeNext: () => Promise<void> | undefined;
}

/** By world. */
export const worldParts: WeakMap<object, WorldParts> = new WeakMap();
