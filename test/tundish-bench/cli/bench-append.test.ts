/** `tundish bench append`: the C programs, the command from end to end, what follows from figures; shape and sense, not speed. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runChild } from "../../../microbench/launch/child.ts";
import { appendSvg } from "../../../packages/tundish-bench/src/append/figures-svg.ts";
import {
  type AppendSamples,
  FULL,
  loadsOf,
  loadsText,
  partsOf,
  QUICK,
  roomFor,
  SIZES,
  WRITERS,
  whatText,
  writersOf,
} from "../../../packages/tundish-bench/src/append/jobs.ts";
import type { AppendBench, AppendMeasured } from "../../../packages/tundish-bench/src/append/measured.ts";
import {
  type AppendTarget,
  rivalOf,
  type Share,
  sharesOf,
  targetsOf,
} from "../../../packages/tundish-bench/src/append/results.ts";
import { checkRecords } from "../../../packages/tundish-bench/src/append/span.ts";
import { printAppend } from "../../../packages/tundish-bench/src/cli/text/bench-append-text.ts";
import { COMPILE, sourceOf } from "../../../packages/tundish-bench/src/peers/build.ts";
import { parseSamples } from "../../../packages/tundish-bench/src/peers/peers.ts";
import { cli, cliHere, emptyFolder } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { type Kind, mpiOf, mpirun, ROOT } from "../../machine/mpi/launchers.ts";
import { LONG } from "../../support/long.ts";
import { testUnless } from "../../support/skip.ts";
import { both, clean, compiler, cpus, failure, gcc, LIMIT_MS } from "../peers-here.ts";
import { SHORT } from "../short.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-bench-append-"));
const test = suite("cli bench append");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const alone = cpus.length < 2 ? "fewer than two usable CPUs" : null;
const list = cpus.join();

/** A compiled program; its warnings are errors. */
async function compiled(tool: string, source: string, ...options: string[]): Promise<string> {
  const program = join(folder, `${source}-${tool.replaceAll("/", "")}${options.length}`);
  if (existsSync(program)) return program;
  const args = [...COMPILE, "-Werror", ...options, sourceOf(source), "-o", program];
  await runChild(tool, args, { env: clean, deadlineMs: LIMIT_MS });
  return program;
}
const run = async (...[file, ...args]: [string, ...string[]]): Promise<string> =>
  (await runChild(file, args, { env: { ...clean, ...ROOT }, deadlineMs: LIMIT_MS })).stdout;

testUnless(test, gcc, "gcc: append.c checks itself, with threads that share CPUs too", async () => {
  const program = await compiled("gcc", "append.c", "-pthread");
  for (const writers of [1, 2, 5]) {
    const all = parseSamples<AppendSamples>(await run(program, "2", list, `${writers}`, "8:300,1000:7"), "C");
    const whats = [8, 1000].flatMap((bytes) =>
      ["C", "C, add alone"].flatMap((name) =>
        (writers > 1 ? [false, true] : [false]).map((isAlone) => [name, whatText(bytes, writers, isAlone)]),
      ),
    );
    assert.equal(
      all.map(({ name, what }) => [name, what]),
      whats,
    );
    for (const { what, batch, samples } of all) {
      assert.is(batch, writers * (partsOf(what).bytes === 8 ? 300 : 7));
      assert.ok(samples.length === 2 && samples.every((ns) => ns > 0), what);
    }
  }
});

testUnless(test, gcc, "gcc: append.c notices lost bytes, and refuses wrong arguments", async () => {
  // a copy that leaves out the last byte
  const lossy = join(folder, "lossy.h");
  writeFileSync(
    lossy,
    "#define _GNU_SOURCE\n#include <string.h>\n#define memcpy(to, from, n) memcpy(to, from, (n) - 1)\n",
  );
  const torn = await compiled("gcc", "append.c", "-pthread", "-include", lossy);
  const wrong = await failure(run(torn, "2", list, "2", "64:100"));
  assert.match(wrong.message, "append: wrong: a record is not as it was pushed");
  const program = await compiled("gcc", "append.c", "-pthread");
  for (const args of [
    ["0", list, "2", "8:1"],
    ["2", "0,0", "2", "8:1"],
    ["2", list, "65", "8:1"],
    ["2", list, "2", "8"],
    ["2", list, "2", "8:1,"],
    ["2", list, "2", "8:200000000"],
    ["2", list, "2"],
  ]) {
    assert.match((await failure(run(program, ...args))).message, "append: expected BATCHES", args.join(" "));
  }
});

