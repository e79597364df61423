/** The C programs that ours is compared with: that they work, refuse what they cannot do, and end in time. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runChild } from "../../microbench/launch/child.ts";
import { COMPILE, sourceOf } from "../../packages/tundish-bench/src/peers/build.ts";
import type { Peer, PeerSamples, Peers } from "../../packages/tundish-bench/src/peers/peer.ts";
import { findPeers, measurePeer } from "../../packages/tundish-bench/src/peers/peers.ts";
import { AbortedError, NativeError, TimeoutError, UsageError } from "../../src/ground/base/errors.ts";
import { mpiOf } from "../machine/mpi/launchers.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";
import { both, clean, compiler, cpus, failure, gcc, LIMIT_MS, mpich, openmpi, volume } from "./peers-here.ts";

const endless = { batches: 1000, batchMs: 1000 };
const asRoot = { ...clean, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };

let folder: string;
let peers: Peers;
const named = (name: string): Peer => peers.find((peer) => peer.name === name) as Peer;
const compile = (tool: string, ...args: string[]): Promise<unknown> =>
  runChild(tool, [...COMPILE, "-Werror", ...args], { env: clean, deadlineMs: LIMIT_MS });

/** Processes of one of our compiled programs that have not ended. */
function running(file: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(file);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

const test = suite("C peers");

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), "tundish-peers-test-"));
  peers = await findPeers();
});

