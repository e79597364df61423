/** `tundish bench mpi`: the C programs, the command from end to end, what is missing; shape and sense, not speed. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Size } from "../../../microbench/conveyors/payloads.ts";
import { runChild } from "../../../microbench/launch/child.ts";
import { printMpi } from "../../../packages/tundish-bench/src/cli/text/bench-mpi-text.ts";
import type { MpiAnswer } from "../../../packages/tundish-bench/src/mpi/bench-mpi.program.ts";
import type { MpiBench } from "../../../packages/tundish-bench/src/mpi/bench-mpi.ts";
import {
  COLLECTIVES,
  exchangeText,
  LAYOUTS,
  layoutText,
  loadsOf,
  loopText,
  type MpiJob,
  type MpiPart,
  PARTS_UNDER,
  partsText,
  QUICK,
  SCHEDULES,
  WAYS,
} from "../../../packages/tundish-bench/src/mpi/jobs.ts";
import { Starter } from "../../../packages/tundish-bench/src/mpi/starter.ts";
import { COMPILE, sourceOf } from "../../../packages/tundish-bench/src/peers/build.ts";
import { parseSamples } from "../../../packages/tundish-bench/src/peers/peers.ts";
import { EnvironmentError } from "../../../src/ground/base/errors.ts";
import { cli, cliHere, emptyFolder } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { KINDS, type Kind, mpiOf, ROOT } from "../../machine/mpi/launchers.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { LONG } from "../../support/long.ts";
import { drawn, shuffled } from "../../support/sample.ts";
import { testUnless } from "../../support/skip.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { both, clean, cpus, failure, LIMIT_MS } from "../peers-here.ts";
import { SHORT } from "../short.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-bench-mpi-"));
const test = suite("cli bench mpi");
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** A program of one MPI, which is compiled once; its warnings are errors. */
async function compiled(name: Kind, source: string, ...options: string[]): Promise<string> {
  const program = join(folder, `${source}-${name.replace(" ", "")}${options.length}`);
  if (existsSync(program)) return program;
  const args = [...COMPILE, "-Werror", ...options, sourceOf(source), "-o", program];
  await runChild(mpiOf(name).compiler as string, args, { env: clean, deadlineMs: LIMIT_MS });
  return program;
}

/** What the command is told to measure. */
interface Measuring {
  readonly parts: readonly MpiPart[];
  readonly size: Size;
  readonly options: readonly string[];
}

/** Two of the parts in a plain run, one beside each MPI, which are drawn; in the long run everything beside one, and a part beside the other. */
const [FIRST, SECOND] = shuffled(["collectives", "exchange", "parts", "loops"] as const, "bench mpi");
const part = (one: MpiPart, size: Size): Measuring => ({
  parts: [one],
  size,
  options: ["--only", one, ...(one === "exchange" && size !== 8 ? ["--sizes", `${size}`] : [])],
});
const MEASURED: Readonly<Record<Kind, readonly Measuring[]>> = {
  "Open MPI": [
    LONG ? { parts: ["collectives", "exchange", "parts", "loops"], size: 8, options: [] } : part(FIRST as MpiPart, 8),
  ],
  MPICH: [part(LONG ? "exchange" : (SECOND as MpiPart), 16)],
};