/** In a plain run one library, whose jobs are fewer. */
const MEASURED: readonly Kind[] = LONG ? ["Open MPI", "MPICH"] : ["MPICH"];
for (const [name, tool, missing] of both) {
  if (!MEASURED.includes(name)) continue;
  testUnless(test, missing, `gcc, ${tool}: nodes-append.c checks itself, and notices lost bytes`, async () => {
    const mpicc = mpiOf(name).compiler as string;
    const start = (ranks: number, program: string, ...args: string[]) =>
      run(...(mpirun(name, ranks, name === "MPICH" ? [] : undefined) as [string]), program, ...args);
    const program = await compiled(mpicc, "nodes-append.c");
    for (const ranks of LONG ? [2, 3] : [2]) {
      const all = parseSamples<AppendSamples>(await start(ranks, program, "2", list, "8:250,5000:100"), "C");
      assert.equal(
        all.map((one) => [one.name, one.what, one.batch]),
        [8, 5000].flatMap((bytes) =>
          [1, ranks].flatMap((writers) =>
            ["C", "C, 100 at a time"].map((who) => [
              who,
              whatText(bytes, writers),
              writers * (bytes === 8 ? 250 : 100),
            ]),
          ),
        ),
      );
    }
    const lossy = join(folder, "lossy-put.h");
    writeFileSync(
      lossy,
      "#define _GNU_SOURCE\n#include <mpi.h>\n#define MPI_Put(a, n, t, r, at, m, u, w) MPI_Put(a, (n) - 1, t, r, at, (m) - 1, u, w)\n",
    );
    const torn = await compiled(mpicc, "nodes-append.c", "-include", lossy);
    const { message } = await failure(start(2, torn, "1", list, "64:100"));
    assert.match(message, /wrong result at rank \d of 2: a record is not as it was pushed/);
    assert.match((await failure(run(program, "2", list, "8"))).message, "nodes-append: expected BATCHES");
  });
}

type Document = AppendBench & {
  readonly schema: string;
  readonly targets: readonly AppendTarget[];
  readonly shares: readonly Share[];
};

/** Runs the command; what all results have in common. */
async function measure(...args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await cli(["bench", "append", ...SHORT, "--json", ...args]);
  assert.is(code, 0, stderr);
  const document = JSON.parse(stdout) as Document;
  assert.is(document.schema, "tundish/bench-append@1");
  assert.equal(document.cpus, cpus);
  assert.is(document.probe.length, 2 * (document.turns - document.left));
  for (const one of document.measured) {
    const { ns, low, high, batch, batches, what } = one;
    assert.ok(ns > 0 && low <= ns && ns <= high && batch > 0 && batches > 0, what);
    assert.is(whatText(one.bytes, one.writers, one.isAlone), what);
  }
  return document;
}

const PUSHES = ["push", "push from the heap", "push, truncate", "push from the heap, truncate"];

