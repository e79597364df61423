/** `tundish bench`: both benchmarks from end to end, with few and short batches: shape and sense, not speed. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printCollectives } from "../../../packages/tundish-bench/src/cli/text/bench-text.ts";
import { printCrossovers } from "../../../packages/tundish-bench/src/cli/text/crossovers-text.ts";
import type { CollectivesBench } from "../../../packages/tundish-bench/src/collectives/bench-collectives.ts";
import type { CrossoversBench } from "../../../packages/tundish-bench/src/collectives/crossovers.ts";
import { findMpi, which } from "../../../packages/tundish-bench/src/peers/tools.ts";
import { TARGETS } from "../../../packages/tundish-bench/src/turns/targets.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { parseMachine } from "../../../src/machine/model/schema.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { cli, cliHere, emptyFolder, ended, model, startCli } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
const alone = usable.length < 2 ? "fewer than two usable CPUs" : null;
const lacking =
  alone ??
  (which("gcc", process.env) ? null : "gcc is not installed") ??
  ((await findMpi("Open MPI", process.env)) ? null : "Open MPI is not installed") ??
  ((await findMpi("MPICH", process.env)) ? null : "MPICH is not installed");

/** Done, or told that the machine did not hold still, as it may beside other tests. */
const report = (code: number | null): boolean => code === 0 || code === 4;

const ours = [
  ...["barrier", "broadcast 8 B", "broadcast 64 KiB", "broadcast 64 KiB, written and read", "broadcast 1 MiB"],
  ...["allreduce f64", "allreduce f64[8192]"],
  ...["alltoall 8 KiB", "alltoall 8 MiB", "alltoallv 1 MiB", "gather 128 KiB"],
];
const channelled = [
  ...["barrier", "broadcast f64", "reduce f64", "allreduce f64", "allreduce f64[14]"],
  "broadcast f64, one root",
];
const crowds = [4, 8, 16].map((pes) => `barrier, ${pes} PEs`);

type Document = CollectivesBench & { schema: string; node: string };

/** Whatever was measured has sense: positive, quartiles around the median, nobody twice at one thing. */
function assertSense({ measured, probe, turns, left, missing, targets }: Document): void {
  for (const { name, what, ns, low, high, batch, batches } of measured) {
    // a PE that waits may get no CPU time where others have it all
    const isPositive = what.startsWith("CPU time") ? ns >= 0 : ns > 0;
    assert.ok(isPositive && ns < 10e9 && low <= ns && ns <= high, `${name}: ${what} ${low} ${ns} ${high}`);
    assert.ok(batch >= 1 && batches >= 1);
  }
  const keys = measured.map(({ name, what, mode }) => `${name}: ${what}: ${mode}`);
  assert.is(new Set(keys).size, keys.length);
  assert.is(probe.length, 2 * (turns - left));
  assert.ok(probe.every((ns) => ns > 0));
  assert.ok(missing.every(({ name, reason }) => name !== "" && reason !== ""));
  assert.equal(
    [...new Set(targets.map(({ target }) => JSON.stringify(target)))],
    TARGETS.map((target) => JSON.stringify(target)),
  );
}

function printed(bench: CrossoversBench): Kept {
  const output = new Kept({});
  printCrossovers(bench, output);
  return output;
}

const whats = (document: Document, who: string): string[] => [
  ...new Set(document.measured.filter(({ name }) => name === who).map(({ what }) => what)),
];

const test = suite("cli bench");

/** What the first test has measured, for the second. */
let collectives: Document;

