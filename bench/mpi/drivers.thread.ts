/** The entry point of a PE, or of the driving thread, of the measurement of drivers: pins itself, joins MPI, does what it is told. */
import { parentPort, workerData } from "node:worker_threads";
import { Line } from "../../microbench/internode/line.ts";
import { pinThread } from "../../src/machine/affinity.ts";
import { Mpi } from "../../src/mpi/mpi.ts";
import { Driven, drive } from "./drivers-driving.ts";
import { exchange } from "./drivers-exchange.ts";
import type { DriversFound, DriversSeat, DriversTask } from "./drivers-job.ts";
import { HandedLink, LINK_SLOTS, OwnLink } from "./drivers-link.ts";
import { LinkMemory } from "./drivers-memory.ts";

/** Tags of the PEs, and of the driving thread for them. */
const OWN = 2000;
const DRIVEN = 3000;

const { memory, index, pes, cpu } = workerData as DriversSeat;
const bound = cpu === null || pinThread(cpu);
const mpi = Mpi.join();
const peer = mpi.rank ^ 1;
const names = { mine: mpi.rank * pes + index, theirs: peer * pes + index };

function run(task: DriversTask): DriversFound {
  const { role, bytes, count, crowded } = task;
  if (role === "driving") {
    const line = new Line(mpi, pes * LINK_SLOTS, crowded);
    const links = Array.from({ length: pes }, (_, pe) => {
      const ends = { peer, tag: DRIVEN + pe, count };
      return new Driven(line, new LinkMemory(memory, pe, pes, bytes), ends, pe * LINK_SLOTS);
    });
    drive(line, links, count);
    return { begun: 0, ended: 0, bound };
  }
  const own = new LinkMemory(memory, index, pes, bytes);
  const link =
    role === "own"
      ? new OwnLink(new Line(mpi, LINK_SLOTS, crowded), own, { peer, tag: OWN + index, count })
      : new HandedLink(own, crowded);
  return { ...exchange(link, own, task, names), bound };
}

parentPort?.on("message", (task: DriversTask) => parentPort?.postMessage(run(task)));
parentPort?.postMessage("ready");
