/** Types of launch(), simulate() and simulateAsync(). */
import { expectTypeOf } from "expect-type";
import { type ArgsOf, launch, type PE, type RankLostError, type ResultOf, type Run, spmd } from "tundish";
import { type SimulatedPE, simulate, simulateAsync } from "tundish/simulate";
import type { Job } from "./program.js";

type Program = typeof import("./program.js");
type Plain = typeof import("./plain-program.js");
const url = new URL("file:///program.js");
const args: Job = { steps: 3 };

expectTypeOf<ArgsOf<Program>>().toEqualTypeOf<Job>();
expectTypeOf<ResultOf<Program>>().toEqualTypeOf<string>();
expectTypeOf<ArgsOf<Plain>>().toBeUnknown();
expectTypeOf<ResultOf<Plain>>().toEqualTypeOf<bigint>();
expectTypeOf<ArgsOf<{ default: Program }>>().toEqualTypeOf<Job>();

/** Compiled only. */
export async function launching(pes: number): Promise<void> {
  expectTypeOf(launch<Program>(url, { args, pes })).toEqualTypeOf<Run<string>>();
  expectTypeOf(await launch<Program>(url, { args: { steps: 1, name: "a" } })).toEqualTypeOf<string[]>();
  expectTypeOf(await launch<Plain>(url)).toEqualTypeOf<bigint[]>();
  expectTypeOf(await launch<Plain>(url, { args: "of no use" })).toEqualTypeOf<bigint[]>();
  expectTypeOf(await launch<Program>(url, { args, onLoss: "continue" })).toEqualTypeOf<(string | RankLostError)[]>();
  // without the type of the module, as of one that is not known
  expectTypeOf(await launch(url)).toEqualTypeOf<unknown[]>();
  expectTypeOf(await launch(url, { args: 5, pes: 2 })).toEqualTypeOf<unknown[]>();
  expectTypeOf(await launch<number>("./a.js", { args })).toEqualTypeOf<number[]>();
  expectTypeOf(await launch<number | undefined>("./a.js")).toEqualTypeOf<(number | undefined)[]>();
  expectTypeOf(await launch<boolean>(url, { onLoss: "continue" })).toEqualTypeOf<(boolean | RankLostError)[]>();

  // @ts-expect-error args are missing
  launch<Program>(url);
  // @ts-expect-error args are missing in the options
  launch<Program>(url, { pes: 2 });
  // @ts-expect-error args lack steps
  launch<Program>(url, { args: {} });
  // @ts-expect-error steps is no number
  launch<Program>(url, { args: { steps: "3" } });
  // @ts-expect-error args are missing, where PEs may be lost, too
  launch<Program>(url, { onLoss: "continue" });
  // @ts-expect-error no such option
  launch<Program>(url, { args, pe: 2 });
}

// the program itself
expectTypeOf(spmd((pe) => pe.rank).main).returns.toEqualTypeOf<number>();
expectTypeOf(spmd((_, x: string) => x).main).parameters.toEqualTypeOf<[PE, string]>();

/** Compiled only. */
export async function simulating(): Promise<void> {
  const generator = function* (pe: SimulatedPE, { steps }: Job) {
    yield* pe.turn();
    return steps;
  };
  expectTypeOf(simulate({ pes: 2, args }, generator).results).toEqualTypeOf<readonly number[]>();
  // @ts-expect-error args are missing
  simulate({ pes: 2 }, generator);
  const told = async (pe: PE, { steps }: Job) => pe.rank * steps;
  expectTypeOf((await simulateAsync({ pes: 2, args }, told)).results).toEqualTypeOf<readonly number[]>();
  expectTypeOf((await simulateAsync({ pes: 2, args }, spmd(told))).results).toEqualTypeOf<readonly number[]>();
  expectTypeOf((await simulateAsync({ pes: 2 }, async (pe) => pe.rank)).results).toEqualTypeOf<readonly number[]>();
  // @ts-expect-error args are missing
  simulateAsync({ pes: 2 }, told);
  // @ts-expect-error args of another type
  simulateAsync({ pes: 2, args: 3 }, spmd(told));
}
