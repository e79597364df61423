/** The programs in examples/: each gives the result of its serial form, however it is run, and says it when it does not. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Report } from "../../examples/support/example.ts";
import { findSpmd } from "../../src/pe/spmd.ts";
import { simulateAsync } from "../../src/simulate.ts";
import { makeHosts, whyNoHosts } from "../machine/mpi/hosts.ts";
import { startJob } from "../machine/mpi/job.ts";
import { launchOver } from "../machine/mpi/launch-over.ts";
import { KINDS, type Kind, mpirun, runLine, WORDS, whyNoMpi } from "../machine/mpi/launchers.ts";
import { LONG, rounds } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { shuffled } from "../support/sample.ts";
import { testUnless } from "../support/skip.ts";
import { launchPooled } from "../support/thread-pool.ts";
import { SMALL, type Small } from "./support/small.ts";
import { faultIn } from "./support/well-formed.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-examples-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const built = (name: string): string => join(root, "dist/examples", `${name}.js`);
const names = readdirSync(join(root, "dist/examples"))
  .filter((file) => file.endsWith(".js"))
  .map((file) => basename(file, ".js"));

/** Runs one on threads, without what times need only; all PEs but 0 return nothing. */
async function run(name: string, pes: number, ...args: string[]): Promise<Report> {
  const results = await launchPooled(pathToFileURL(built(name)), {
    pes,
    args: ["--warm", "0", ...args],
    waitTimeout: 60_000,
  });
  assert.ok(results.slice(1).every((other) => other === undefined));
  return results[0] as Report;
}

/** The error of the PE that ended a run. */
async function causeOf(name: string, ...args: string[]): Promise<Error & { readonly exitCode?: number }> {
  const error = await run(name, 2, ...args).then(
    () => assert.unreachable(),
    (thrown: Error) => thrown,
  );
  return (error as Error).cause as Error;
}

function checkPicture(file: string): void {
  const text = readFileSync(file, "utf8");
  assert.is(faultIn(text), undefined);
  assert.not.match(text, /NaN|Infinity|undefined|null/);
  assert.match(text, /<title>[^<]{10,}<\/title>/);
  assert.ok(text.length < 300_000, `${text.length} bytes`);
}

const all = suite("examples");

all("every file has a row of small input, and every row a file", () =>
  assert.equal(Object.keys(SMALL).sort(), names.sort()),
);

all("the first line of each says what it is, in one sentence", () => {
  for (const name of names) {
    const [line = ""] = readFileSync(join(root, "examples", `${name}.ts`), "utf8").split("\n");
    assert.match(line, /^\/\/ .{20,115}\.$/, name);
  }
});
all.run();

for (const [name, { args, sizes, draws }] of Object.entries(SMALL)) {
  const test = suite(`example ${name}`);
  for (const pes of [1, 2, 3]) {
    test(`${pes} PEs`, async () => {
      const report = await run(name, pes, ...args);
      assert.is(report.name, name);
      assert.is(report.pes, pes);
      assert.is(report.checked, true);
      for (const key of ["size", "seconds", "serialSeconds", "speedup"]) assert.ok((report[key] as number) > 0, key);
    });
  }

  test("a falsified result is an error with exit code 1", async () => {
    const { exitCode, message } = await causeOf(name, ...args, "--turns", "1", "--spoil");
    assert.is(exitCode, 1, message);
    assert.match(message, new RegExp(`^${name}: not the serial result at size \\d+: .`));
  });

  test("wrong options are an error with exit code 2 that says what was expected", async () => {
    for (const [wrong, message] of [
      [["--size", "0.5"], /^--size: expected a whole number from \d+ to \d+, got 0.5/],
      [["--no-such"], /^Unknown option '--no-such'\. Options: .*--size, .*--help/],
      [["--turns", "0"], /^--turns: expected a whole number from 1 to 1000, got 0/],
      [["--picture", "out.png"], /^--picture: expected a file \*\.svg, got out\.png/],
    ] as const) {
      const cause = await causeOf(name, ...wrong);
      assert.is(cause.exitCode, 2);
      assert.match(cause.message, message);
    }
  });

  test("several sizes, with the break-even and a picture of the times", async () => {
    const picture = join(folder, `${name}-sizes.svg`);
    const report = await run(name, 2, ...args, "--turns", "1", "--sizes", sizes, "--picture", picture);
    assert.equal(
      report.sizes?.map(({ size }) => size),
      sizes.split(",").map(Number),
    );
    const { breakEven = Number.NaN } = report;
    assert.ok(breakEven === null || sizes.split(",").map(Number).includes(breakEven));
    checkPicture(picture);
  });

  test(draws ? "a picture" : "no picture of one size", async () => {
    const picture = join(folder, `${name}.svg`);
    const words = [...args, "--turns", "1", "--picture", picture];
    if (draws) {
      await run(name, 2, ...words);
      checkPicture(picture);
    } else assert.is((await causeOf(name, ...words)).exitCode, 2);
  });
  test.run();
}

