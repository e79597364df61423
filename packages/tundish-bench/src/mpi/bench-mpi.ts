/**
 * Compares worlds over two nodes with plain MPI in C: collectives with those of MPI, conveyors and exchanges with
 * MPI_Alltoallv. In turns, in one run, on the same machine (see turns.ts); the nodes are processes of it.
 *
 * Limits: processes of one machine communicate through shared memory, or TCP on its loopback. The costs of a network
 * are not measured.
 */

import type { Size } from "../../../../microbench/conveyors/payloads.ts";
import type { Measured, Missing } from "../../../../microbench/pairs/profiled.ts";
import { chooseCpus } from "../../../../microbench/profile.ts";
import { inFirstMode } from "../../../../microbench/turns/figures.ts";
import { type BenchOptions, cpusOf, turnsOf } from "../../../../microbench/turns/options.ts";
import { type Contender, type TurnsMade, takeTurns } from "../../../../microbench/turns/turns.ts";
import { NativeError, UsageError } from "../../../../src/ground/base/errors.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import {
  exchangeText,
  FULL,
  LAYOUTS,
  type Layout,
  layoutText,
  loadsOf,
  loopText,
  type MpiJob,
  type MpiPart,
  partsText,
  QUICK,
  SCHEDULES,
} from "./jobs.ts";
import { rivals } from "./rivals.ts";
import { type MpiName, Starter } from "./starter.ts";

/** Options of {@link benchMpi}. */
export interface MpiBenchOptions extends Omit<BenchOptions, "cpus" | "machine"> {
  /** @default Open MPI */
  readonly mpi?: MpiName;
  /** Sends messages by TCP instead of shared memory; Open MPI only. @default false */
  readonly tcp?: boolean;
  /** Measures one part only. @default all */
  readonly only?: MpiPart;
  /** Sizes of items, bytes. @default 8, 16, 32, 128 */
  readonly sizes?: readonly Size[];
}

/** One measurement; ns are per call, or per exchange of all items. */
export interface MpiMeasured extends Measured {
  readonly part: MpiPart;
  readonly layout: Layout;
  /** Bytes of an item, or of a part; null for collectives and loops. */
  readonly bytes: number | null;
  /** Items per pair of PEs, in an exchange. */
  readonly load: number | null;
}

/** The result of {@link benchMpi}. */
export interface MpiBench extends Omit<TurnsMade, "complete"> {
  readonly mpi: { readonly name: MpiName; readonly version: string; readonly tcp: boolean };
  /** CPUs of the C programs; our worlds use the same if the machine has no others. */
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to CPUs. */
  readonly pinned: boolean;
  /** Whether the machine was in one mode for a turn of every program. */
  readonly stable: boolean;
  /** All measurements; the names of our worlds begin with `tundish`. */
  readonly measured: readonly MpiMeasured[];
  /** Programs that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/**
 * Measures our worlds and MPI's programs. Programs that fail are listed in `missing`.
 * @throws EnvironmentError without that MPI, a compiler for it, or a second CPU; UsageError for TCP with an MPI other
 *   than Open MPI; NativeError if all programs fail
 */
export async function benchMpi(options: MpiBenchOptions = {}): Promise<MpiBench> {
  const { mpi: name = "Open MPI", tcp = false, quick = false, only, signal } = options;
  if (tcp && name !== "Open MPI") throw new UsageError(`tcp: expected Open MPI, got ${name}; leave one of them out`);
  const topology = await readTopology();
  const pair = cpusOf(topology, undefined);
  const most = Math.max(...LAYOUTS.map(({ nodes, pes }) => nodes * pes));
  const cpus = chooseCpus(topology, undefined)
    .slice(0, most)
    .map(({ cpu }) => cpu);
  const volume = quick ? QUICK : FULL;
  const sizes = options.sizes ?? volume.sizes;
  await using starter = await Starter.make({ name, tcp, cpus, signal });
  let pinned = true;
  const isMeant = (part: MpiPart) => only === undefined || only === part;
  const places = new Map<string, Pick<MpiMeasured, "part" | "layout" | "bytes" | "load">>();
  const onUnbound = () => {
    pinned = false;
  };
  const against = (layout: Layout, title: string, job: MpiJob): Contender[] =>
    rivals(starter, { layout, title, job, onUnbound });
  const exchangesOf = (layout: Layout, size: Size): Contender[] => {
    const loads = loadsOf(layout, size, volume);
    for (const load of loads) {
      const what = `${layoutText(layout)}: ${exchangeText(size, load)}`;
      places.set(what, { part: "exchange", layout, bytes: size, load });
    }
    const job: MpiJob = { kind: "exchange", size, loads, volume: volume.exchange };
    return against(layout, `items of ${size} B`, job);
  };
  const partsOf = (layout: Layout): Contender[] => {
    const parts = volume.partBytes;
    for (const bytes of parts) {
      places.set(`${layoutText(layout)}: ${partsText(bytes)}`, { part: "parts", layout, bytes, load: null });
    }
    return against(layout, "parts", { kind: "parts", parts, volume: volume.parts });
  };
  const loopsOf = (layout: Layout): Contender[] => {
    for (const schedule of SCHEDULES) {
      const what = `${layoutText(layout)}: ${loopText(schedule)}`;
      places.set(what, { part: "loops", layout, bytes: null, load: null });
    }
    return against(layout, "loops", { kind: "loops", quick, volume: volume.loops });
  };
  const contenders = LAYOUTS.flatMap((layout) => [
    ...(isMeant("collectives")
      ? against(layout, "collectives", { kind: "collectives", volume: volume.collectives })
      : []),
    ...(isMeant("exchange") ? sizes : []).flatMap((size) => exchangesOf(layout, size)),
    ...(isMeant("parts") ? partsOf(layout) : []),
    ...(isMeant("loops") ? loopsOf(layout) : []),
  ]);
  const taken = await takeTurns(contenders, { ...turnsOf(options), cpus: pair });
  const { complete, measured: _, ...rest } = taken;
  const measured = inFirstMode(taken);
  if (measured.length === 0) throw new NativeError(`bench mpi: nothing could be measured: ${rest.missing[0]?.reason}`);
  const layoutOf = (what: string) => LAYOUTS.find((one) => what.startsWith(`${layoutText(one)}: `)) as Layout;
  return {
    mpi: { name, version: starter.version, tcp },
    cpus,
    pinned,
    stable: complete,
    ...rest,
    measured: measured.map((one) => ({
      ...one,
      ...(places.get(one.what) ?? {
        part: "collectives",
        layout: layoutOf(one.what),
        bytes: null,
        load: null,
      }),
      what: one.what.slice(one.what.indexOf(": ") + 2),
    })),
  };
}