testUnless(test, alone, "on threads: every way by every number of writers, as JSON, text and SVG", async () => {
  const svg = join(folder, "threads.svg");
  const writers = LONG ? WRITERS : [1, 3];
  const sizes = LONG ? SIZES : [8, 5000];
  const document = await measure(
    ...["--only", "threads", "--sizes", sizes.join(), "--writers", writers.join(), "--svg", svg],
  );
  const { measured, shares, targets, missing } = document;
  assert.equal(missing.length, compiler === null ? 0 : 1);
  const inC = compiler === null ? ["C", "C, add alone"] : [];
  const one = [...PUSHES, "Atomics.add and set"];
  for (const count of writers) {
    for (const bytes of sizes) {
      const names = (isAlone: boolean) =>
        measured
          .filter((x) => x.bytes === bytes && x.writers === count && x.isAlone === isAlone)
          .map(({ name }) => name);
      assert.equal(names(false), [...inC, ...one, "conveyor", "alltoallv"]);
      assert.equal(names(true), count > 1 ? [...inC, ...one] : []);
    }
  }
  assert.is(shares.length, measured.filter(({ isAlone }) => isAlone).length);
  assert.ok(shares.every(({ share }) => share > 0 && Number.isFinite(share)));
  assert.is(targets.length, 2);
  const drawing = readFileSync(svg, "utf8");
  for (const name of PUSHES) assert.ok(drawing.includes(`>${name}</text>`));
  const output = new Kept({});
  printAppend(document, document, output);
  for (const row of [
    /^Threads, 1 writer: time of a push by that of an atomic addition and a copy in C$/m,
    /^how +8 B( +16 B)? .*/m,
    ...(compiler === null ? [/^C +1\.00 x +1\.00 x/m] : []),
    /^push from the heap, truncate( +[\d.]+)+$/m,
    /^3 writers +push( +[\d.]+ x)+$|^8 writers +push( +[\d.]+ x)+$/m,
    /^Versions: /m,
    /^Probe: the round trip of a cache line took /m,
  ]) {
    assert.match(output.text, row);
  }
});

for (const [name, tool, missing] of both) {
  if (!MEASURED.includes(name)) continue;
  testUnless(test, missing, `${tool}: over two nodes, every transport beside the C program`, async () => {
    const document = await measure("--only", "mpi", "--mpi", tool, "--sizes", LONG ? "8,5000" : "8");
    const { measured, missing: absent, versions } = document;
    assert.equal(absent, []);
    assert.is(versions[name], mpiOf(name).version);
    const places = name === "MPICH" ? [name] : [name, `${name}, TCP`];
    for (const where of places) {
      const isTcp = where.endsWith("TCP");
      const kinds = [...(isTcp ? [] : ["sender"]), ...["receiver", "conveyor", "C"], ...(isTcp ? ["C, UCX"] : [])];
      for (const writers of [1, 2]) {
        const here = measured.filter((one) => one.where === where && one.writers === writers);
        assert.equal(
          here.filter(({ bytes }) => bytes === 8).map((one) => one.name),
          kinds.flatMap((kind) => [kind, `${kind}, 100 at a time`]),
        );
        for (const one of here) assert.is.not(rivalOf(measured, one), null);
      }
    }
    const output = new Kept({});
    printAppend(document, document, output);
    assert.match(output.text, `${name}, 2 writers: how many times faster than MPI_Fetch_and_op and MPI_Put`);
    assert.match(output.text, /^conveyor, 100 at a time +[\d.]+ x/m);
    assert.not.match(output.text, /^Targets$/m);
  });
}

/** A measurement as the command gives it. */
const figure = (name: string, bytes: number, writers: number, ns: number, more = {}): AppendMeasured => ({
  ...{ name, bytes, writers, ns, low: ns, high: ns, where: "threads", isAlone: false, batch: 1, batches: 1 },
  what: "",
  ...more,
});

test("targets: the worst of small pushes by two writers, and of all sizes by eight", () => {
  const measured = [
    ...[8, 64, 256].flatMap((bytes) => [
      figure("C", bytes, 2, 100),
      figure("C, add alone", bytes, 2, 10),
      figure("push", bytes, 2, bytes === 256 ? 900 : 100 + bytes),
      figure("conveyor", bytes, 2, 5000),
    ]),
    figure("push", 8, 8, 60),
    // of two CPUs: all take 30 a push, and by themselves 25
    figure("push", 8, 8, 25, { isAlone: true }),
    figure("C", 8, 8, 500),
    figure("C", 8, 8, 5, { isAlone: true }),
  ];
  const [small, eight] = targetsOf({ measured, cpus: [0, 1] });
  assert.equal([small.reached, small.at, small.isReached], [1.64, "push, 64 B", false]);
  assert.equal([eight.reached, eight.at, eight.isReached], [1.2, "push, 8 B", true]);
  assert.equal(
    sharesOf({ measured, cpus: [0, 1, 2, 3] }).map(({ share }) => share),
    [0.6, 25],
  );
  const [none] = targetsOf({ measured: [], cpus: [0, 1] });
  assert.equal([none.reached, none.isReached], [null, false]);
});

