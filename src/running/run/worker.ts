/** The entry point of a PE's thread: takes its seat, runs programs as they come, and reports how they ended. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Trees } from "../../../trees/model/tree.ts";
import { encodeVerdict } from "../../ground/base/account.ts";
import { cloneRefusal } from "../../ground/base/clone-refusal.ts";
import { loadParts } from "../../ground/base/thread/late.ts";
import { Heap } from "../../ground/memory/heap.ts";
import { provideModules, type WasmModules } from "../../ground/memory/kernels/compile.ts";
import { futex } from "../../ground/wait/futex.ts";
import { TERMINATION_ACCOUNT_BYTES } from "../../ground/wait/layout.ts";
import { membarrier } from "../../ground/wait/membarrier.ts";
import { Termination } from "../../ground/wait/termination.ts";
import { Wakers } from "../../ground/wait/wakers.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { pinThread } from "../../machine/topology/affinity.ts";
import { setCurrent } from "../../pe/current.ts";
import { newPE, type PE } from "../../pe/pe.ts";
import { linksOf, ThreadWorld } from "../../pe/thread-world.ts";
import type { WorldPlan } from "../../plan/document/world-plan.ts";
import type { PETrace } from "../trace/collect.ts";
import { lossOf, reportFailure } from "./failure.ts";
import { enterOutside, leaveOutside } from "./in-main.ts";
import type { Job, WorkerReport } from "./jobs.ts";
import { loadProgram } from "./module.ts";
import { type EarlyOrders, ordersOf } from "./orders.ts";
import { type Output, printAtOnce } from "./stdio/output.ts";
import { readLent } from "./stdio/pe-stdin.ts";

/** The needs of a thread to become a PE: its workerData, or sent to one started before its world was prepared. */
interface Given {
  readonly seat: PEDescriptor;
  readonly trees: Trees;
  readonly model: MachineModel;
  readonly plan: WorldPlan;
  /** The one job of launch(); null in an open world, where jobs come as orders. */
  readonly job: Job | null;
  readonly trace: boolean;
  readonly output: Output;
  /** Where the first PE of a node reads the stdin of the process. */
  readonly stdin: MessagePort | null;
  readonly kernels: WasmModules;
  /** In a bundle's open world: thread-entry.ts has waited for the first order. */
  readonly early?: EarlyOrders;
}

const port = parentPort as MessagePort;

function report(message: WorkerReport): void {
  port.postMessage(message);
}

/** @throws UsageError for a result that cannot be cloned */
function reportResult(value: unknown, made: string): void {
  try {
    report({ kind: "result", value, made });
  } catch (cause) {
    throw cloneRefusal(cause, "main: expected a result", "Return data, without functions.");
  }
}

/** The PE of this thread. */
class PEThread {
  readonly #given: Given;
  readonly #heap: Heap;
  readonly #wakers: Wakers;

  constructor(given: Given) {
    const { seat, output, stdin, kernels } = given;
    this.#given = given;
    printAtOnce(output, seat.rank);
    readLent(stdin, seat.rank, seat.first);
    provideModules(kernels);
    this.#heap = Heap.attach(seat.memory);
    this.#wakers = new Wakers(this.#heap.i32, seat.waitOffset, seat.size);
  }

  /** From its seat to its end, which it reports. */
  async run(): Promise<void> {
    const { seat, trees, model, plan, job, trace } = this.#given;
    const { rank } = seat;
    let tracing: { stop(): PETrace } | null = null;
    // sent before the end of the PE: nothing after that is read
    const reportTrace = () => {
      if (tracing !== null) report({ kind: "trace", trace: tracing.stop() });
    };
    try {
      if (trace) tracing = (await import("../trace/collect.ts")).collect(rank);
      const bound = seat.cpu !== null && pinThread(seat.cpu);
      const post = (value: unknown) => report({ kind: "post", value });
      const place = bound ? seat : { ...seat, cpu: null };
      await loadParts();
      const world = new ThreadWorld(place, trees, model, plan, await linksOf(seat), { post });
      const pe = newPE(world);
      setCurrent(pe);
      if (job === null) {
        await this.#performAll(pe, world);
        await this.#close(world);
        report({ kind: "left" });
      } else {
        const value = await this.#perform(pe, job);
        const made = JSON.stringify(world.callsMade(true));
        await this.#close(world);
        reportTrace();
        reportResult(value, made);
      }
      this.#wakers.depart(rank);
    } catch (error) {
      const termination = new Termination(this.#heap.i32, this.#heap.u8, seat.waitOffset);
      const isSurvived = this.#wakers.losses.areSurvived && !termination.decided;
      reportFailure(termination, this.#wakers, rank, error);
      reportTrace();
      const account = isSurvived ? encodeVerdict(lossOf(rank, error), TERMINATION_ACCOUNT_BYTES) : undefined;
      report({ kind: "failed", account });
      process.exitCode = 1;
      // what waits for orders would keep the thread
      port.unref();
    }
  }

  /** Runs the main of a module. @returns its result */
  async #perform(pe: PE, { module, args }: Job): Promise<unknown> {
    const { rank } = this.#given.seat;
    enterOutside({ rank, module });
    const program = await loadProgram(module);
    leaveOutside();
    const value = await program.main(pe, args);
    enterOutside({ rank, module });
    return value;
  }

  /** Runs the jobs of an open world, until it is to leave. */
  async #performAll(pe: PE, world: ThreadWorld): Promise<void> {
    const { seat, early } = this.#given;
    const orders = ordersOf(port, early);
    if (early === undefined) report({ kind: "result", value: undefined });
    const next = () => world.serveUntil(orders.next());
    for (let order = await next(); order.kind === "run"; order = await next()) {
      const value = await this.#perform(pe, order.job);
      const error = world.leavingError;
      if (error !== null) throw error;
      if (seat.job !== null) {
        await world.untilSent();
        report({ kind: "returned" });
      }
      // a PE that waits for a further call of this one in this run gets an error. Before the report: after it comes the
      // next run
      this.#wakers.departUntilNextRun(seat.rank);
      reportResult(value, JSON.stringify(world.callsMade(false)));
    }
    orders.close();
  }

  /** The end of the PE: what it has sent arrives, and what is left is freed. @throws what it leaves unfinished */
  async #close(world: ThreadWorld): Promise<void> {
    const { seat } = this.#given;
    const { isServing } = world;
    if (isServing) {
      // who waits for a call of it must not wait for what it serves; other nodes are told when they have all that it
      // has sent
      this.#wakers.returned(seat.rank);
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
}

const start = (given: Given): void => void new PEThread(given).run();
if (workerData === null) {
  port.once("message", start);
  // its first waits open these: there is time now
  futex();
  membarrier();
} else start(workerData as Given);
