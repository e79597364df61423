/**
 * Worlds over two nodes beside plain MPI in C: collectives beside the MPI's own, conveyors beside MPI_Alltoallv. In turn, in
 * one run, on the same machine (see turns.ts); the nodes are processes of it.
 *
 * Limits: processes of one machine talk through shared memory, or TCP on its loopback. What a network costs is not in it.
 */
import { NativeError, UsageError } from "../src/errors.ts";
import { readTopology } from "../src/machine/topology.ts";
import { type BenchOptions, cpusOf, turnsOf } from "./bench-options.ts";
import type { Size } from "./conveyors/goods.ts";
import { type MpiName, Starter } from "./mpi/starter.ts";
import {
  exchangeText,
  FULL,
  LAYOUTS,
  type Layout,
  layoutText,
  loadsOf,
  type MpiJob,
  QUICK,
} from "./mpi/works.ts";
import { chooseCpus } from "./profile.ts";
import { type Contender, type Entry, takeTurns } from "./turns.ts";
import type { Measured, Missing } from "./types.ts";

/** Options of {@link benchMpi}. */
export interface MpiBenchOptions extends Omit<BenchOptions, "cpus" | "machine"> {
  /** @default Open MPI */
  readonly mpi?: MpiName;
  /** Messages go through TCP and not through shared memory; Open MPI only. @default false */
  readonly tcp?: boolean;
  /** One part alone. @default both */
  readonly only?: MpiJob["kind"];
  /** Sizes of items, bytes. @default 8, 16, 32, 128 */
  readonly sizes?: readonly Size[];
}

/** One measurement; ns are per call, or per exchange of all items. */
export interface MpiMeasured extends Measured {
  readonly layout: Layout;
  /** Bytes of an item, and items per pair of PEs; null for collectives. */
  readonly bytes: number | null;
  readonly load: number | null;
}

/** What {@link benchMpi} gives. */
export interface MpiBench {
  readonly mpi: { readonly name: MpiName; readonly version: string; readonly tcp: boolean };
  /** Those of the C programs; ours take the same where the machine has no more. */
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to CPUs. */
  readonly pinned: boolean;
  /** Cache-line round trip in ns before and after each turn that counts. */
  readonly probe: readonly number[];
  /** Whether everybody was measured in one mode, so that the figures can be compared. */
  readonly stable: boolean;
  /** Turns that were taken, and how many of them do not count. */
  readonly turns: number;
  readonly left: number;
  /** Everybody at everything; ours under names that begin with `tundish`. */
  readonly measured: readonly MpiMeasured[];
  /** Who could not be measured, and why. */
  readonly missing: readonly Missing[];
}

/**
 * Measures ours and the MPI's. Whoever fails is told in `missing`.
 * @throws EnvironmentError without that MPI, a compiler for it, or a second CPU; UsageError for TCP with another MPI than
 *   Open MPI; NativeError when everybody fails
 */
export async function benchMpi(options: MpiBenchOptions = {}): Promise<MpiBench> {
  const { mpi: name = "Open MPI", tcp = false, quick = false, only, signal } = options;
  if (tcp && name !== "Open MPI")
    throw new UsageError(`tcp: expected Open MPI, got ${name}; leave one of them out`);
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
  const places = new Map<string, Pick<MpiMeasured, "layout" | "bytes" | "load">>();
  const contendersOf = (layout: Layout, title: string, job: MpiJob): Contender[] => {
    const what = `${layoutText(layout)}: `;
    return [
      {
        name: `tundish, ${what}${title}`,
        run: async () => {
          const samples = await starter.ours(layout, job);
          if (samples.some(({ bound }) => !bound)) pinned = false;
          return samples.map((one): Entry => ({ ...one, what: what + one.what }));
        },
      },
      {
        name: `${name}, ${what}${title}`,
        run: async () => {
          const samples = await starter.theirs(layout, job);
          return samples.map((one): Entry => ({ ...one, name, what: what + one.what }));
        },
      },
    ];
  };
  const contenders = LAYOUTS.flatMap((layout) => [
    ...(only === "exchange"
      ? []
      : contendersOf(layout, "collectives", { kind: "collectives", volume: volume.collectives })),
    ...(only === "collectives" ? [] : sizes).flatMap((size) => {
      const loads = loadsOf(layout, size, volume);
      for (const load of loads)
        places.set(`${layoutText(layout)}: ${exchangeText(size, load)}`, { layout, bytes: size, load });
      const job: MpiJob = { kind: "exchange", size, loads, volume: volume.exchange };
      return contendersOf(layout, `items of ${size} B`, job);
    }),
  ]);
  const { complete, measured, ...rest } = await takeTurns(contenders, { ...turnsOf(options), cpus: pair });
  if (measured.length === 0)
    throw new NativeError(`bench mpi: nothing could be measured: ${rest.missing[0]?.reason}`);
  const layoutOf = (what: string) => LAYOUTS.find((one) => what.startsWith(`${layoutText(one)}: `)) as Layout;
  return {
    mpi: { name, version: starter.version, tcp },
    cpus,
    pinned,
    stable: complete,
    ...rest,
    measured: measured.map((one) => ({
      ...one,
      ...(places.get(one.what) ?? { layout: layoutOf(one.what), bytes: null, load: null }),
      what: one.what.slice(one.what.indexOf(": ") + 2),
    })),
  };
}
