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

/** An MPI that there is a binding for. */
export type MpiName = "Open MPI" | "MPICH";

/** What one of our PEs has measured, and whether all PEs of its node are bound to a CPU. */
export type OurSamples = Samples & { readonly name: string; readonly bound: boolean };

/** Where jobs run. */
export interface StarterOptions {
  readonly name: MpiName;
  /** Messages go through TCP, as between machines, and not through shared memory. */
  readonly tcp: boolean;
  /** Of the C programs, a rank each. */
  readonly cpus: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Where `PATH` names the folders to look in. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Against a job that hangs: under load it may take a hundred times as long as alone. */
const DEADLINE_MS = 300_000;

/** Open MPI over TCP: its loopback, as other interfaces of one machine lead there too. */
const TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"];

/** Compiles the C programs, and removes them in the end. */
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
    const sources = ["nodes-collectives.c", "nodes-exchange.c"];
    const built = await Promise.all(sources.map((source) => buildMpi(name, source, folder, env)));
    const [collectives, exchange] = built;
    for (const { missing } of built) {
      if (missing === null) continue;
      await rm(folder, { recursive: true, force: true });
      throw new EnvironmentError(`bench mpi needs an MPI with its compiler: ${missing}`);
    }
    const programs = { collectives: collectives.program, exchange: exchange.program };
    return new Starter(options, folder, collectives.launcher, collectives.version, programs);
  }

  /** Worlds of ours: what rank 0 measured. */
  async ours({ nodes, pes }: Layout, job: MpiJob): Promise<OurSamples[]> {
    const file = fileURLToPath(sibling("./bench-mpi-node.program.js", import.meta.url));
    return await this.#run<OurSamples>(
      nodes,
      [process.execPath, file, String(pes), JSON.stringify(job)],
      "tundish",
    );
  }

  /** The C program for that, with a rank in place of each PE. */
  async theirs({ nodes, pes }: Layout, job: MpiJob): Promise<Samples[]> {
    const { cpus, name } = this.#options;
    const { batches, batchMs } = job.volume;
    const ranks = nodes * pes;
    const args = [this.#programs[job.kind], String(batches), String(batchMs), cpus.slice(0, ranks).join()];
    if (job.kind === "exchange") args.push(String(job.size), job.loads.join());
    return await this.#run<Samples>(ranks, args, name);
  }

  async #run<T extends Samples>(processes: number, command: readonly string[], who: string): Promise<T[]> {
    const { env = process.env, signal } = this.#options;
    const own = Object.entries(env).filter(([name]) => name.startsWith("TUNDISH_"));
    const environment = { ...cleanEnvironment(env), ...Object.fromEntries([...own, ...ROOT]) };
    const args = [...this.#placing(processes), ...command];
    const { stdout } = await runChild(this.#launcher, args, {
      env: environment,
      deadlineMs: DEADLINE_MS,
      signal,
    });
    return parseSamples<T & { samples: number[] }>(stdout, who);
  }

  /** Nobody is bound by the launcher: our PEs and the C programs do that themselves. */
  #placing(processes: number): string[] {
    const { name, cpus, tcp } = this.#options;
    if (name === "MPICH") return ["-n", `${processes}`, "-bind-to", "none"];
    // told in both cases: left alone it yields as soon as it counts fewer slots than processes
    const yielding = processes > cpus.length ? "1" : "0";
    const placing = ["-n", `${processes}`, "--bind-to", "none", "--oversubscribe"];
    return [...placing, "--mca", "mpi_yield_when_idle", yielding, ...(tcp ? TCP : [])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
