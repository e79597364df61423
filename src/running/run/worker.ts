/**
 * The entry point of a PE's thread: takes its seat, runs the user's program, reports how it ended. In an open world it then waits
 * for the next one.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Trees } from "../../../trees/model/tree.ts";
import { encodeVerdict } from "../../ground/base/account.ts";
import { cloneRefusal } from "../../ground/base/clone-refusal.ts";
import { Heap } from "../../ground/memory/heap.ts";
import { provideModules, type WasmModules } from "../../ground/memory/kernels/compile.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { TERMINATION_ACCOUNT_BYTES } from "../../ground/wait/layout.ts";
import { Termination } from "../../ground/wait/termination.ts";
import { Wakers } from "../../ground/wait/wakers.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { pinThread } from "../../machine/topology/affinity.ts";
import { setCurrent } from "../../pe/current.ts";
import { newPE, type PE } from "../../pe/pe.ts";
import { linksOf, ThreadWorld } from "../../pe/thread-world.ts";
import type { WorldPlan } from "../../plan/document/world-plan.ts";
import { collect } from "../trace/collect.ts";
import { lossOf, reportFailure } from "./failure.ts";
import { enterOutside, leaveOutside } from "./in-main.ts";
import type { Job, WorkerReport } from "./jobs.ts";
import { readLent } from "./lent-stdin.ts";
import { loadProgram } from "./module.ts";
import { type EarlyOrders, ordersOf } from "./orders.ts";
import { type Output, printAtOnce } from "./output.ts";

const {
  seat,
  trees,
  model,
  plan,
  job: only,
  trace,
  output,
  stdin,
  kernels,
  early,
} = workerData as {
  seat: PEDescriptor;
  trees: Trees;
  model: MachineModel;
  plan: WorldPlan;
  /** The one job of launch(); null in an open world, where jobs come as orders. */
  job: Job | null;
  trace: boolean;
  output: Output;
  /** Where the first PE of a node reads the stdin of the process. */
  stdin: MessagePort | null;
  kernels: WasmModules;
  /** In a bundle's open world: thread-entry.ts has waited for the first order. */
  early?: EarlyOrders;
};
const { rank } = seat;
printAtOnce(output, rank);
readLent(stdin, rank, seat.first);
provideModules(kernels);
const heap = Heap.attach(seat.memory as WasmMemory);
const wakers = new Wakers(heap.i32, seat.waitOffset, seat.size);

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

/** @throws UsageError for a result that cannot be cloned */
function reportResult(value: unknown, made: string): void {
  try {
    report({ kind: "result", value, made });
  } catch (cause) {
    throw cloneRefusal(cause, "main: expected a result", "Return data, without functions.");
  }
}

/** Runs the main of a module. @returns its result */
async function perform(pe: PE, { module, args }: Job): Promise<unknown> {
  enterOutside({ rank, module });
  const program = await loadProgram(module);
  leaveOutside();
  const value = await program.main(pe, args);
  enterOutside({ rank, module });
  return value;
}

/** The end of the PE: what it has sent arrives, and what its program has not freed is freed. @throws what it leaves unfinished */
async function close(world: ThreadWorld): Promise<void> {
  const { isServing } = world;
  if (isServing) {
    // who waits for a call of it must not wait for what it serves; other nodes are told when they have all that it has sent
    wakers.returned(rank);
    void world.untilSent().then((isSent) => {
      if (isSent) report({ kind: "returned" });
    });
  }
  await world.closeOwn();
  const error = world.leavingError;
  if (error !== null) throw error;
  await world.closeLinks();
  if (seat.job !== null && !isServing) report({ kind: "returned" });
}

/** Runs the jobs of an open world, until it is to leave. */
async function performAll(pe: PE, world: ThreadWorld): Promise<void> {
  const orders = ordersOf(parentPort as MessagePort, early);
  if (early === undefined) report({ kind: "result", value: undefined });
  const next = () => world.serveUntil(orders.next());
  for (let order = await next(); order.kind === "run"; order = await next()) {
    const value = await perform(pe, order.job);
    const error = world.leavingError;
    if (error !== null) throw error;
    if (seat.job !== null) {
      await world.untilSent();
      report({ kind: "returned" });
    }
    // a PE that waits for a further call of this one in this run gets an error. Before the report: after it comes the next run
    wakers.departUntilNextRun(rank);
    reportResult(value, JSON.stringify(world.callsMade(false)));
  }
  orders.close();
}

async function run(): Promise<void> {
  const tracing = trace ? collect(rank) : null;
  // sent before the end of the PE: nothing after that is read
  const reportTrace = () => {
    if (tracing !== null) report({ kind: "trace", trace: tracing.stop() });
  };
  try {
    const bound = seat.cpu !== null && pinThread(seat.cpu);
    const post = (value: unknown) => report({ kind: "post", value });
    const place = bound ? seat : { ...seat, cpu: null };
    const world = new ThreadWorld(place, trees, model, plan, await linksOf(seat), { post });
    const pe = newPE(world);
    setCurrent(pe);
    if (only === null) {
      await performAll(pe, world);
      await close(world);
      report({ kind: "left" });
    } else {
      const value = await perform(pe, only);
      const made = JSON.stringify(world.callsMade(true));
      await close(world);
      reportTrace();
      reportResult(value, made);
    }
    wakers.depart(rank);
  } catch (error) {
    const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);
    const isSurvived = wakers.losses.areSurvived && !termination.decided;
    reportFailure(termination, wakers, rank, error);
    reportTrace();
    const account = isSurvived ? encodeVerdict(lossOf(rank, error), TERMINATION_ACCOUNT_BYTES) : undefined;
    report({ kind: "failed", account });
    process.exitCode = 1;
    // what waits for orders would keep the thread
    parentPort?.unref();
  }
}

void run();
