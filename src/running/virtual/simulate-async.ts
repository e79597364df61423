/** simulateAsync(): runs programs for real PEs on virtual ones. */

import { differenceSeen } from "../../collectives/team/calls-seen.ts";
import { MismatchError, UsageError } from "../../ground/base/errors.ts";
import type { NeedsArgs } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { differenceIn, type FirstDifference } from "../../pe/calls-compared.ts";
import { newPE } from "../../pe/pe.ts";
import { findSpmd, type Main, type Spmd } from "../../pe/spmd.ts";
import { AwaitingProgram, closed } from "../simulate/awaiting.ts";
import { VirtualMachine } from "../simulate/machine.ts";
import { type SimulationOptions, settle } from "../simulate/options.ts";
import { resultOf, type SimulationResult } from "../simulate/simulate.ts";
import { actingOn, withVirtualPEs } from "./current.ts";
import { VirtualOwnWorld } from "./own-world.ts";
import { VirtualWorld } from "./world.ts";

/**
 * Runs a program for real PEs on virtual PEs in virtual time, in one thread: an async function, or what `spmd` has made
 * of it. Where it waits it awaits the Async forms of calls. The same seed gives the same run.
 *
 *     const { time } = await simulateAsync({ pes: 64 }, async (pe) => pe.allreduceAsync(pe.rank, "sum"));
 *
 * Virtual time stands still while a PE awaits something else, such as a file.
 * @throws UsageError for invalid options, and for a generator, which `simulate` runs; the error that ended the virtual
 * world: RankLostError if a PE throws or crashes, TimeoutError, MismatchError (also for calls that do not match when
 * all have returned), and errors of conveyors
 */
export async function simulateAsync<Result, Args>(
  options: SimulationOptions<Args> & NeedsArgs<Args>,
  program: Spmd<Args, Result> | Main<Args, Result>,
): Promise<SimulationResult<Awaited<Result>>> {
  const settings = settle(options);
  const main = mainOf(program);
  const machine = new VirtualMachine(settings);
  const world = new VirtualWorld(machine, options.machine);
  const made = new Map<number, string>();
  await withVirtualPEs(() =>
    machine.runAsync((pe) => {
      const own = new VirtualOwnWorld(world, pe);
      const seen = newPE(own);
      const started = async () => {
        const result = await main(seen, settings.args);
        made.set(pe.rank, JSON.stringify(own.callsMade));
        await own.closeOwn();
        return result;
      };
      return new AwaitingProgram(pe.rank, started, (run) => actingOn(seen, run));
    }),
  );
  const difference = machine.lost.size === 0 ? differenceOf(world, made) : null;
  // no PE is in a session, as the run would have thrown
  machine.memory.leave();
  machine.close(closed("simulateAsync"));
  if (difference !== null) throw new MismatchError(difference);
  return resultOf(machine, world.conveyors);
}

/** As {@link differenceIn}. */
function differenceOf(world: VirtualWorld, made: ReadonlyMap<number, string>): string | null {
  const { heap, machine } = world;
  // over nodes each one has a call log of its own
  const first: FirstDifference = ([, where, , offset, here], last) =>
    machine.settings.nodes === 1 ? differenceSeen(heap, offset, here, last, where) : undefined;
  return differenceIn(made, first);
}

const GENERATORS: readonly unknown[] = [function* () {}.constructor, async function* () {}.constructor];

function mainOf(program: unknown): Main {
  const main = typeof program === "function" ? program : findSpmd({ default: program })?.main;
  const isGenerator = GENERATORS.includes(main?.constructor);
  if (main !== undefined && !isGenerator) return main as Main;
  throw new UsageError(
    "simulateAsync: expected an async function (async (pe) => { … }), or what spmd() made of it, got " +
      (isGenerator ? "a generator function. Run it with: simulate(options, program)" : shortText(program)),
  );
}
