/**
 * How long a PE spins, yields and only then parks: the decision, apart from the waiting itself.
 */

/** The stages of a wait, in turns of its loop. */
export interface Strategy {
  /** Bare looks at the condition before anything else; about 1 ns each. */
  readonly looks: number;
  /** Looks without giving anything away, ready to be interrupted; about 2 ns each. */
  readonly spins: number;
  /** Looks with a sched_yield in between; about 0.5 us each. */
  readonly yields: number;
  /** Longest sleep before the termination of the world is looked at again, ms. */
  readonly sliceMs: number;
}

/**
 * The strategy for `pes` PEs on `cores` cores.
 *
 * With a core for each PE, spinning is cheapest for everybody, for about the time that two context
 * switches would take. With more PEs than cores the one that is waited for may be waiting for this
 * very core, so it is handed over at once.
 */
export function chooseStrategy(pes: number, cores: number): Strategy {
  return pes <= cores
    ? { looks: 1000, spins: 20_000, yields: 20, sliceMs: 100 }
    : { looks: 4, spins: 0, yields: 200, sliceMs: 100 };
}
