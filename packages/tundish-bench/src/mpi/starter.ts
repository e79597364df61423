/**
 * Starts jobs by the launcher of an MPI: ours, a process per node, and C programs, a rank per PE; unless told otherwise
 * those of `bench mpi`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "../../../../microbench/launch/child.ts";
import { EnvironmentError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { Samples } from "../../../../src/running/contest/batches.ts";
import { type Built, buildMpi } from "../peers/build.ts";
import { parseSamples, ROOT } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import type { Layout, MpiJob } from "./jobs.ts";

/** An MPI with a binding. */
export type MpiName = "Open MPI" | "MPICH";

/** The measurements of one of our PEs, and whether all PEs of its node are bound to a CPU. */
export type OurSamples = Samples & { readonly name: string; readonly bound: boolean };

/** The started program. */
export interface Programs {
  /** The command, for messages. */
  readonly command: string;
  /** Our program. */
  readonly module: URL;
  /** Files of the C programs, by the names that they are run by. */
  readonly sources: Readonly<Record<string, string>>;
}

/** How jobs are started. */
export interface StarterOptions {
  readonly name: MpiName;
  /** Sends messages by TCP, as between machines, instead of shared memory. */
  readonly tcp: boolean;
  /** CPUs of the C programs, one for each rank. */
  readonly cpus: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /**
   * Options of the launcher, other than the number of processes, and variables for jobs over several machines. @default
   * for this one
   */
  readonly over?: { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } | undefined;
  /** Where `PATH` names the folders to look in. */
  readonly env?: NodeJS.ProcessEnv;
  /** @default those of `bench mpi` */
  readonly programs?: Programs;
}

/** The additional arguments of a launcher for one program. */
export interface LauncherOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Limit for a job that hangs: under load it may take a hundred times as long as alone. */
const DEADLINE_MS = 300_000;

/** Open MPI over TCP: uses the loopback, as other interfaces of the machine lead there, too. */
const TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"];

const OF_BENCH_MPI: Programs = {
  command: "bench mpi",
  module: sibling("./bench-mpi.program.js", import.meta.url),
  sources: {
    collectives: "nodes-collectives.c",
    exchange: "nodes-exchange.c",
    parts: "nodes-alltoallv.c",
  } satisfies Record<Exclude<MpiJob["kind"], "loops">, string>,
};

/** Compiles the C programs, and removes them at the end. */
export class Starter implements AsyncDisposable {
  readonly name: MpiName;
  readonly version: string;
  readonly #options: StarterOptions;
  readonly #folder: string;
  readonly #launcher: string;
  readonly #module: URL;
  readonly #files: ReadonlyMap<string, string>;

  private constructor(
    options: StarterOptions,
    folder: string,
    { launcher, version }: Pick<Built, "launcher" | "version">,
    module: URL,
    files: ReadonlyMap<string, string>,
  ) {
    this.name = options.name;
    this.version = version;
    this.#options = options;
    this.#folder = folder;
    this.#launcher = launcher;
    this.#module = module;
    this.#files = files;
  }

  /** @throws EnvironmentError without that MPI, or a compiler for it */
  static async make(options: StarterOptions): Promise<Starter> {
    const { name, env = process.env, programs = OF_BENCH_MPI } = options;
    const folder = await mkdtemp(join(tmpdir(), "tundish-mpi-"));
    const sources = Object.entries(programs.sources);
    const built = await Promise.all(sources.map(([, source]) => buildMpi(name, source, folder, env)));
    for (const { missing } of built) {
      if (missing === null) continue;
      await rm(folder, { recursive: true, force: true });
      throw new EnvironmentError(`${programs.command} needs an MPI with its compiler: ${missing}`);
    }
    const files = new Map(sources.map(([kind], i) => [kind, built[i].program]));
    return new Starter(options, folder, built[0], programs.module, files);
  }

  /** Runs our worlds; returns the measurements of rank 0. @param job that of our program */
  async ours({ nodes, pes }: Layout, job: object): Promise<OurSamples[]> {
    const file = fileURLToPath(sibling("./bench-mpi-node.program.js", import.meta.url));
    const args = [file, this.#module.href, String(pes), JSON.stringify(job)];
    return await this.#run<OurSamples>(nodes, [process.execPath, ...args], "tundish");
  }

  /** Runs the C program of `bench mpi` for the same job, with a rank for each PE. */
  async theirs({ nodes, pes }: Layout, job: MpiJob): Promise<Samples[]> {
    const { batches, batchMs } = job.volume;
    const ranks = nodes * pes;
    const args = [String(batches), String(batchMs), this.#options.cpus.slice(0, ranks).join()];
    if (job.kind === "exchange") args.push(String(job.size), job.loads.join());
    if (job.kind === "parts") args.push(job.parts.join());
    return await this.program<Samples>(job.kind, ranks, args);
  }

  /** Runs a C program. @param more what the launcher is told for it */
  async program<T extends Samples>(
    kind: string,
    ranks: number,
    args: readonly string[],
    more: LauncherOptions = {},
  ): Promise<T[]> {
    return await this.#run<T>(ranks, [this.#files.get(kind) as string, ...args], this.name, more);
  }

  async #run<T extends Samples>(
    processes: number,
    command: readonly string[],
    who: string,
    more: LauncherOptions = {},
  ): Promise<T[]> {
    const { env = process.env, signal, over } = this.#options;
    const own = Object.entries(env).filter(([name]) => name.startsWith("TUNDISH_"));
    const environment = {
      ...cleanEnvironment(env),
      ...Object.fromEntries([...own, ...ROOT]),
      // else our nodes would not send at all
      ...(this.#options.tcp ? { TUNDISH_MAP_NODES: "off" } : {}),
      ...over?.env,
      ...more.env,
    };
    const args = [...this.#placing(processes), ...(more.args ?? []), ...command];
    const { stdout } = await runChild(this.#launcher, args, {
      env: environment,
      deadlineMs: DEADLINE_MS,
      signal,
    });
    return parseSamples<T & { samples: number[] }>(stdout, who);
  }

  /** The launcher binds no process: our PEs and the C programs bind themselves. */
  #placing(processes: number): string[] {
    const { name, cpus, tcp, over } = this.#options;
    if (over !== undefined) return ["-n", `${processes}`, ...over.args];
    if (name === "MPICH") return ["-n", `${processes}`, "-bind-to", "none"];
    // set in both cases: by default Open MPI yields as soon as it counts fewer slots than processes
    const yielding = processes > cpus.length ? "1" : "0";
    const placing = ["-n", `${processes}`, "--bind-to", "none", "--oversubscribe"];
    return [...placing, "--mca", "mpi_yield_when_idle", yielding, ...(tcp ? TCP : [])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
