/**
 * Append buffers beside what else can be done, in turns, in one run (see turns.ts): on threads beside an atomic
 * addition and a copy in C and in JavaScript, a conveyor and alltoallv; over two nodes beside MPI_Fetch_and_op and
 * MPI_Put, as in figures 2 and 3 of Dinan, Flajslik, "One-Sided Append".
 *
 * In a batch each writer pushes the same bytes, so many times, into one buffer, which is empty before and holds all of
 * them. The time is that from the first push to the end of the last one; emptying the buffer and checking what came are
 * not in it.
 *
 * Limits: the nodes are processes of one machine; test/machine/mpi/append-over-hosts.ts has links with limits.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";
import type { Missing } from "../../../../microbench/pairs/profiled.ts";
import { inFirstMode } from "../../../../microbench/turns/figures.ts";
import { cpusOf, modelOf, turnsOf } from "../../../../microbench/turns/options.ts";
import { type Contender, type Entry, takeTurns } from "../../../../microbench/turns/turns.ts";
import { EnvironmentError, NativeError, UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { buildPlain } from "../peers/build.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import type { AppendThreadsJob } from "./append-threads.program.ts";
import {
  type AppendAnswer,
  type AppendSamples,
  FULL,
  loadsOf,
  loadsText,
  partsOf,
  pesFor,
  QUICK,
  roomFor,
  SIZES,
  WRITERS,
} from "./jobs.ts";
import type { AppendBench, AppendBenchOptions } from "./measured.ts";
import { AppendStarters } from "./nodes.ts";
import { HEAD, type WaysKind } from "./ways.ts";

const THREADS = "threads";
const MOST_BYTES = 2 ** 20;
const MOST_WRITERS = 64;
/** Limit for one program that hangs, ms. */
const LIMIT_MS = 300_000;
/** Ours that take turns on threads. */
const KINDS: readonly WaysKind[] = ["push", "atomics", "conveyor", "alltoallv"];

/**
 * Measures. @throws UsageError for sizes, writers and CPUs that cannot be; EnvironmentError without a second CPU, or
 * without what was asked for only
 */
export async function benchAppend(options: AppendBenchOptions = {}): Promise<AppendBench> {
  const { only, env = process.env } = options;
  checkList("sizes", options.sizes, MOST_BYTES);
  checkList("writers", options.writers, MOST_WRITERS);
  const cpus = cpusOf(await readTopology(), options.cpus);
  const folder = await mkdtemp(join(tmpdir(), "tundish-append-"));
  try {
    const ours = new OnThreads(cpus, folder, env, options);
    const threads = only === "mpi" ? [] : await ours.contenders();
    await using starters = new AppendStarters({ ...options, cpus, env });
    const nodes = only === "threads" ? [] : await starters.contenders();
    const missing = [...ours.missing, ...starters.missing];
    if (threads.length + nodes.length === 0) {
      throw new EnvironmentError(`bench append: nothing can be measured: ${missing[0]?.reason}`);
    }
    const taken = await takeTurns([...threads, ...nodes], { ...turnsOf(options), cpus });
    const { complete, measured: _, missing: failed, ...rest } = taken;
    const measured = inFirstMode(taken);
    if (measured.length === 0) throw new NativeError(`bench append: nothing could be measured: ${failed[0]?.reason}`);
    return {
      cpus,
      pinned: ours.pinned && starters.pinned,
      stable: complete,
      ...rest,
      measured: measured.map((one) => {
        const [where, what] = one.what.split(": ");
        return { ...one, what, where, ...partsOf(what) };
      }),
      missing: [...missing, ...failed],
      versions: { ...ours.versions, ...starters.versions },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function checkList(name: string, list: readonly number[] | undefined, most: number): void {
  if (list === undefined) return;
  const wrong = list.find((one) => !(Number.isInteger(one) && one >= 1 && one <= most));
  if (list.length === 0 || wrong !== undefined)
    throw new UsageError(`${name}: expected whole numbers from 1 to ${most}, got ${wrong ?? "none"}`);
}

/** The contenders on the threads of this machine. */
class OnThreads {
  pinned = true;
  readonly missing: Missing[] = [];
  readonly versions: Record<string, string> = {};
  readonly #cpus: readonly number[];
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #options: AppendBenchOptions;

  constructor(cpus: readonly number[], folder: string, env: NodeJS.ProcessEnv, options: AppendBenchOptions) {
    this.#cpus = cpus;
    this.#folder = folder;
    this.#env = env;
    this.#options = options;
  }

  async contenders(): Promise<Contender[]> {
    const { writers: wanted = WRITERS } = this.#options;
    const c = await buildPlain("append.c", "-pthread", "gcc libc6-dev", this.#folder, this.#env);
    if (c.missing === null) this.versions.gcc = c.version;
    else this.missing.push({ name: "C, threads", reason: c.missing });
    return wanted.flatMap((writers) => {
      const contender = (name: string, run: () => Promise<readonly AppendSamples[]>): Contender => ({
        name: `${name}, ${writers} of threads`,
        required: name === "push",
        run: async () => (await run()).map((one): Entry => ({ ...one, what: `${THREADS}: ${one.what}` })),
      });
      return [
        ...(c.missing === null ? [contender("C", () => this.#inC(c.program, writers))] : []),
        ...KINDS.map((kind) => contender(kind, () => this.#ours(kind, writers))),
      ];
    });
  }

  #volume() {
    return (this.#options.quick ? QUICK : FULL).threads;
  }

  #loads(writers: number) {
    return loadsOf(this.#options.sizes ?? SIZES, writers, this.#volume());
  }

  async #inC(program: string, writers: number): Promise<AppendSamples[]> {
    const { batches } = this.#volume();
    const args = [`${batches}`, this.#cpus.join(), `${writers}`, loadsText(this.#loads(writers))];
    const { stdout } = await runChild(program, args, {
      env: cleanEnvironment(this.#env),
      deadlineMs: LIMIT_MS,
      signal: this.#options.signal,
    });
    return parseSamples<AppendSamples>(stdout, "append");
  }

  async #ours(kind: WaysKind, writers: number): Promise<readonly AppendSamples[]> {
    const loads = this.#loads(writers);
    const cpus = this.#cpus;
    const memory = kind === "atomics" ? new SharedArrayBuffer(HEAD + roomFor(loads, writers)) : null;
    const args: AppendThreadsJob = {
      kind,
      writers,
      loads,
      memory,
      batches: this.#volume().batches,
      cpus: cpus.length,
    };
    const { signal } = this.#options;
    const answers = await launch<AppendAnswer>(sibling("./append-threads.program.js", import.meta.url), {
      args,
      pes: pesFor(writers),
      timeout: LIMIT_MS,
      machine: modelOf(await readTopology(), cpus, undefined),
      ...(signal && { signal }),
    });
    if (answers.some(({ bound }) => !bound)) this.pinned = false;
    return answers[0].entries;
  }
}