for (const [name, tool, missing] of both) {
  const run = (ranks: number, ...command: string[]) =>
    runChild(
      mpiOf(name).launcher as string,
      ["-n", `${ranks}`, ...(name === "MPICH" ? [] : ["--bind-to", "none", "--oversubscribe"]), ...command],
      {
        env: { ...clean, ...ROOT },
        deadlineMs: LIMIT_MS,
      },
    );

  testUnless(
    test,
    missing,
    `gcc, ${tool}: the C programs check themselves, with ranks that share CPUs too`,
    async () => {
      const collectives = await compiled(name, "nodes-collectives.c");
      const exchange = await compiled(name, "nodes-exchange.c");
      const alltoallv = await compiled(name, "nodes-alltoallv.c");
      // as many as CPUs under one MPI, more under the other, in the long run both under both
      for (const ranks of [2, 3]) {
        if (!inTurn(ranks, "ranks").includes(name)) continue;
        const { stdout } = await run(ranks, collectives, "2", "0.05", cpus.join());
        const samples = parseSamples(stdout, name);
        assert.equal(
          samples.map(({ what }) => what),
          COLLECTIVES,
        );
        for (const one of samples) assert.is(one.samples.length, 2);
        // each size under one MPI; in the long run all of them
        for (const [i, size] of ([8, 16, 32, 128] as const).entries()) {
          if (!LONG && (i + drawn(2, "sizes")) % KINDS.length !== KINDS.indexOf(name)) continue;
          const { stdout } = await run(ranks, exchange, "2", "0.05", cpus.join(), `${size}`, "1,33,3000");
          assert.equal(
            parseSamples(stdout, name).map(({ what }) => what),
            [1, 33, 3000].map((load) => exchangeText(size, load)),
          );
        }
        const sizes = [8, 4096, 131_072];
        const parts = await run(ranks, alltoallv, "2", "0.05", cpus.join(), sizes.join());
        assert.equal(
          parseSamples(parts.stdout, name).map(({ what }) => what),
          sizes.map(partsText),
        );
      }
    },
  );

  testUnless(test, missing, `gcc, ${tool}: the C programs notice wrong results`, async () => {
    // an MPI that drops the last item of each exchange, and one whose sums are too small by one
    const lossy = join(folder, "lossy.h");

    writeFileSync(
      lossy,
      "#define _GNU_SOURCE\n#include <mpi.h>\n" +
        "static inline int lossy(const void *a, const int *b, const int *c, MPI_Datatype d, void *e, const int *f,\n" +
        "    const int *g, MPI_Datatype h, MPI_Comm i) {\n" +
        "  int error = MPI_Alltoallv(a, b, c, d, e, f, g, h, i);\n" +
        "  *(double *)e += 1;\n  return error;\n}\n#define MPI_Alltoallv lossy\n",
    );
    // what they compare has nothing to do with the MPI: each under one of the two in a plain run
    if (inTurn(0, "wrong results").includes(name)) {
      const wrong = await compiled(name, "nodes-exchange.c", "-include", lossy);
      const error = await failure(run(2, wrong, "2", "0.05", cpus.join(), "8", "100"));
      assert.match(error.message, /wrong result at rank \d of 2: items are missing, or too many/);
    }
    if (inTurn(1, "wrong results").includes(name)) {
      const wrongPart = await compiled(name, "nodes-alltoallv.c", "-include", lossy);
      const other = await failure(run(2, wrongPart, "2", "0.05", cpus.join(), "8"));
      assert.match(other.message, /wrong result at rank \d of 2: a part is not as sent/);
    }
  });

  testUnless(test, missing, `gcc, ${tool}: wrong arguments and one rank are refused`, async () => {
    const exchange = await compiled(name, "nodes-exchange.c");
    // without a launcher: MPICH's may lose what a process says that ends at once
    const refusal = async (...args: string[]) =>
      (await failure(runChild(exchange, args, { env: clean, deadlineMs: LIMIT_MS }))).message;
    for (const args of [["3"], ["0", "1", "0", "8", "1"], ["1", "1", "0,0", "8", "1"], ["1", "1", "0", "9", "1"]]) {
      assert.match(await refusal(...args), "nodes-exchange: expected BATCHES");
    }
    assert.match(await refusal("1", "0.05", cpus.join(), "8", "1"), "nodes-exchange: one rank only");
    const alltoallv = await compiled(name, "nodes-alltoallv.c");
    const args = ["1", "0.05", cpus.join(), "8,12"];
    const message = (await failure(run(2, alltoallv, ...args))).message;
    assert.match(message, "nodes-alltoallv: expected BATCHES");
  });

  for (const { parts, size, options } of MEASURED[name]) {
    testUnless(
      test,
      missing,
      `gcc, ${tool}: ${parts.join(", ")} --json: everything has sense; the same as text`,
      async () => {
        const args = ["bench", "mpi", "--mpi", tool, ...SHORT, "--json", ...options];
        const { code, stdout, stderr } = await cli(args);
        // also where the machine did not hold still, as it may beside other tests
        assert.is(code, 0, stderr);
        const document = JSON.parse(stdout) as MpiBench & { schema: string; node: string };
        const { measured, mpi, probe, turns, left } = document;
        assert.is(document.schema, "tundish/bench-mpi@1");
        assert.equal(mpi, { name, version: mpiOf(name).version as string, tcp: false });
        assert.equal(document.cpus.slice(0, 2), cpus);
        assert.is(/did not stay in one mode/.test(stderr), !document.stable);
        assert.is(probe.length, 2 * (turns - left));
        const collectives = parts.includes("collectives") ? COLLECTIVES : [];
        for (const layout of LAYOUTS) {
          const whats = (who: string) =>
            measured
              .filter((one) => one.name === who && layoutText(one.layout) === layoutText(layout))
              .map(({ what }) => what);
          const loads = parts.includes("exchange") ? loadsOf(layout, size, QUICK) : [];
          const exchanges = loads.map((load) => exchangeText(size, load));
          const loops = parts.includes("loops") ? SCHEDULES.map(loopText) : [];
          assert.equal(whats("tundish"), [...collectives, ...loops]);
          const ofParts = parts.includes("parts") ? QUICK.partBytes.map(partsText) : [];
          assert.equal(whats(name), [...collectives, ...exchanges, ...ofParts]);
          for (const { name } of WAYS) assert.equal(whats(name), exchanges);
          for (const discipline of PARTS_UNDER) assert.equal(whats(`tundish, ${discipline}`), ofParts);
        }
        for (const { part, ns, low, high, batch, batches, load, bytes, what } of measured) {
          assert.ok(ns > 0 && low <= ns && ns <= high && batch > 0 && batches > 0, what);
          assert.is(part === "collectives", COLLECTIVES.includes(what));
          assert.is(part === "exchange", load !== null);
          if (part !== "parts") assert.is(bytes, load === null ? null : size);
          else assert.is(what, partsText(bytes as number));
        }
        assert.match(stderr, /^bench: turn 1$/m);

        const output = new Kept({});
        printMpi(document, output);
        const rows: Readonly<Record<MpiPart, readonly RegExp[]>> = {
          collectives: [
            new RegExp(`^Collectives, 2 nodes x 1 PE: how many times faster than ${name}$`, "m"),
            /^ *[\d.]+ x +barrier +[\d.]+ [nmu]?s +[\d.]+ [nmu]?s to [\d.]+ [nmu]?s +[\d.]+ [nmu]?s/m,
            /^Collectives, 2 nodes x 2 PEs: /m,
          ],
          exchange: [
            new RegExp(`^ *[\\d.]+ x +${size} B +100 +item-wise, streamed +[\\d.]+ [nmu]?s `, "m"),
            /^Median of sessions: [\d.]+ x with up to 100 items per pair, - from 10000 on; of streams: [\d.]+ x and -\.$/m,
          ],
          parts: [
            new RegExp(`^exchange\\.all, 2 nodes x 2 PEs: how many times faster than MPI_Alltoallv of ${name}$`, "m"),
            /^ *[\d.]+ x +parts of 4096 B +token +[\d.]+ [nmu]?s +[\d.]+ [nmu]?s to [\d.]+ [nmu]?s +[\d.]+ [nmu]?s/m,
          ],
          loops: [
            /^Uneven loops, 2 nodes x 1 PE: how many times faster than a block for each PE$/m,
            /^ *1\.00 x +triangle, static +[\d.]+ [nmu]?s /m,
            /^ *[\d.]+ x +triangle, steal +[\d.]+ [nmu]?s +[\d.]+ [nmu]?s to [\d.]+ [nmu]?s$/m,
          ],
        };
        for (const row of [
          ...parts.flatMap((part) => rows[part]),
          new RegExp(`^${name} [\\d.]+; nodes are processes of this machine, on CPUs? `, "m"),
          /^Probe: the round trip of a cache line took /m,
        ]) {
          assert.match(output.text, row);
        }
      },
    );
  }
}