test.after(async () => {
  await peers[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

// items.c in items.test.ts
testUnless(test, compiler, "gcc: flags.c and gomp.c compile without a warning", async () => {
  await compile("gcc", sourceOf("flags.c"), "-pthread", "-o", join(folder, "flags"));
  await compile("gcc", sourceOf("gomp.c"), "-fopenmp", "-o", join(folder, "gomp"));
});

for (const [name, tool, missing] of both) {
  testUnless(test, missing, `${tool}: mpi.c compiles without a warning`, async () => {
    await compile(mpiOf(name).compiler as string, sourceOf("mpi.c"), "-o", join(folder, `mpi-${tool}`));
  });
}

test("the sources lie in the checkout, also for the built modules", () => {
  for (const name of ["flags.c", "gomp.c", "items.c", "items.h", "items-works.h", "threads.h", "mpi.c"]) {
    assert.is(sourceOf(name), join(root, "packages/tundish-bench/src/peers/c", name));
    assert.match(readFileSync(sourceOf(name), "utf8"), "SPDX-License-Identifier: MIT");
  }
});

/** Every measurement that is expected, each with the batches asked for, none of them empty or 0. */
function assertMeasured(measured: readonly PeerSamples[], whats: readonly string[]): void {
  assert.equal(
    measured.map(({ what }) => what),
    whats,
  );
  for (const { what, batch, samples } of measured) {
    assert.ok(Number.isInteger(batch) && batch >= 2, `${what}: batches of ${batch}`);
    assert.is(samples.length, volume.batches, what);
    // a nanosecond is less than any two CPUs need, a minute more than any operation on a busy machine
    assert.ok(
      samples.every((ns) => ns > 1 && ns < 6e10),
      `${what}: ${samples}`,
    );
  }
}

const flagBarriers = ["barrier", "barrier, seq_cst", "barrier, pthread", "ping-pong round trip", "wake-up round trip"];
const openMp = ["barrier", "reduction f64", "reduction f64[8192]"];
const mpi = [
  ...["barrier", "broadcast 8 B", "broadcast 64 KiB", "broadcast 64 KiB, written and read", "broadcast 1 MiB"],
  ...["allreduce f64", "allreduce f64[8192]"],
  ...["alltoall 1 KiB", "alltoall 8 KiB", "alltoall 128 KiB", "alltoall 1 MiB", "alltoall 8 MiB", "alltoallv 1 MiB"],
  ...["gather 1 KiB", "gather 8 KiB", "gather 128 KiB", "gather 1 MiB", "gather 8 MiB"],
];
const crowds = ["barrier, 4 PEs", "barrier, 8 PEs", "barrier, 16 PEs"];
const measurements: [peer: string, missing: string | null, label: string, whats: string[]][] = [
  ["C flags", gcc, "gcc: flags", flagBarriers],
  ["GOMP", gcc, "gcc: GOMP", openMp],
  ["GOMP, active", gcc, "gcc: GOMP, active", openMp],
  ["Open MPI", openmpi, "openmpi", mpi],
  ["Open MPI, yielding", openmpi, "openmpi, yielding", crowds],
  ["MPICH", mpich, "mpich", mpi],
];
for (const [name, missing, label, whats] of measurements) {
  testUnless(test, missing, `${label}: measures everything`, async () => {
    const peer = named(name);
    assert.is(peer.missing, null);
    assert.match(peer.version, /^\d+\.\d+/);
    assertMeasured(await measurePeer(peer, cpus, volume), whats);
  });
}

test("knows six peers, found or not", () => {
  assert.equal(
    peers.map(({ name }) => name),
    measurements.map(([name]) => name),
  );
});

const refused = [
  ...["", "3 1", "3 1 0,1 4", "0 1 0,1", "3.5 1 0,1", "x 1 0,1", "3 0 0,1", "3 nan 0,1", "3 1ms 0,1"],
  ...["3 1 ", "3 1 0,", "3 1 0;1", "3 1 0,0", "3 1 -1,0", "3 1 0,99999"],
].map((line) => line.split(" "));
for (const [name, missing, label] of measurements.filter(([name]) => !name.includes(","))) {
  testUnless(test, missing, `${label}: refuses wrong arguments`, async () => {
    const { file, args, env } = named(name).commands(cpus)[0];
    const program = args.at(-1) ?? file; // without the launcher: it refuses before it is a rank
    for (const wrong of refused) {
      const error = await failure(runChild(program, wrong, { env, deadlineMs: LIMIT_MS }));
      assert.instance(error, NativeError);
      assert.match(error.message, /ended with 2: \w+: expected BATCHES/, wrong.join(" "));
    }
    const error = await failure(measurePeer(named(name), [cpus[0], 1023], volume));
    assert.match(error.message, "a CPU of the list cannot be used", error.message);
  });
}

testUnless(test, gcc, "gcc: refuses CPUs and volumes that make no sense", async () => {
  const peer = named("C flags");
  for (const list of [[], [cpus[0]], [cpus[0], cpus[0]]])
    assert.instance(await failure(measurePeer(peer, list, volume)), UsageError);
  for (const bad of [{ batches: 0 }, { batches: 1.5 }, { batches: Number.NaN }, { batchMs: 0 }])
    assert.instance(await failure(measurePeer(peer, cpus, { ...volume, ...bad })), UsageError);
});

testUnless(test, gcc, "gcc: a barrier that lets everybody pass is noticed", async () => {
  const list = cpus.join(",");
  const leaky = join(folder, "leaky.c");
  writeFileSync(
    leaky,
    `int __wrap_pthread_barrier_wait(void *);
     int __wrap_pthread_barrier_wait(void *barrier) { return barrier == 0; }
     void __wrap_GOMP_barrier(void);
     void __wrap_GOMP_barrier(void) {}`,
  );
  for (const [source, option, wrapped] of [
    ["flags.c", "-pthread", "pthread_barrier_wait"],
    ["gomp.c", "-fopenmp", "GOMP_barrier"],
    ["epcc.c", "-fopenmp", "GOMP_barrier"],
  ]) {
    const program = join(folder, `leaky-${source.slice(0, -2)}`);
    await compile("gcc", sourceOf(source), leaky, option, `-Wl,--wrap=${wrapped}`, "-o", program);
    const run = runChild(program, ["3", "0.2", list], { env: clean, deadlineMs: LIMIT_MS });
    assert.match((await failure(run)).message, "ended with 1");
  }
});

testUnless(
  test,
  gcc,
  "gcc: a tree's barrier in place of GOMP's: none passes early, and what is no tree is refused",
  async () => {
    const program = join(folder, "epcc-tree");
    await compile("gcc", sourceOf("epcc-tree.c"), "-fopenmp", "-o", program);
    const run = (...trees: readonly string[]) =>
      runChild(program, ["3", "0.2", cpus.join(), ...trees], { env: clean, deadlineMs: LIMIT_MS });
    for (const [up, down] of [
      ["0>1", "0>1"],
      ["1>0", "1>0"],
    ]) {
      const { what, samples } = JSON.parse((await run(up, down)).stdout) as PeerSamples;
      assert.equal([what, samples.length], ["EPCC BARRIER", 3]);
    }
    // more arguments, a PE that is not there, two parents, none, a circle
    const wrong = [[], ["0>1"], ["0>2", "0>1"], ["0>1", "0>1,0>1"], ["", "0>1"], ["0>1,1>0", "0>1"], ["0-1", "0>1"]];
    for (const trees of wrong)
      assert.match((await failure(run(...trees))).message, /ended with 2: epcc-tree: expected/);
    assert.match((await failure(run("0>1", "1>0"))).message, /ended with 2: epcc-tree: expected trees with one root/);
  },
);

/** MPI's profiling interface: our functions of these names, which call the real ones; the one that is chosen spoils it. */
const SPOILER = `
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int spoils(const char *what) { return strcmp(getenv("SPOILT"), what) == 0; }

int MPI_Barrier(MPI_Comm comm) {
  return spoils("a rank left a barrier") ? MPI_SUCCESS : PMPI_Barrier(comm);
}
int MPI_Bcast(void *at, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return PMPI_Bcast(at, count > 8 && spoils("a broadcast") ? count - 8 : count, type, root, comm);
}
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int few = count > 1 && spoils("a sum of 8192 doubles");
  int status = PMPI_Allreduce(in, out, few ? count - 1 : count, type, op, comm);
  if (op == MPI_SUM && spoils("a sum of one double")) *(double *)out += 1;
  return status;
}
`;
const SPOILT = ["a rank left a barrier", "a broadcast", "a sum of one double", "a sum of 8192 doubles"];
for (const [name, tool, missing] of both) {
  testUnless(test, missing, `${tool}: wrong results are noticed`, async () => {
    const spoiler = join(folder, `spoilt-${tool}.c`);
    const program = spoiler.slice(0, -2);
    writeFileSync(spoiler, SPOILER);
    await compile(mpiOf(name).compiler as string, sourceOf("mpi.c"), spoiler, "-o", program);
    const { file, args } = named(name).commands(cpus)[0];
    for (const what of SPOILT) {
      const run = runChild(file, [...args.slice(0, -1), program, "3", "0.2", cpus.join(",")], {
        env: { ...asRoot, SPOILT: what },
        deadlineMs: LIMIT_MS,
      });
      const { message } = await failure(run);
      assert.match(message, "mpi: wrong result at rank");
      assert.match(message, what);
    }
  });
}

for (const [name, missing, label] of measurements.filter(([name]) => !name.startsWith("GOMP"))) {
  testUnless(test, missing, `${label}: ends at its deadline and by a signal, and nothing is left`, async () => {
    const peer = named(name);
    const { file, args } = peer.commands(cpus)[0];
    const signal = AbortSignal.timeout(500);
    const [late, aborted] = await Promise.all([
      failure(measurePeer(peer, cpus, { ...endless, deadlineMs: 500 })),
      failure(measurePeer(peer, cpus, { ...endless, deadlineMs: LIMIT_MS }, signal)),
    ]);
    assert.instance(late, TimeoutError);
    assert.instance(aborted, AbortedError);
    assert.is(aborted.cause, signal.reason);
    assert.instance(await failure(measurePeer(peer, cpus, endless, signal)), AbortedError);
    const program = args.at(-1) ?? file;
    for (let waited = 0; running(program).length > 0 && waited < 5000; waited += 50) await sleep(50);
    assert.equal(running(program), []);
  });
}

test.run();
