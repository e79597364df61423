/** The entry point of a thread that measures between nodes: pins itself, joins MPI, then performs tasks. */
import { parentPort, workerData } from "node:worker_threads";
import { Mpi } from "../../src/machine/mpi/mpi.ts";
import { pinThread } from "../../src/machine/topology/affinity.ts";
import { timeCollectives } from "./collectives.ts";
import { PING_SLOTS, ping, pong } from "./latency.ts";
import { PendingMessages } from "./pending-messages.ts";
import { sink, sinkSlots } from "./sink.ts";
import { NOTHING, type Outcome } from "./slices.ts";
import { source } from "./source.ts";
import type { ThreadTask } from "./tasks.ts";

/** The arguments of such a thread. */
export interface InternodeSeat {
  /** The CPU to pin it to; null: none. */
  readonly cpu: number | null;
  /** See {@link PendingMessages}. */
  readonly oversubscribed: boolean;
}

const { cpu, oversubscribed } = workerData as InternodeSeat;
if (cpu !== null) pinThread(cpu);
const mpi = Mpi.join();
const line = (size: number) => new PendingMessages(mpi, size, oversubscribed);

function run(task: ThreadTask): Outcome {
  switch (task.kind) {
    case "ping":
      return ping(line(PING_SLOTS), task);
    case "pong":
      return pong(line(PING_SLOTS), task);
    case "source":
      return source(line(task.ahead + 1), task);
    case "sink":
      return sink(line(sinkSlots(task)), task);
    case "collectives":
      return { ...NOTHING, collectives: timeCollectives(mpi, oversubscribed) };
  }
}

parentPort?.on("message", (task: ThreadTask) => parentPort?.postMessage(run(task)));
parentPort?.postMessage("ready");
