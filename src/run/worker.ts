/** The entry point of a PE's thread: takes its seat, runs the user's program, reports how it ended. */

import { parentPort, workerData } from "node:worker_threads";
import type { Trees } from "../../trees/model/types.ts";
import { encodeVerdict } from "../base/account.ts";
import { pinThread } from "../machine/affinity.ts";
import type { MachineModel } from "../machine/types.ts";
import { Heap } from "../memory/heap.ts";
import { provideModules, type WasmModules } from "../memory/kernels/compile.ts";
import type { WasmMemory } from "../memory/kernels/webassembly.ts";
import { setCurrent } from "../pe/current.ts";
import { PE } from "../pe/pe.ts";
import type { WorldPlan } from "../plan/document/world-plan.ts";
import { collect } from "../trace/collect.ts";
import { TERMINATION_ACCOUNT_BYTES } from "../wait/layout.ts";
import { Termination } from "../wait/termination.ts";
import { Wakers } from "../wait/wakers.ts";
import type { Seat } from "../world/layout.ts";
import { lossOf, reportFailure } from "./failure.ts";
import { enterOutside, leaveOutside } from "./in-main.ts";
import { loadProgram } from "./module.ts";
import { type Output, printAtOnce } from "./output.ts";
import type { WorkerReport } from "./running-world.ts";

const { seat, trees, model, plan, module, args, trace, output, kernels } = workerData as {
  seat: Seat;
  trees: Trees;
  model: MachineModel;
  plan: WorldPlan;
  module: string;
  args: unknown;
  trace: boolean;
  output: Output;
  kernels: WasmModules;
};
printAtOnce(output);
provideModules(kernels);
const heap = Heap.attach(seat.memory as WasmMemory);
const wakers = new Wakers(heap.i32, seat.waitOffset, seat.size);

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

async function run(): Promise<void> {
  const tracing = trace ? collect(seat.rank) : null;
  // sent before the end of the PE: nothing after that is read
  const reportTrace = () => {
    if (tracing !== null) report({ kind: "trace", trace: tracing.stop() });
  };
  try {
    const bound = seat.cpu !== null && pinThread(seat.cpu);
    const pe = new PE(bound ? seat : { ...seat, cpu: null }, trees, model, plan);
    setCurrent(pe);
    enterOutside({ rank: seat.rank, module });
    const program = await loadProgram(module);
    leaveOutside();
    const value = await program.main(pe, args);
    enterOutside({ rank: seat.rank, module });
    const { isServing } = pe;
    if (isServing) {
      // who waits for a call of it must not wait for what it serves; other nodes are told when they have all that it has sent
      wakers.returned(seat.rank);
      void pe.untilSent().then((isSent) => {
        if (isSent) report({ kind: "returned" });
      });
    }
    await pe.closeOwn();
    const error = pe.leavingError;
    if (error !== null) throw error;
    await pe.closeLinks();
    if (seat.job !== null && !isServing) report({ kind: "returned" });
    reportTrace();
    report({ kind: "result", value });
    wakers.depart(seat.rank);
  } catch (error) {
    const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);
    const isSurvived = wakers.losses.areSurvived && !termination.decided;
    reportFailure(termination, wakers, seat.rank, error);
    reportTrace();
    const account = isSurvived
      ? encodeVerdict(lossOf(seat.rank, error), TERMINATION_ACCOUNT_BYTES)
      : undefined;
    report({ kind: "failed", account });
    process.exitCode = 1;
  }
}

void run();
