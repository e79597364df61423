/** `tundish report`: of models in files and of this machine, as pages and documents, and what it refuses. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isAbsent, type ReportDocument } from "../../../src/interface/report/document.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { faultsOf } from "../../schemas/support/schemas.ts";
import { testUnless } from "../../support/skip.ts";
import { cli, cliHere, codeOf, emptyFolder, model, startCli } from "./support/cli.ts";

const test = suite("cli report");
const tiny = model("smelt-hist-brie");
const name = (JSON.parse(readFileSync(tiny, "utf8")) as { name: string }).name;
const cores = usableCpus(await readTopology()).length;
const alone = cores < 2 ? "one CPU: no PE to send to" : null;

const CALLS = ["broadcast", "reduce", "allreduce", "alltoall", "gather"];

/** The model of the report that was measured. */
let profiled = "";

function documentIn(text: string): ReportDocument {
  const report = JSON.parse(text) as ReportDocument;
  assert.is(faultsOf("report.json", report), "");
  return report;
}

test("a page and a document of a model of another machine: nothing is measured", async () => {
  const cwd = emptyFolder();
  const page = await cliHere(["report", tiny], { cwd });
  assert.is(page.code, 0, page.stderr);
  assert.match(page.stderr, /^report: search for trees\nwrote report\.html\n$/);
  assert.is(page.stdout, "");
  assert.ok(readFileSync(join(cwd, "report.html"), "utf8").includes(name));
  const { code, stdout, stderr } = await cliHere(["report", tiny, "--json", "--quiet", "--title", "a <b>"], {
    cwd,
  });
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  const report = documentIn(stdout);
  assert.equal([report.title, report.origin], ["a <b>", "file"]);
  assert.is(report.command, `tundish report ${tiny} --title 'a <b>'`);
  assert.match(isAbsent(report.collectives) ? report.collectives.absent : "", /does not say which machine/);
});

test("-o x.json, then --from it; - is stdin and stdout", async () => {
  const cwd = emptyFolder();
  assert.is((await cliHere(["report", tiny, "-o", "x.json", "--nodes", "2"], { cwd })).code, 0);
  const text = readFileSync(join(cwd, "x.json"), "utf8");
  assert.is(isAbsent(documentIn(text).nodes), false);
  const again = await cliHere(["report", "--from", "x.json", "-o", "again.html"], { cwd });
  assert.is(again.code, 0, again.stderr);
  const page = readFileSync(join(cwd, "again.html"), "utf8");
  const piped = await cli(["report", "--from", "-", "-o", "-"], { cwd, input: text });
  assert.equal([piped.code, piped.stderr], [0, ""]);
  assert.is(piped.stdout.trimEnd(), page.trimEnd());
  const named = await cliHere(["report", "--from", "x.json", "--title", "Other", "--json"], { cwd });
  assert.is(documentIn(named.stdout).title, "Other");
  const model = await cli(["report", "-", "--json"], { cwd, input: readFileSync(tiny, "utf8") });
  assert.is(documentIn(model.stdout).title, name);
  assert.not(existsSync(join(cwd, "report.html")), "with --json nothing is written");
});

test("costs between nodes that were given are said to be given; in another place they are told of", async () => {
  const cwd = emptyFolder();
  const machine = JSON.parse(readFileSync(tiny, "utf8")) as object;
  const costs = { alpha: 2000, beta: 0.3 };
  writeFileSync(join(cwd, "under.json"), JSON.stringify({ ...machine, internode: costs }));
  writeFileSync(join(cwd, "above.json"), JSON.stringify({ ...machine, ...costs }));
  const under = await cliHere(["report", "under.json", "-o", "-"], { cwd });
  assert.match(under.stdout, /between nodes, given by the model, a message of m bytes takes/);
  assert.match(under.stdout, /alpha \+ beta m, as given by the model/);
  assert.not.match(under.stderr, /has no effect/);
  const above = await cliHere(["report", "above.json", "-o", "-"], { cwd });
  assert.is(above.code, 0, above.stderr);
  assert.match(above.stderr, /above\.json: alpha has no effect here[^\n]*internode/);
});

test("without a model and a measurement this machine is guessed", async () => {
  const { code, stdout, stderr } = await cliHere(["report", "--no-measure", "--json"]);
  assert.is(code, 0, stderr);
  assert.match(stderr, /no machine\.json here\. The model of this machine is guessed/);
  const report = documentIn(stdout);
  assert.is(report.origin, "guessed");
  assert.not(isAbsent(report.topology));
  assert.not(isAbsent(report.host));
  assert.equal(report.conveyors, { absent: "Nothing was measured: --no-measure." });
});

