/** How long a PE spins and yields before it parks: the policy, separate from the waiting itself. */

/** The stages of a wait, in turns of its loop. */
export interface Strategy {
  /** Polls of the condition alone; about 1 ns each. */
  readonly looks: number;
  /** Polls with a pause instruction in between, interruptible; about 2 ns each. */
  readonly spins: number;
  /** Polls with a sched_yield in between, as long as that pays (yielding.ts); about 0.5 us each. */
  readonly yields: number;
  /** Longest sleep between two checks of the termination word, ms. */
  readonly sliceMs: number;
  /** What is different while the code is cold, and for how long, ms from the first wait on. @default nothing */
  readonly cold?: { readonly spins: number; readonly yields: number; readonly ms: number };
}

/**
 * In the first second a waiting PE yields its core much sooner. V8 compiles the hot code of all PEs on threads of its
 * own then; where PEs spin on every core, these get none, and the code stays slow. A first session of 100 000 items
 * takes half the time so (2 PEs on 2 CPUs). A yield that nobody profits from takes 0.5 us.
 */
const COLD = { spins: 50, yields: 2000, ms: 1000 };

/**
 * The same for the turns of conveyors. Between two polls of theirs lies a whole advance, in interpreted code: a PE that
 * polls on gets every function in it compiled, by threads that need the CPU of the PE that it waits for. So it sleeps
 * at once. The first ten sessions of 100 000 items take half the CPU time so, that of the compilers a quarter (2 PEs on
 * 2 CPUs). Replies that are waited for come later so: with a second instead of a quarter of one, index-gather took 33
 * ns for an item instead of 20 in it.
 */
const COLD_TURNS = { spins: 4, yields: 0, ms: 250 };

/**
 * And in a world over nodes, where nobody wakes a PE for a message: it yields for about the length of a sleep first. If
 * it sleeps at once, 5000 sessions of 20 items take 0.6 to 0.8 s there, and 0.2 to 0.35 s so (2 nodes of one PE).
 */
const COLD_TURNS_BETWEEN_NODES = { spins: 4, yields: 200, ms: 250 };

/**
 * That of a PE that drives conveyors.
 * @param sliceMs as the event loop may run other tasks between two turns
 * @param nodes of the world
 */
export const turnsStrategy = (strategy: Strategy, sliceMs: number, nodes: number): Strategy => ({
  ...strategy,
  sliceMs,
  ...(strategy.cold && { cold: nodes > 1 ? COLD_TURNS_BETWEEN_NODES : COLD_TURNS }),
});

/**
 * The strategy where a PE that waits may keep its CPU (seats say so), and where it may not.
 *
 * With a core for each PE, spinning is cheapest, for about the time of two context switches. With more PEs than cores,
 * or other programs on these, the awaited PE may need this very core, so the waiting PE yields it after a single look:
 * a barrier of 4 PEs that share 2 CPUs takes 5.3 us then, 7.6 after four looks, 12 after 40 (medians of three turns;
 * bound to one CPU each 5.4, 5.3, 7.5).
 */
export function chooseStrategy(spins: boolean): Strategy {
  return spins
    ? { looks: 1000, spins: 20_000, yields: 20, sliceMs: 100, cold: COLD }
    : { looks: 1, spins: 0, yields: 200, sliceMs: 100 };
}
