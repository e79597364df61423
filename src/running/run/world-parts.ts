/** What loops that begin outside the PEs need of an open world (running/loops). */

/** Of one world. */
export interface WorldParts {
  /** PEs of this node. */
  readonly pes: number;
  isClosed(): boolean;
  /** Has the PEs look at what they wait for. */
  wake(): void;
  /** Over nodes: ends the world, as this node cannot do its part of what the others do. */
  fail(error: unknown): void;
  /** Called before a run is begun, and before the world ends. @returns what that, and a run over nodes, waits for */
  beforeNext: () => Promise<unknown> | undefined;
}

/** By world. */
export const worldParts: WeakMap<object, WorldParts> = new WeakMap();
