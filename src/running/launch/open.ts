/** open(): a world whose PEs stay between runs. */
import type { OpenWorld } from "../run/open-world.ts";
import type { OpenOptions } from "../run/options.ts";
import { startingAhead } from "./starting.ts";

/**
 * Opens a world: starts its PEs, which wait for runs until it is closed. A run costs two messages to each PE then, and
 * what the PEs have loaded, made and optimised stays. For one run use {@link launch}.
 *
 * ```ts
 * await using world = await open({ pes: 8 });
 * const first = await world.run(new URL("./k.js", import.meta.url), { args: { k: 3 } });
 * const second = await world.run(new URL("./k.js", import.meta.url), { args: { k: 4 } });
 * ```
 *
 * PEs that wait for a run sleep, and do not keep the process alive. Under mpirun every process opens the world, and
 * makes the same runs and loops.
 * @throws UsageError for bad options, and in a worker under mpirun; ModelError for a bad machine model; TimeoutError,
 * AbortedError by `timeout` and `signal`, which limit the opening; RankLostError for a thread that does not start
 */
export async function open(options: OpenOptions = {}): Promise<OpenWorld> {
  return startingAhead("open()", options, ({ startOpen }, ahead) => startOpen(options, ahead));
}
