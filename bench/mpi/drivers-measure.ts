/**
 * Who drives the links better: each PE its own, or one thread per node for all. Two processes of an MPI job, a node each, measure it
 * together, in turn, batch by batch, so that both ways meet the machine in the same state.
 *
 * Limits: the PEs do nothing else, so what a driving thread takes off them is not in the figures but where it makes messages faster;
 * and the thread is one more on a node. MPI admits many threads in both cases, so its locks are in both.
 */

import { Meeting } from "../../microbench/internode/meeting.ts";
import { Team } from "../../microbench/internode/team.ts";
import { EnvironmentError } from "../../src/base/errors.ts";
import { sibling } from "../../src/base/package-file.ts";
import type { Samples } from "../../src/contest/batches.ts";
import type { Mpi } from "../../src/mpi/mpi.ts";
import {
  DRIVER_SIZES,
  DRIVERS,
  type Driver,
  type DriversFound,
  type DriversJob,
  type DriversSeat,
  type DriversTask,
  driversText,
  LEADS,
  placesOf,
  type Traffic,
  WARM,
} from "./drivers-job.ts";
import { driversMemory } from "./drivers-memory.ts";

/** What one way has reached at one thing, and whether the PEs of this process were bound, those that were to be. */
export type DriversSamples = Samples & { readonly name: string; readonly bound: boolean };

/** One batch: its time, ns. */
type Batch = (way: Driver, count: number, whole?: boolean) => Promise<number>;

/** Messages of the first batch, which is short, as each of its words is looked at. */
const FIRST = 32;
const MOST = 1e6;
/** Messages of either way before anything else: V8 compiles meanwhile. */
const WARMING = 5000;
const NODES = 2;

/**
 * Both processes call it; each gets its own figures.
 * @throws EnvironmentError where it cannot be measured; what threads throw. The job is to be aborted then: the other one waits.
 */
export async function measureDrivers(mpi: Mpi, { pes, cpus, volume }: DriversJob): Promise<DriversSamples[]> {
  if (mpi.size !== NODES) throw new EnvironmentError(`Expected ${NODES} processes, got ${mpi.size}.`);
  if (!mpi.isMultiple && pes > 1)
    throw new EnvironmentError(
      "This MPI library admits one thread at a time, so PEs cannot drive their links.",
    );
  const memory = driversMemory(pes, Math.max(...DRIVER_SIZES));
  const places = placesOf({ nodes: NODES, pes }, mpi.rank, cpus);
  const seats = places.cpus.map((cpu, index): DriversSeat => ({ memory, index, pes, cpu }));
  const entry = sibling("./drivers.thread.js", import.meta.url);
  await using team = await Team.start<DriversTask, DriversFound>(entry, seats);
  const meeting = new Meeting(mpi);
  let bound = true;

  const batchOf = (traffic: Traffic, bytes: number): Batch => {
    const lead = LEADS[traffic][mpi.rank];
    return async (way, timed, whole = false) => {
      const count = WARM + timed;
      const task = { bytes, count, lead, whole, crowded: places.crowded[way] };
      const ofPE: DriversTask = { role: way === "own" ? "own" : "handing", ...task };
      const tasks = Array.from({ length: pes }, () => ofPE);
      if (way === "node") tasks.push({ role: "driving", ...task });
      const found = (await team.run(tasks)).slice(0, pes);
      bound &&= found.every((one) => one.bound);
      return traffic === "round trip" ? meanTime(found) : nodeTime(found);
    };
  };
  /** How many take the time of a batch: by the clock of the first node, for both. */
  const countOf = async (batch: Batch, way: Driver): Promise<number> => {
    const wanted = volume.batchMs * 1e6;
    const time = async (count: number, whole?: boolean) =>
      (await meeting.exchange([await batch(way, count, whole)]))[0][0];
    await time(FIRST, true);
    for (let count = FIRST; ; count *= 4) {
      const ns = await time(count);
      if (ns >= wanted / 4 || count >= MOST) return Math.min(MOST, Math.ceil((count * wanted) / ns));
    }
  };

  const samples: DriversSamples[] = [];
  for (const way of Object.keys(DRIVERS) as Driver[])
    await batchOf("stream of 4", DRIVER_SIZES[0])(way, WARMING);
  for (const traffic of Object.keys(LEADS) as Traffic[]) {
    for (const bytes of DRIVER_SIZES) {
      const batch = batchOf(traffic, bytes);
      const messages = traffic === "round trip" ? 1 : pes;
      const ways = [];
      for (const way of Object.keys(DRIVERS) as Driver[])
        ways.push({ way, count: await countOf(batch, way), times: [] as number[] });
      for (let b = 0; b <= volume.batches; b++) {
        for (const { way, count, times } of ways) {
          const ns = await batch(way, count);
          // the first one warms up
          if (b > 0) times.push(ns / count / messages);
        }
      }
      const what = driversText(traffic, bytes);
      for (const { way, count, times } of ways)
        samples.push({ name: DRIVERS[way], what, batch: count, samples: times, bound });
    }
  }
  return samples;
}

/** From the first PE's begin to the last one's end. */
const nodeTime = (found: readonly DriversFound[]): number =>
  Math.max(...found.map(({ ended }) => ended)) - Math.min(...found.map(({ begun }) => begun));

/** As a PE sees it. */
const meanTime = (found: readonly DriversFound[]): number =>
  found.reduce((sum, { begun, ended }) => sum + ended - begun, 0) / found.length;
