/** The contenders of `bench append` over two nodes of this machine, by each MPI that is there. */
import type { Missing } from "../../../../microbench/pairs/profiled.ts";
import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import type { AppendTransport } from "../../../../src/append.ts";
import { EnvironmentError, UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { type LauncherOptions, type MpiName, Starter, type StarterOptions } from "../mpi/starter.ts";
import type { AppendNodesJob } from "./append-nodes.program.ts";
import { type AppendSamples, FULL, type Load, loadsOf, loadsText, QUICK, SIZES } from "./jobs.ts";
import type { AppendBenchOptions } from "./measured.ts";

/** One PE on each. */
const LAYOUT = { nodes: 2, pes: 1 };

/** A carrier of messages. */
interface Carrier {
  readonly name: MpiName;
  readonly tcp: boolean;
}
/**
 * Of our pushes. The first one stores into heaps that are mapped; where they are not it takes windows, which Open MPI
 * has not by TCP.
 */
const TRANSPORTS: readonly AppendTransport[] = ["sender", "receiver", "conveyor"];
const MESSAGES = TRANSPORTS.slice(1);
const CARRIERS: readonly Carrier[] = [
  { name: "Open MPI", tcp: false },
  { name: "Open MPI", tcp: true },
  { name: "MPICH", tcp: false },
];

/** How the C program's windows communicate, by the end of its names: in shared memory the MPI chooses. */
type Windows = Readonly<Record<string, LauncherOptions>>;
const WINDOWS: Windows = { "": {} };
/** By TCP there are two ways: over the messages of Open MPI, as ours, and by UCX. @param device of UCX */
export const windowsByTcp = (device: string): Windows => ({
  "": { args: ["--mca", "osc", "pt2pt"] },
  ", UCX": {
    args: ["--mca", "osc", "ucx", "-x", "UCX_TLS=tcp,self", "-x", `UCX_NET_DEVICES=${device}`],
  },
});

const whereText = ({ name, tcp }: Carrier): string => (tcp ? `${name}, TCP` : name);

/** Compiled programs of each carrier. */
export class AppendStarters implements AsyncDisposable {
  pinned = true;
  readonly missing: Missing[] = [];
  readonly versions: Record<string, string> = {};
  readonly #options: AppendBenchOptions & Required<Pick<StarterOptions, "cpus" | "env">>;
  readonly #started: Starter[] = [];

  constructor(options: AppendBenchOptions & Required<Pick<StarterOptions, "cpus" | "env">>) {
    this.#options = options;
  }

  /** @throws UsageError for TCP with an MPI other than Open MPI; EnvironmentError without the MPI that was asked for */
  async contenders(): Promise<Contender[]> {
    const { mpi, tcp, sizes = SIZES, quick = false, cpus, env, signal } = this.#options;
    const meant = CARRIERS.filter((one) => (mpi === undefined || one.name === mpi) && (tcp !== true || one.tcp));
    if (meant.length === 0) throw new UsageError(`tcp: expected Open MPI, got ${mpi}; leave one of them out`);
    const volume = (quick ? QUICK : FULL).mpi;
    const loads = loadsOf(sizes, 1, volume);
    const contenders: Contender[] = [];
    for (const carrier of meant) {
      try {
        const starter = await startAppend({ ...carrier, cpus, env, signal });
        this.#started.push(starter);
        this.versions[carrier.name] = starter.version;
        const onUnbound = () => {
          this.pinned = false;
        };
        const windows = carrier.tcp ? windowsByTcp("lo") : WINDOWS;
        const transports = carrier.tcp ? MESSAGES : TRANSPORTS;
        contenders.push(
          ...appendRivals(starter, {
            where: whereText(carrier),
            loads,
            volume,
            cpus,
            windows,
            transports,
            onUnbound,
          }),
        );
      } catch (error) {
        if (!(error instanceof EnvironmentError) || mpi !== undefined) throw error;
        this.missing.push({ name: whereText(carrier), reason: error.message });
      }
    }
    return contenders;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const starter of this.#started) await starter[Symbol.asyncDispose]();
  }
}

/** Compiles the C program of an MPI. @throws EnvironmentError without it */
export const startAppend = (options: Omit<StarterOptions, "programs">): Promise<Starter> =>
  Starter.make({
    ...options,
    programs: {
      command: "bench append",
      module: sibling("./append-nodes.program.js", import.meta.url),
      sources: { append: "nodes-append.c" },
    },
  });

/** The measurements of one place. */
export interface AppendRivals {
  readonly where: string;
  readonly loads: readonly Load[];
  readonly volume: { readonly batches: number };
  readonly cpus: readonly number[];
  readonly windows: Windows;
  readonly transports?: readonly AppendTransport[];
  readonly onUnbound: () => void;
}

/** The first is ours. */
export function appendRivals(
  starter: Starter,
  { where, loads, volume: { batches }, cpus, windows, transports = MESSAGES, onUnbound }: AppendRivals,
): Contender[] {
  const named = (all: readonly AppendSamples[], ending: string): Entry[] =>
    all.map(({ name, what, ...one }) => ({
      ...one,
      name: ending === "" ? name : name.replace(/^C/, `C${ending}`),
      what: `${where}: ${what}`,
    }));
  const args = [`${batches}`, cpus.slice(0, LAYOUT.nodes * LAYOUT.pes).join(), loadsText(loads)];
  return [
    {
      name: `tundish, ${where}`,
      run: async () => {
        const job: AppendNodesJob = { loads, batches, transports };
        const samples = await starter.ours(LAYOUT, job);
        if (samples.some(({ bound }) => !bound)) onUnbound();
        return named(samples, "");
      },
    },
    ...Object.entries(windows).map(([ending, more]) => ({
      name: `C${ending}, ${where}`,
      run: async () =>
        named(
          await starter.program<AppendSamples & { samples: number[] }>("append", LAYOUT.nodes * LAYOUT.pes, args, more),
          ending,
        ),
    })),
  ];
}