testUnless(test, alone, "without a model this machine is profiled, then measured", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cli(["report", "--quick", "-o", "r.html", "--json"], { cwd });
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    /^no machine\.json here\. Profiling[\s\S]*^profile: [\s\S]*^report: conveyors[\s\S]*^wrote r\.html$/m,
  );
  const report = documentIn(stdout);
  assert.is(report.origin, "measured");
  const { conditions, predictions, collectives, starts, conveyors } = report;
  if (isAbsent(conditions) || isAbsent(predictions) || isAbsent(collectives) || isAbsent(conveyors))
    throw new Error(`expected all measured parts, got ${stdout}`);
  assert.equal(
    [...new Set(conditions.probes.map(({ part }) => part))],
    ["trees", "collectives", "starts", "conveyors"],
  );
  assert.ok(
    conditions.probes.every(({ at }, i, all) => at >= (all[i - 1]?.at ?? 0)),
    "in their order",
  );
  assert.ok(conditions.warnings.some((line) => line.includes("--quick")));
  assert.ok(predictions.times.some(({ operation, algorithm }) => operation === "reduce" && algorithm === "adaptive"));
  assert.equal([collectives.missing, conveyors.missing], [[], []]);
  if (starts === undefined || isAbsent(starts)) throw new Error(`expected starts, got ${stdout}`);
  const counts = [...new Set([2, 4, cores])].filter((pes) => pes <= cores);
  assert.equal(
    starts.times.map(({ call, pes }) => `${call} ${pes}`),
    counts.flatMap((pes) => [`launch ${pes}`, `run ${pes}`]),
  );
  const calls = (name: string, pes: number) =>
    collectives.times
      .filter((one) => one.name.startsWith(name) && one.pes === pes)
      .map(({ call, bytes }) => `${call} ${bytes}`);
  const all = [8, 4096].flatMap((bytes) => CALLS.map((c) => `${c} ${bytes}`));
  assert.equal(calls("tundish", cores), ["barrier 0", ...all]);
  assert.equal(calls("tundish", 2 * cores), ["barrier 0", ...all]);
  assert.equal(calls("tundish", 4 * cores), ["barrier 0", ...all.slice(0, CALLS.length)]);
  assert.equal(calls("postMessage", 2), ["broadcast 8", "broadcast 4096"]);
  assert.equal(calls("SharedArrayBuffer", cores), ["barrier 0", "barrier 0"]);
  for (const { ns, low, high } of collectives.times) assert.ok(ns > 0 && low <= ns && ns <= high);
  assert.equal(
    conveyors.times.filter(({ what }) => what === `8 B, ${cores} PEs`).map((one) => one.name),
    [
      ...["item-wise", "batch-wise", "run"].map((way) => `tundish, ${way}`),
      ...["a message for each item", "a message for 1000 items"].map((way) => `postMessage, ${way}`),
      "SharedArrayBuffer queue",
    ],
  );
  assert.not(existsSync(join(cwd, "machine.json")), "the profile belongs to the report");
  profiled = JSON.stringify(report.machine);
});

testUnless(test, alone, "Ctrl-C ends it, with its threads, and nothing is written", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "machine.json"), profiled);
  const child = startCli(["report", "--quick"], { cwd });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let stderr = "";
  child.stderr?.on("data", (text: Buffer) => {
    const before = stderr;
    stderr += text;
    // while worlds are measured
    const stage = "report: collectives";
    if (stderr.includes(stage) && !before.includes(stage)) child.kill("SIGINT");
  });
  assert.is(await ended, 130, stderr);
  assert.match(stderr, /^machine model: machine\.json\n/);
  assert.match(stderr, /interrupted: ending the threads[\s\S]*ERR_TUNDISH_ABORTED/);
  assert.not(existsSync(join(cwd, "report.html")));
});

const refused: [args: string[], told: RegExp][] = [
  [["none.json"], /none\.json: expected a machine model, but it cannot be read/],
  [["bad.json"], /bad\.json: .*expected/],
  [[tiny, "-o", "nowhere/report.html"], /--output expected a file in a folder that can be written to/],
  [[tiny, "--measure"], /--measure: cannot measure: the model does not say which machine it is of/],
  [[tiny, "-o", "-", "--json"], /stdout takes one of --json and --output -/],
  [[tiny, "--measure", "--no-measure"], /expected one of --measure and --no-measure, got both/],
  [[tiny, "--no-measure", "--measure"], /expected one of --measure and --no-measure, got both/],
  ...(existsSync("/proc/self")
    ? [[[tiny, "-o", "/proc/report.html"], /--output expected a file in a folder/] as [string[], RegExp]]
    : []),
  [["bad.json", "-o", "bad.json"], /--output expected a file of its own/],
  [[tiny, "--from", "bad.json"], /--from has a model of its own: expected no FILE/],
  [["--from", "bad.json", "--item-bytes", "8"], /--item-bytes is for a report that is made now/],
  [["--from", "bad.json"], /bad\.json: schema: expected "tundish\/report@1"/],
  [[tiny, "--item-bytes", "1T"], /--item-bytes/],
  [[tiny, "--pages"], /unknown option '--pages'/],
];
test("what it refuses, with exit code 2, and before anything is written", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "bad.json"), '{"schema":"tundish/machine@1"}');
  for (const [args, told] of refused) {
    const { code, stdout, stderr } = await cliHere(["report", ...args], { cwd });
    assert.is(code, 2, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, told);
    if (args.includes("--json")) assert.is(codeOf(stdout), "ERR_TUNDISH_USAGE");
  }
  assert.not(existsSync(join(cwd, "report.html")));
});

test.run();