testUnless(
  test,
  cpus.length < 2 ? "fewer than two usable CPUs" : null,
  "without an MPI: exit code 3, and what to install",
  async () => {
    // nothing is found in an empty folder
    const env = { PATH: emptyFolder() };
    for (const [tool, packages] of [
      ["openmpi", "libopenmpi-dev openmpi-bin"],
      ["mpich", "libmpich-dev mpich"],
    ] as const) {
      const { code, stdout, stderr } = await cli(["bench", "mpi", "--mpi", tool, "--quick"], { env });
      assert.is(code, 3);
      assert.is(stdout, "");
      assert.match(stderr, "error ERR_TUNDISH_ENVIRONMENT: bench mpi needs an MPI with its compiler: ");
      assert.match(stderr, `apt-get install gcc ${packages}`);
    }
  },
);

test("our program on one node: what it measures, and that it is checked", async () => {
  const volume = { batches: 2, batchMs: 0.1 };
  const module = new URL("../../../packages/tundish-bench/src/mpi/bench-mpi.program.js", import.meta.url);
  const run = (args: MpiJob) => launchPooled<MpiAnswer>(module, { pes: 3, args });
  const [{ entries }] = await run({ kind: "collectives", volume });
  assert.equal(
    entries.map(({ name, what }) => [name, what]),
    COLLECTIVES.map((what) => ["tundish", what]),
  );
  const [of] = await run({ kind: "parts", parts: [8, 70_000], volume });
  assert.equal(
    of.entries.map(({ name, what }) => [name, what]),
    PARTS_UNDER.flatMap((discipline) => [8, 70_000].map((bytes) => [`tundish, ${discipline}`, partsText(bytes)])),
  );
  for (const size of [8, 16, 32, 128] as const) {
    const [{ entries }] = await run({ kind: "exchange", size, loads: [1, 50], volume });
    const expected = [1, 50].flatMap((load) => WAYS.map(({ name }) => [name, exchangeText(size, load)]));
    assert.equal(
      entries.map(({ name, what }) => [name, what]),
      expected,
    );
    for (const { samples, batch } of entries) assert.ok(batch > 0 && samples.length === 2);
  }
});

test("without an MPI, for programs: an EnvironmentError", async () => {
  const error = await failure(Starter.make({ name: "Open MPI", tcp: false, cpus, env: { PATH: folder } }));
  assert.instance(error, EnvironmentError);
  assert.match(error.message, "bench mpi needs an MPI");
});

for (const [args, message] of [
  [["--mpi", "lam"], /Allowed choices are openmpi, mpich/],
  [["--only", "all"], /Allowed choices are collectives, exchange, parts/],
  [["--sizes", "8,9"], /sizes: expected some of 8, 16, 32, 128, got 9/],
  [["--mpi", "mpich", "--tcp"], /tcp: expected Open MPI, got MPICH/],
  [["--turns", "0"], /Expected a whole number from 1 to 1000/],
  [["--cpus", "0,1"], /unknown option '--cpus'/],
] as [args: string[], message: RegExp][]) {
  test(`wrong usage: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(["bench", "mpi", ...args, "--quiet"]);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: /);
    assert.match(stderr, message);
  });
}

test.run();
