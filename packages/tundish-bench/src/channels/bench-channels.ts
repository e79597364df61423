/**
 * Channels between two PEs by each back end, beside a queue in C and postMessage, in turns, in one run (see turns.ts):
 * messages of some sizes one way, and back. The sender writes a message from an array of its own, the receiver copies
 * it out, or reads an item where it lies.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { runChild } from "../../../../microbench/launch/child.ts";
import type { Measured, Missing } from "../../../../microbench/pairs/profiled.ts";
import { answersOf } from "../../../../microbench/rivals/threads.ts";
import { type BenchOptions, cpusOf, modelOf, turnsOf } from "../../../../microbench/turns/options.ts";
import { type Contender, type TurnsMade, takeTurns } from "../../../../microbench/turns/turns.ts";
import { channelKinds } from "../../../../src/ground/base/channel-kinds.ts";
import { UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../../src/ground/base/thread/spawn.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { buildPlain } from "../peers/build.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import type { PostChannelJob } from "./channel-poster.ts";
import type { ChannelsJob } from "./channels.program.ts";
import { FULL, type Load, loadsOf, MOST_BYTES, QUICK, type Samples, SIZES } from "./job.ts";

export interface ChannelsBenchOptions
  extends Pick<BenchOptions, "cpus" | "turns" | "budgetMs" | "quick" | "onProgress" | "signal"> {
  /** Bytes of a message. @default those of job.ts */
  readonly sizes?: readonly number[] | undefined;
  /** Its `PATH` names the folder of the compiler. @default that of the process */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * The result. Times are ns of a message; `mode` of a figure is the round trip of a cache line while it was measured.
 */
export interface ChannelsBench extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  readonly measured: readonly (Measured & { readonly way: string; readonly bytes: number })[];
  readonly missing: readonly Missing[];
  readonly versions: Readonly<Record<string, string>>;
}

const LIMIT_MS = 120_000;
/** A message by postMessage takes so many times as long, more or less. */
const SLOWER = 40;

const fewer = (loads: readonly Load[]): Load[] =>
  loads.map(({ bytes, messages }) => ({ bytes, messages: Math.max(20, Math.floor(messages / SLOWER)) }));

/**
 * Measures. @throws UsageError for sizes and CPUs that cannot be; EnvironmentError without a second CPU; what
 * {@link launch} throws
 */
export async function benchChannels(options: ChannelsBenchOptions = {}): Promise<ChannelsBench> {
  const { sizes = SIZES, quick = false, env = process.env, signal } = options;
  if (sizes.length === 0 || sizes.some((size) => !(Number.isInteger(size) && size >= 1 && size <= MOST_BYTES))) {
    throw new UsageError(`sizes: expected whole numbers from 1 to ${MOST_BYTES}, got ${sizes.join(",") || "none"}`);
  }
  const topology = await readTopology();
  const cpus = cpusOf(topology, options.cpus).slice(0, 2);
  const volume = quick ? QUICK : FULL;
  const loads = loadsOf(sizes, volume);
  const folder = await mkdtemp(join(tmpdir(), "tundish-channels-"));
  try {
    const c = await buildPlain("channel.c", "-pthread", "gcc libc6-dev", folder, env);
    const ours = channelKinds.map(
      (backend): Contender => ({
        name: backend,
        required: true,
        run: async () => {
          const args: ChannelsJob = { backend, loads, batches: volume.batches };
          const [samples] = await launch<Samples[]>(sibling("./channels.program.js", import.meta.url), {
            args,
            pes: 2,
            timeout: LIMIT_MS,
            machine: modelOf(topology, cpus, undefined),
            ...(signal && { signal }),
          });
          return samples as Samples[];
        },
      }),
    );
    const inC: Contender = {
      name: "C",
      run: async () => {
        const text = loads.map(({ bytes, messages }) => `${bytes}:${messages}`).join();
        const { stdout } = await runChild(
          c.missing === null ? c.program : "",
          [`${volume.batches}`, cpus.join(), text],
          {
            env: cleanEnvironment(env),
            deadlineMs: LIMIT_MS,
            signal,
          },
        );
        return parseSamples<Samples>(stdout, "channel");
      },
    };
    const posting: Contender = { name: "postMessage", run: () => posted(cpus, fewer(loads), volume.batches) };
    const contenders = [...(c.missing === null ? [inC] : []), ...ours, posting];
    const { complete: _, measured, missing, ...rest } = await takeTurns(contenders, { ...turnsOf(options), cpus });
    return {
      cpus,
      ...rest,
      measured: measured.map((one) => {
        const [way, size] = one.what.split(", ") as [string, string];
        return { ...one, way, bytes: Number.parseInt(size, 10) };
      }),
      missing: [...(c.missing === null ? [] : [{ name: "C", reason: c.missing }]), ...missing],
      versions: c.missing === null ? { gcc: c.version } : {},
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function posted(cpus: readonly number[], loads: readonly Load[], batches: number): Promise<Samples[]> {
  const { port1, port2 } = new MessageChannel();
  const threads = [port1, port2].map((port, rank) => {
    const workerData: PostChannelJob = {
      cpu: cpus[rank] as number,
      rank: rank as 0 | 1,
      loads,
      batches,
      port,
    };
    return spawnThread({
      entry: sibling("./channel-poster.js", import.meta.url),
      workerData,
      name: `poster ${rank}`,
      transferList: [port],
    });
  });
  const [samples] = await answersOf<Samples[]>(threads, threads, LIMIT_MS);
  return samples as Samples[];
}
