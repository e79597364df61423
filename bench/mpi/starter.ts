/** Starts the jobs of `bench mpi` by the launcher of an MPI: ours, a process per node, and the C programs, a rank per PE. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EnvironmentError } from "../../src/base/errors.ts";
import { sibling } from "../../src/base/package-file.ts";
import type { Samples } from "../../src/contest/batches.ts";
import { buildMpi } from "../peers/build.ts";
import { runChild } from "../peers/child.ts";
import { parseSamples, ROOT } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import type { Layout, MpiJob } from "./jobs.ts";

/** An MPI with a binding. */
export type MpiName = "Open MPI" | "MPICH";

/** The measurements of one of our PEs, and whether all PEs of its node are bound to a CPU. */
export type OurSamples = Samples & { readonly name: string; readonly bound: boolean };

/** How jobs are started. */
export interface StarterOptions {
  readonly name: MpiName;
  /** Sends messages by TCP, as between machines, instead of shared memory. */
  readonly tcp: boolean;
  /** CPUs of the C programs, one for each rank. */
  readonly cpus: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Options of the launcher, other than the number of processes, and variables for jobs over several machines. @default for this one */
  readonly over?: { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } | undefined;
  /** Where `PATH` names the folders to look in. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Limit for a job that hangs: under load it may take a hundred times as long as alone. */
const DEADLINE_MS = 300_000;

/** Open MPI over TCP: uses the loopback, as other interfaces of the machine lead there, too. */
const TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"];

/** Compiles the C programs, and removes them at the end. */
export class Starter implements AsyncDisposable {
  readonly name: MpiName;
  readonly version: string;
  readonly #options: StarterOptions;
  readonly #folder: string;
  readonly #launcher: string;
  readonly #programs: Readonly<Record<MpiJob["kind"], string>>;

  private constructor(
    options: StarterOptions,
    folder: string,
    launcher: string,
    version: string,
    programs: Readonly<Record<MpiJob["kind"], string>>,
  ) {
    this.name = options.name;
    this.#options = options;
    this.#folder = folder;
    this.#launcher = launcher;
    this.version = version;
    this.#programs = programs;
  }

  /** @throws EnvironmentError without that MPI, or a compiler for it */
  static async make(options: StarterOptions): Promise<Starter> {
    const { name, env = process.env } = options;
    const folder = await mkdtemp(join(tmpdir(), "tundish-mpi-"));
    const sources = ["nodes-collectives.c", "nodes-exchange.c", "nodes-alltoallv.c"];
    const built = await Promise.all(sources.map((source) => buildMpi(name, source, folder, env)));
    const [collectives, exchange, parts] = built;
    for (const { missing } of built) {
      if (missing === null) continue;
      await rm(folder, { recursive: true, force: true });
      throw new EnvironmentError(`bench mpi needs an MPI with its compiler: ${missing}`);
    }
    const programs = { collectives: collectives.program, exchange: exchange.program, parts: parts.program };
    return new Starter(options, folder, collectives.launcher, collectives.version, programs);
  }

  /** Runs our worlds; returns the measurements of rank 0. */
  async ours({ nodes, pes }: Layout, job: MpiJob): Promise<OurSamples[]> {
    const file = fileURLToPath(sibling("./bench-mpi-node.program.js", import.meta.url));
    return await this.#run<OurSamples>(
      nodes,
      [process.execPath, file, String(pes), JSON.stringify(job)],
      "tundish",
    );
  }

  /** Runs the C program for the same job, with a rank for each PE. */
  async theirs({ nodes, pes }: Layout, job: MpiJob): Promise<Samples[]> {
    const { cpus, name } = this.#options;
    const { batches, batchMs } = job.volume;
    const ranks = nodes * pes;
    const args = [this.#programs[job.kind], String(batches), String(batchMs), cpus.slice(0, ranks).join()];
    if (job.kind === "exchange") args.push(String(job.size), job.loads.join());
    if (job.kind === "parts") args.push(job.parts.join());
    return await this.#run<Samples>(ranks, args, name);
  }

  async #run<T extends Samples>(processes: number, command: readonly string[], who: string): Promise<T[]> {
    const { env = process.env, signal, over } = this.#options;
    const own = Object.entries(env).filter(([name]) => name.startsWith("TUNDISH_"));
    const environment = {
      ...cleanEnvironment(env),
      ...Object.fromEntries([...own, ...ROOT]),
      // else our nodes would not send at all
      ...(this.#options.tcp ? { TUNDISH_MAP_NODES: "off" } : {}),
      ...over?.env,
    };
    const args = [...this.#placing(processes), ...command];
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
