/**
 * The C libraries that Tundish is compared with, and the raw limit: small C programs of our own, compiled if a compiler
 * is present, and run on given CPUs. Linux only, as the programs bind themselves.
 */
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";
import { EnvironmentError, NativeError, UsageError } from "../../../../src/ground/base/errors.ts";
import { type Built, buildMpi, buildPlain } from "./build.ts";
import type { Peer, PeerCommand, PeerSamples, Peers, PeerVolume } from "./peer.ts";
import { cleanEnvironment } from "./tools.ts";

/** Numbers of PEs that share two CPUs. */
const OVERSUBSCRIBED = [4, 8, 16];

/** Open MPI refuses to run as root unless allowed by two variables; since version 5 they have other names. */
export const ROOT: readonly (readonly [name: string, value: string])[] = ["OMPI", "PRTE"].flatMap((name) =>
  ["", "_CONFIRM"].map((end) => [`${name}_ALLOW_RUN_AS_ROOT${end}`, "1"] as const),
);

/**
 * Compiles the C programs into a temporary folder and determines which can be measured. A missing compiler or library
 * is not an error: `missing` has the reason.
 *
 *     await using peers = await findPeers();
 *     for (const peer of peers) if (peer.missing === null) await measurePeer(peer, [0, 1], volume);
 *
 * @param env its `PATH` is searched
 */
export async function findPeers(env: NodeJS.ProcessEnv = process.env): Promise<Peers> {
  const folder = await mkdtemp(join(tmpdir(), "tundish-peers-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const [flags, gomp, openMpi, mpich] = await Promise.all([
    buildPlain("flags.c", "-pthread", "gcc libc6-dev", folder, env),
    buildPlain("gomp.c", "-fopenmp", "gcc libc6-dev libgomp1", folder, env),
    buildMpi("Open MPI", "mpi.c", folder, env),
    buildMpi("MPICH", "mpi.c", folder, env),
  ]);
  const own = cleanEnvironment(env);
  const root = { ...own, ...Object.fromEntries(ROOT) };
  const plain = (built: Built, extra: NodeJS.ProcessEnv = {}) => [
    { file: built.program, args: [], env: { ...own, ...extra } },
  ];
  const openMpiRun = (ranks: number, yielding: 0 | 1): PeerCommand => ({
    file: openMpi.launcher,
    // set in both cases: by default Open MPI yields as soon as it counts fewer slots than ranks
    args: [
      "-n",
      `${ranks}`,
      "--bind-to",
      "none",
      "--oversubscribe",
      "--mca",
      "mpi_yield_when_idle",
      `${yielding}`,
      openMpi.program,
    ],
    env: root,
  });
  const peer = (name: string, { version, missing }: Built, commands: Peer["commands"]): Peer => ({
    name,
    version,
    missing,
    commands,
  });
  const peers = [
    peer("C flags", flags, () => plain(flags)),
    peer("GOMP", gomp, () => plain(gomp)),
    peer("GOMP, active", gomp, () => plain(gomp, { OMP_WAIT_POLICY: "active" })),
    peer("Open MPI", openMpi, (cpus) => [openMpiRun(cpus.length, 0)]),
    peer("Open MPI, yielding", openMpi, (cpus) =>
      OVERSUBSCRIBED.filter((ranks) => ranks > cpus.length).map((ranks) => openMpiRun(ranks, 1)),
    ),
    peer("MPICH", mpich, (cpus) => [
      { file: mpich.launcher, args: ["-n", `${cpus.length}`, "-bind-to", "none", mpich.program], env: root },
    ]),
  ];
  return Object.assign(peers, {
    async [Symbol.asyncDispose](): Promise<void> {
      process.off("exit", remove);
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/**
 * Measures a peer with one PE bound to each of the CPUs; a yielding one with 4, 8 and 16 PEs that share
 * them, where these are more. Every program checks its results.
 * @param cpus two or more, none twice
 * @throws {UsageError} cpus or volume are out of range
 * @throws {EnvironmentError} the peer is missing
 * @throws {NativeError} a program failed, or had a wrong result
 * @throws {TimeoutError} a program did not end in time
 * @throws {AbortedError} by the signal
 */
export async function measurePeer(
  peer: Peer,
  cpus: readonly number[],
  volume: PeerVolume,
  signal?: AbortSignal,
): Promise<PeerSamples[]> {
  if (peer.missing !== null) throw new EnvironmentError(`${peer.name} cannot be measured: ${peer.missing}`);
  const { batches, batchMs } = volume;
  if (cpus.length < 2 || new Set(cpus).size < cpus.length)
    throw new UsageError(`expected two CPUs or more and none twice, got [${cpus}]; name different ones`);
  if (!(Number.isInteger(batches) && batches >= 1 && batches <= 1e5 && batchMs >= 0.01 && batchMs <= 1e4))
    throw new UsageError(
      `expected 1 to 100000 batches of 0.01 to 10000 ms, got ${batches} of ${batchMs} ms; change the volume`,
    );
  const deadlineMs = volume.deadlineMs ?? 30_000 + 100 * batches * batchMs;
  const samples: PeerSamples[] = [];
  for (const { file, args, env } of peer.commands(cpus)) {
    const own = [`${batches}`, `${batchMs}`, cpus.join(",")];
    const { stdout } = await runChild(file, [...args, ...own], { env, deadlineMs, signal });
    samples.push(...parseSamples(stdout, peer.name));
  }
  return samples;
}

/** Parses one line of JSON per measurement. @throws NativeError for none, or anything else */
export function parseSamples<T extends PeerSamples = PeerSamples>(text: string, name: string): T[] {
  try {
    const lines = text.split("\n").filter((line) => line.startsWith("{"));
    if (lines.length > 0) return lines.map((line) => JSON.parse(line) as T);
  } catch {
    // reported below, like an empty output
  }
  throw new NativeError(`${name}: expected lines of JSON from its program, got: ${text.slice(0, 200)}`);
}