testUnless(
  test,
  alone,
  "collectives --json, without MPICH or any C library, in a mode that is never seen: exit code 4, and all is told",
  async () => {
    // nothing else is found in this folder, or no MPICH before the others
    const bin = emptyFolder();
    writeFileSync(join(bin, "mpicc.mpich"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const env = { PATH: lacking === null ? `${bin}${delimiter}${process.env.PATH}` : bin };
    const absent = lacking === null ? ["MPICH"] : ["C flags", "GOMP", "Open MPI", "Open MPI, yielding", "MPICH"];
    const args = ["bench", "collectives", ...SHORT, "--mode", "1", "--budget", "1", "--json"];
    const { code, stdout, stderr } = await cli(args, { env });
    assert.is(code, 4, stderr);
    const document = JSON.parse(stdout) as Document;
    collectives = document;
    assert.is(document.schema, "tundish/bench-collectives@1");
    assert.is(document.node, process.versions.node);
    assert.equal(document.cpus, usable.slice(0, 2));
    assert.is(document.stable, false);
    assertSense(document);
    assert.equal(
      [...new Set(document.channels.map(({ name, what }) => `${name} ${what}`))].sort(),
      ["ump", "fastforward"].flatMap((name) => channelled.map((what) => `${name} ${what}`)).sort(),
    );
    assert.ok(document.channels.every(({ ns }) => ns > 0));
    const own = whats(document, "tundish");
    for (const what of [...ours, ...crowds, "wake-up round trip"]) assert.ok(own.includes(what), what);
    for (const rival of ["postMessage", "SharedArrayBuffer counter, spinning"]) {
      assert.is(whats(document, rival).length, 1, rival);
    }
    const missing = new Map(document.missing.map(({ name, reason }) => [name, reason]));
    for (const peer of absent) assert.match(missing.get(peer) ?? "", "apt-get install");
    assert.equal(Object.keys(document.versions), lacking === null ? ["C flags", "GOMP", "Open MPI"] : []);
    const measured = new Set(document.measured.map(({ name }) => name));
    for (const { target, verdict, reached, rival } of document.targets) {
      if (target.rivals && !target.rivals.names.some((name) => measured.has(name))) {
        assert.equal([verdict, reached, rival], ["not measured", null, null]);
      } else if (target.rivals) {
        assert.ok((reached ?? 0) > 0 || verdict === "in different modes");
        assert.is.not(verdict, "not measured");
      }
    }
    assert.match(stderr, /^bench: turn 1$/m);
    assert.match(stderr, /^the machine did not stay in one mode/m);
  },
);

testUnless(test, lacking, "gcc, openmpi, mpich: collectives beside the C libraries, as text", () => {
  const output = new Kept({});
  printCollectives(collectives, output);
  const [targets, everything] = output.text.split(/^Everything measured, ns per operation$/m);
  assert.match(targets, /^Targets, 2 PEs on CPUs /);
  const lines = targets.trimEnd().split("\n").slice(2);
  assert.ok(lines.length >= TARGETS.length);
  for (const line of lines) {
    assert.match(line, /^ *([\d.]+ x +(reached|missed) +(\d+ ns|mixed)|- +in different modes +-) +\S.*: /);
  }
  assert.match(lines[0], "barrier: at most 1.15 x C flags");
  for (const row of [
    /^ *1\.00 x +(\d+ ns|mixed) +barrier +tundish +[\d.]+ +[\d.]+ to [\d.]+ +\d+ of \d+$/m,
    / +broadcast 1 MiB +Open MPI /m,
    / +barrier, 16 PEs +Open MPI, yielding /m,
    /^ *([\d.]+ x|-) +(\d+ ns|mixed) +allreduce f64 +([\d.]+ +[\d.]+ to [\d.]+|- +-) +([\d.]+ +[\d.]+ to [\d.]+|- +-)$/m,
    /^ *- +(\d+ ns|mixed) +ping-pong round trip +C flags /m,
    /^ *- +(\d+ ns|mixed) +reduction f64 +GOMP, active /m,
    /^Versions: C flags [\d.]+; GOMP [\d.]+; Open MPI [\d.]+\.$/m,
    /^Probe: the round trip of a cache line took [\d.]+ to [\d.]+ ns over \d+ turns/m,
  ]) {
    assert.match(everything, row);
  }
  const unmeasured = collectives.targets.filter(({ verdict }) => verdict === "not measured");
  assert.ok(unmeasured.every(({ target }) => target.rivals?.names.every((name) => name === "MPICH")));
});

testUnless(test, alone, "Ctrl-C in the middle: exit code 130", async () => {
  const child = startCli(["bench", "crossovers"]);
  const end = ended(child);
  const stderrOf = child.stderr as NonNullable<typeof child.stderr>;
  for (let said = ""; !said.includes("turn 1"); ) said += (await once(stderrOf, "data"))[0];
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  assert.is(code, 130, stderr);
  assert.is(stdout, "");
});

testUnless(test, alone, "crossovers -o: into the model, and from there into every decision", async () => {
  const cwd = emptyFolder();
  assert.is((await cliHere(["profile", "--guess", "-o", "machine.json"], { cwd })).code, 0);
  const before = JSON.parse(readFileSync(join(cwd, "machine.json"), "utf8")) as object;
  const args = ["bench", "crossovers", ...SHORT, "-q", "-o", "machine.json", "--json"];
  const { code, stdout, stderr } = await cli(args, { cwd });
  assert.ok(report(code), stderr);
  const bench = JSON.parse(stdout) as CrossoversBench & { schema: string };
  assert.is(bench.schema, "tundish/bench-crossovers@1");
  assert.equal(bench.cpus, usable);
  const sizes = [...new Set(bench.points.map(({ bytes }) => bytes))];
  assert.is(bench.points.length, 3 * 2 * sizes.length);
  for (const { call, times } of bench.points) {
    assert.is(times.length, call === "allreduce" ? 3 : 2);
    assert.ok(times.every(({ ns }) => ns > 0));
  }
  for (const bounds of [bench.crossovers, bench.byMemory.alloc, bench.byMemory.private]) {
    assert.equal(Object.keys(bounds), ["broadcast", "reduce", "allreduce"]);
    assert.ok(Object.values(bounds).every((bytes) => bytes === 0 || sizes.includes(bytes)));
  }
  const machine = parseMachine(JSON.parse(readFileSync(join(cwd, "machine.json"), "utf8")));
  assert.equal(machine, { ...before, crossovers: bench.crossovers });
  const { text } = printed(bench);
  assert.match(text, /^broadcast, arrays from pe\.alloc, \d+ PEs\nbytes +tree +single-copy +fastest, ns$/m);
  assert.match(text, /^allreduce, private arrays, \d+ PEs\nbytes +exchange +tree +scatter +fastest, ns$/m);
  assert.match(text, /^ *448 .*\b1\.00 x\b.* [\d.]+$/m);
  assert.match(text, /^reduce +\d+ +\d+ +\d+$/m);
  assert.match(text, /^Probe: /m);
  // numbers that no default has, so that it is seen where they come from
  const crossovers = { broadcast: 123, reduce: 4567, allreduce: 0 };
  const program = sibling("../../interface/cli/support/explain.program.js", import.meta.url);
  const explained = await launch(program, { pes: 2, machine: { ...machine, crossovers }, timeout: 20_000 });
  for (const text of explained.flat() as string[]) {
    assert.match(text, /^broadcast: tree up to 123 bytes, single-copy above/m);
    assert.match(text, /^reduce: tree up to 4567 bytes, scatter above/m);
    assert.match(text, /^allreduce: \w+ up to 0 bytes, scatter above/m);
  }
});

const wrong: [args: string[], message: RegExp][] = [
  [["colectives"], /unknown command 'colectives'\n\(Did you mean collectives\?\)/],
  [["collectives", "--cpus", "0,0"], /got 0 twice/],
  [["collectives", "--cpus", String(usable[0])], /cpus: expected two or more/],
  [["collectives", "--mode", "near"], /Expected a number of nanoseconds above 0/],
  [["collectives", "--turns", "0"], /Expected a whole number from 1 to 1000/],
  [["crossovers", "-o", "no/such/folder/machine.json"], /--output expected a file in a folder/],
];
for (const [args, message] of wrong) {
  test(`wrong usage: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(["bench", ...args, "--quiet"]);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: /);
    assert.match(stderr, message);
  });
}

test("crossovers for a model that is not there, or another machine's: exit code 2", async () => {
  for (const args of [
    ["-o", "missing.json"],
    ["--machine", model("c2c-amd-epyc-9754-128-core-processor")],
  ]) {
    const { code, stderr } = await cliHere(["bench", "crossovers", ...args]);
    assert.is(code, 2, stderr);
    assert.match(stderr, /tundish profile -o machine\.json/);
  }
});

test("bench alone tells what there is: exit code 2", async () => {
  const { code, stdout, stderr } = await cliHere(["bench"]);
  assert.is(code, 2);
  assert.is(stdout, "");
  assert.match(stderr, /collectives \[options\]/);
});

test.run();