const files = suite("examples, their files");

files("one that cannot be written is refused before the run computes, and others stay as they are", async () => {
  const none = join(folder, "none");
  const old = join(folder, "old.svg");
  writeFileSync(old, "old");
  // would compute for minutes
  const sizes = ["--size", "3e6", "--turns", "1000"];
  for (const [name, option, file] of [
    ["k-means", "--picture", "out.svg"],
    ["page-rank", "--save", "out.json"],
  ] as const) {
    const cause = await causeOf(name, ...sizes, option, join(none, file));
    assert.is(cause.exitCode, 2);
    assert.match(cause.message, new RegExp(`^${option}: expected a file that can be written: ENOENT`));
  }
  await causeOf("page-rank", ...sizes, "--picture", old, "--save", join(none, "out.json"));
  assert.is(readFileSync(old, "utf8"), "old");
  const fresh = join(folder, "fresh.svg");
  await causeOf("page-rank", ...sizes, "--picture", fresh, "--save", join(none, "out.json"));
  assert.not(existsSync(fresh));
});

files("input from a file has its size: another one beside it is refused", async () => {
  for (const [name, option] of [
    ["page-rank", "--graph"],
    ["word-count", "--files"],
    ["image-histogram", "--file"],
  ] as const) {
    for (const size of ["--size", "--sizes"]) {
      const cause = await causeOf(name, option, "input", size, "20");
      assert.is(cause.exitCode, 2);
      assert.match(cause.message, new RegExp(`^${option}: expected no ${size} beside it, `));
    }
  }
});

files("a wrong result of files names their size", async () => {
  const text = join(folder, "four.txt");
  writeFileSync(text, "one two two two");
  const { message } = await causeOf("word-count", "--files", text, "--spoil");
  assert.match(message, /^word-count: not the serial result at size 4: /);
});
files.run();

const ways = suite("examples, ways to run them");
const exec = promisify(execFile);
interface Failed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
const failing = (command: readonly string[]): Promise<Failed> =>
  exec(process.execPath, command, { timeout: 60_000 }).then(
    () => assert.unreachable() as never,
    (error: Failed) => error,
  );
const first = SMALL["k-means"] as Small;

ways("by tsx: lines; built: one object for --json", async () => {
  const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
  const source = join(root, "examples/k-means.ts");
  const lines = await exec(process.execPath, [tsx, source, ...first.args], { timeout: 60_000 });
  assert.match(lines.stdout, /^k-means on \d+ PEs: size 1000: .*one thread .* ratio \d+\.\d\d\n/);
  assert.is(lines.stderr, "");
  const json = await exec(process.execPath, [built("k-means"), ...first.args, "--json"], { timeout: 60_000 });
  assert.is((JSON.parse(json.stdout) as Report).checked, true);
});

