/** What the commands print with --json follows the schemas that the package has, and broken documents do not. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cli, cliHere, emptyFolder } from "../interface/cli/support/cli.ts";
import type { Loose } from "../support/broken-documents.ts";
import { fixture, root } from "../support/paths.ts";
import { faultsOf, names } from "./support/schemas.ts";

const test = suite("documents of the commands");
const machine = fixture("machines", "smelt-intel-xeon-e5-v2-2x10.json");

test("each schema says whose it is", () => {
  assert.equal(
    names.map((name) => JSON.parse(readFileSync(join(root, "schemas", name), "utf8")).title),
    names.map((name) => (name === "bench.json" ? "tundish/bench-*" : `tundish/${name.slice(0, -5)}@1`)),
  );
});

test("docs/formats.md has each", () => {
  const page = readFileSync(join(root, "docs/formats.md"), "utf8");
  for (const name of names) assert.match(page, new RegExp(`^\\| .*\\| \`${name}\` *\\|`, "m"));
});

/** Breaks a document so that its schema refuses it. */
type Break = (document: Loose) => unknown;
const entryOf = (document: Loose) => document.error as Loose;

/** Commands that print a document, the file of its schema, and faults that it refuses. */
const printed: [command: string, file: string, faults: Break[]][] = [
  [
    `tree ${machine} --cores 0-3`,
    "trees.json",
    [(d) => delete d.bound, (d) => Object.assign(d, { unit: "s" }), (d) => Object.assign(d, { more: 1 })],
  ],
  [
    `plan ${machine} --pes 8 --item-bytes 8 --load 1000`,
    "plan.json",
    [(d) => delete d.world, (d) => Object.assign(d, { schema: "tundish/plan@2" })],
  ],
  [
    `report ${machine}`,
    "report.json",
    [
      (d) => delete d.conveyors,
      (d) => Object.assign(d, { trees: {} }),
      (d) => delete (d.machine as Loose).send,
      (d) => Object.assign(d, { host: { absent: 1 } }),
    ],
  ],
  [
    "tree nothing.json",
    "error.json",
    [(d) => delete entryOf(d).code, (d) => Object.assign(entryOf(d), { exitCode: 0 })],
  ],
  ["walk", "error.json", [(d) => Object.assign(entryOf(d), { code: "EPERM" }), (d) => delete entryOf(d).causes]],
  [
    "bench plan --figure 5 --most-nodes 4 --load 16",
    "bench.json",
    [(d) => Object.assign(d, { schema: "tundish/bench-plan" }), (d) => delete d.schema],
  ],
];

function check(text: string, file: string, faults: readonly Break[]): Loose {
  const document = JSON.parse(text) as Loose;
  assert.is(faultsOf(file, document), "");
  for (const [i, fault] of faults.entries()) {
    const copy = structuredClone(document);
    fault(copy);
    assert.is.not(faultsOf(file, copy), "", `fault ${i} of ${file} is not noticed`);
  }
  return document;
}

for (const [command, file, faults] of printed) {
  test(`tundish ${command.replaceAll(`${root}/`, "")}`, async () => {
    check((await cliHere([...command.split(" "), "--json"])).stdout, file, faults);
  });
}

const PROGRAM = `import { spmd } from ${JSON.stringify(join(root, "dist/lib/index.js"))};
export default spmd((pe, [what]) => {
  if (what === "throw" && pe.rank === 1) throw new RangeError("too much");
  pe.barrier();
  return [pe.rank, 2n, new Uint8Array(2), undefined];
});
`;

test("tundish run, and its error", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "program.mjs"), PROGRAM);
  const run = (...args: string[]) => cli(["run", "program.mjs", "-n", "2", "--json", "--", ...args], { cwd });
  const { results } = check((await run()).stdout, "run.json", [
    (d) => delete d.results,
    (d) => Object.assign(d, { first: 0 }),
    (d) => Object.assign(d, { error: { code: null } }),
  ]);
  assert.equal(results, [
    [0, "2", [0, 0], null],
    [1, "2", [0, 0], null],
  ]);
  const failed = await run("throw");
  const { error } = check(failed.stdout, "error.json", [(d) => delete entryOf(d).message]) as {
    error: Loose;
  };
  assert.is(error.code, "ERR_TUNDISH_RANK_LOST");
  assert.is(error.exitCode, failed.code);
});

test("tundish simulate", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "program.mjs"), PROGRAM);
  const args = ["simulate", join(root, "dist/apps/stream.js"), "--pes", "8", "--nodes", "2"];
  const options = ["--args", '["--messages","5"]', "--json"];
  const faults: Break[] = [(d) => Object.assign(d, { time: "soon" }), (d) => delete d.conveyors];
  check((await cli([...args, ...options], { cwd })).stdout, "simulation.json", faults);
  const congested = ["--network", '{"like":"paragon","queue":4}'];
  const { network } = check((await cli([...args, ...options, ...congested], { cwd })).stdout, "simulation.json", [
    (d) => delete (d.network as Loose).link,
  ]);
  assert.ok(network);
});

test("tundish doctor", async () => {
  check((await cli(["doctor", "--json"])).stdout, "doctor.json", [
    (d) => delete d.usable,
    (d) => Object.assign((d.findings as Loose[])[0] as Loose, { state: "fine" }),
  ]);
});

test("tundish profile and start: the model is one, also within the document of start", async () => {
  const { stdout } = await cli(["profile", "--rounds", "100", "--budget", "1000", "--json"]);
  const model = check(stdout, "machine.json", [
    (d) => delete d.send,
    (d) => Object.assign(d, { pes: [] }),
    (d) => Object.assign(d, { unit: "s" }),
  ]);
  const { stdout: trees } = await cliHere(["tree", machine, "--cores", "0-3", "--json"]);
  const started = { schema: "tundish/start@1", machine: model, trees: JSON.parse(trees), comparison: {} };
  check(JSON.stringify(started), "start.json", [
    (d) => delete d.comparison,
    (d) => delete (d.machine as Loose).send,
    (d) => delete (d.trees as Loose).bound,
  ]);
});

test.run();