test("the rival over nodes is the fastest C program that waits as often", () => {
  const more = { where: "Open MPI, TCP" };
  const measured = [
    figure("C", 8, 1, 50, more),
    figure("C, UCX", 8, 1, 40, more),
    figure("C, 100 at a time", 8, 1, 5, more),
    figure("C, UCX, 100 at a time", 8, 1, 6, more),
    figure("C", 8, 1, 1),
    figure("receiver", 8, 1, 20, more),
    figure("receiver, 100 at a time", 8, 1, 20, more),
    figure("receiver", 16, 1, 20, more),
  ];
  assert.equal(
    measured.slice(5).map((one) => rivalOf(measured, one)?.name),
    ["C, UCX", "C, 100 at a time", undefined],
  );
});

test("the drawing: a row for each place, and curves of what is there", () => {
  const svg = appendSvg([
    ...[8, 64].flatMap((bytes) => [figure("C", bytes, 2, 10), figure("push", bytes, 2, 20)]),
    figure("push", 8, 8, 20),
    figure("receiver", 8, 1, 20, { where: "MPICH" }),
  ]);
  assert.match(svg, /^<svg [^>]*viewBox="0 0 1150 600"[\s\S]*<\/svg>\n$/);
  assert.is(svg.match(/<polyline/g)?.length, 2 + 1 + 1);
  assert.match(svg, "MPICH, 1 writer: factor over C: not measured");
  assert.not.match(svg, /NaN|Infinity|undefined/);
  assert.not.match(appendSvg([]), /NaN|Infinity/);
});

test("loads: what all writers push fits into the buffer, and each pushes something", () => {
  for (const volume of [FULL, QUICK].flatMap((all) => Object.values(all))) {
    for (const writers of [...WRITERS, 64]) {
      const loads = loadsOf(SIZES, writers, volume);
      assert.ok(loads.every(({ pushes }) => Number.isInteger(pushes) && pushes >= 1));
      assert.ok(roomFor(loads, writers) <= 2 ** 23, `${writers} writers`);
    }
  }
  assert.is(loadsText(loadsOf([8, 65_536], 2, FULL.threads)), "8:32768,65536:32");
  assert.equal(writersOf(1), [1]);
  assert.equal(writersOf(3), [0, 1, 2]);
});

test("records that are torn, missing, too many or of nobody are noticed", () => {
  const load = { bytes: 2, pushes: 2 };
  const good = [1, 1, 2, 2, 2, 2, 1, 1];
  const check = (...parts: number[][]) =>
    checkRecords(
      parts.map((part) => Uint8Array.from(part)),
      load,
      [0, 1],
    );
  check(good);
  check(good.slice(0, 4), good.slice(4));
  for (const bad of [[...good, 1, 1], good.slice(2), [1, 2, 2, 1, 2, 2, 1, 1], [1, 1, 2, 2, 2, 2, 3, 3]])
    assert.throws(() => check(bad));
});

testUnless(test, alone, "without what was asked for: exit code 3, and what to install", async () => {
  const env = { PATH: emptyFolder() };
  const { code, stderr } = await cli(["bench", "append", "--only", "mpi", "--quick"], { env });
  assert.is(code, 3);
  assert.match(
    stderr,
    "error ERR_TUNDISH_ENVIRONMENT: bench append: nothing can be measured: bench append needs an MPI",
  );
});

for (const [args, message] of [
  [["--mpi", "lam"], /Allowed choices are openmpi, mpich/],
  [["--only", "all"], /Allowed choices are threads, mpi/],
  [["--sizes", "8,0"], /sizes: expected whole numbers from 1 to 1048576, got 0/],
  [["--writers", "65"], /writers: expected whole numbers from 1 to 64, got 65/],
  [["--only", "mpi", "--mpi", "mpich", "--tcp"], /tcp: expected Open MPI, got MPICH/],
  [["--svg", "no/such/folder/a.svg"], /--svg expected a file in a folder/],
  [["--cpus", "0"], /cpus: expected two or more/],
] as [args: string[], message: RegExp][]) {
  testUnless(test, alone, `wrong usage: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(["bench", "append", ...args, "--quiet"]);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: /);
    assert.match(stderr, message);
  });
}

test.run();