ways("a process: exit code 2 and one line for wrong options, 1 for a wrong result, usage for --help", async () => {
  const wrong = await failing([built("k-means"), "--size", "many"]);
  assert.equal([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /^--size: expected a whole number from \d+ to \d+, got many.*\n$/);
  const spoilt = await failing([built("k-means"), ...first.args, "--spoil"]);
  assert.equal([spoilt.code, spoilt.stdout], [1, ""]);
  assert.match(spoilt.stderr, /^k-means: not the serial result .*\n$/);
  const { stdout } = await exec(process.execPath, [built("k-means"), "--help"], { timeout: 60_000 });
  assert.match(stdout, /^Usage: npx tsx k-means\.ts \[options\]\n {2}--size <value> .*--help +prints this\n$/s);
});

ways("by tundish run and tundish simulate, which import the file and start no run of its own", async () => {
  const tundish = join(root, "dist/lib/main.js");
  const args = ["--size", "300", "--turns", "1"];
  const run = [tundish, "run", built("k-means"), "-n", "2", "--", ...args];
  const threads = await exec(process.execPath, run, { timeout: 60_000 });
  assert.match(threads.stdout, /^0: \{ name: 'k-means', pes: 2, size: 300, .* checked: true \}\n$/);
  const simulate = [tundish, "simulate", built("k-means"), "--pes", "16", "--args", JSON.stringify(args)];
  const virtual = await exec(process.execPath, simulate, { timeout: 60_000 });
  assert.match(virtual.stdout, /^0: \{ name: 'k-means', pes: 16, size: 300, .* checked: true \}\n\n16 PEs on 1 node: /);
  const wrong = await failing([...run, "--size", "0"]);
  assert.is(wrong.code, 2);
  assert.match(wrong.stderr, /^error ERR_TUNDISH_USAGE: --size: expected a whole number .*\n$/);
});

const VIRTUAL = rounds(16, 256);
for (const [name, { args, virtual }] of Object.entries(SMALL)) {
  if (virtual === null) continue;
  ways(`${name} on ${VIRTUAL} virtual PEs of 4 nodes`, async () => {
    const program = findSpmd(await import(pathToFileURL(built(name)).href));
    assert.ok(program);
    const words = [...args, ...virtual, "--turns", "1", "--warm", "0"];
    const { results } = await simulateAsync({ pes: VIRTUAL, nodes: 4, args: words }, program as never);
    const [report, ...others] = results as Report[];
    assert.equal([report.name, report.pes, report.checked], [name, VIRTUAL, true]);
    assert.ok((report.seconds as number) > 0);
    assert.ok(others.every((other) => other === undefined));
  });
}

const noHosts = await whyNoHosts();
const jobs = Object.entries(SMALL).filter(([, { isJob = true }]) => isJob);
// two by each of the MPIs, as what they do between nodes is played on virtual PEs above; in the long run all by both
for (const [i, [name, { args }]] of (LONG ? jobs : shuffled(jobs, "jobs").slice(0, 4)).entries()) {
  for (const kind of KINDS.filter((_, k) => LONG || k === i % KINDS.length)) {
    testUnless(ways, noHosts ?? whyNoMpi(kind), `${name} on two hosts (${WORDS[kind]})`, async () => {
      await using hosts = makeHosts(2);
      const job = startJob(hosts, launchOver(hosts, kind, 1, 1), [
        process.execPath,
        built(name),
        ...args,
        "--warm",
        "0",
        "--json",
      ]);
      const { code, text, left } = await job.ended;
      assert.is(code, 0, text);
      assert.equal(left, []);
      assert.is(job.said.length, 1, text);
      assert.equal([job.said[0]?.name, job.said[0]?.checked], [name, true]);
      assert.ok((job.said[0]?.pes as number) >= 2);
    });
  }
}

const [someKind] = KINDS.filter((kind) => whyNoMpi(kind) === null);
testUnless(ways, someKind ? null : whyNoMpi(...KINDS), "wrong options over nodes: said once", async () => {
  const command = [process.execPath, built("k-means"), "--size", "many"];
  for (const kind of LONG ? KINDS : [someKind as Kind]) {
    const { code, text } = await runLine([...mpirun(kind, 2), ...command]);
    assert.is(code, 2, text);
    assert.is(text.split("--size: expected").length, 2, text);
  }
});
ways.run();
