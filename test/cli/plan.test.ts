/** `tundish plan` and `tundish bench plan`: the text, the documents, what is forced, and what is wrong. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cli, cliHere, model } from "./support/cli.ts";

const test = suite("cli plan");
const node = model("c2c-aws-graviton3");
const load = ["--item-bytes", "16", "--load", "1000"];

test("the choice, its buffers, and why others lose", async () => {
  const { code, stdout, stderr } = await cli([
    "plan",
    node,
    "--nodes",
    "8",
    "--pes",
    "128",
    "--max-bytes",
    "64K",
    ...load,
  ]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  const lines = stdout.trimEnd().split("\n");
  assert.is(lines[0], "1000 items of 16 B from each of 128 PEs on 8 nodes, at most 64 KiB a PE:");
  assert.match(lines[1] as string, /^tensor, 3 hops in groups of 8, .* \(the best of \d+\)$/);
  assert.match(lines[2] as string, /^ {2}hop 1: [\d.]+ buffers to 8 PEs, \d+ % full$/);
  assert.match(stdout, /\n {2}groups of 8: parts of the nodes\n/);
  assert.match(stdout, /\nnot .* more: the (network|work)/);
});

test("--json: one document; what is forced is kept and told", async () => {
  const { code, stdout } = await cliHere([
    "plan",
    node,
    ...load,
    "--hops",
    "2",
    "--max-bytes",
    "100K",
    "--json",
  ]);
  assert.is(code, 0);
  const plan = JSON.parse(stdout) as {
    schema: string;
    choice: { hops: number };
    expected: { memory: number; time: number };
    forced: string[];
  };
  assert.is(plan.schema, "tundish/plan@1");
  assert.is(plan.choice.hops, 2);
  assert.equal(plan.forced, ["hops"]);
  assert.ok(plan.expected.memory <= 102_400 && plan.expected.time > 0);
});

const wrong: [args: string[], message: RegExp][] = [
  [["plan", node, "--load", "10"], /required option '--item-bytes <n>' not specified/],
  [["plan", node, "--item-bytes", "8"], /required option '--load <n>' not specified/],
  [["plan", node, ...load, "--hops", "4"], /'4' is invalid/],
  [["plan", node, ...load, "--buffers-per-link", "3"], /'3' is invalid/],
  [["plan", node, ...load, "--type", "matrix"], /Allowed choices are tensor, simple, trivial/],
  [["plan", node, ...load, "--nodes", "3", "--pes", "4"], /nodes: expected a divisor/],
  [["plan", node, ...load, "--pes", "65"], /machine: expected a model of at least 65 PEs/],
  [["plan", node, ...load, "--group-size", "7"], /no plan is possible with the forced choices/],
  [["plan", node, ...load, "--max-bytes", "1K"], /maxBytes: expected more than 1024 bytes/],
  [["plan", "none.json", ...load], /none\.json: expected a machine model, but it cannot be read/],
  [["bench", "plan", "--cases", "0"], /Expected a whole number from 1/],
];
for (const [args, message] of wrong) {
  test(`wrong: ${args.slice(args[0] === "plan" ? 2 : 0).join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(args);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, message);
  });
}

test("bench plan: a table, and the same cases as a document", async () => {
  const args = ["bench", "plan", "--cases", "3", "--seed", "3", "--quiet"];
  const { code, stdout } = await cliHere(args);
  assert.is(code, 0);
  assert.match(stdout, /^Plans, by case\nnodes x PEs/);
  assert.match(stdout, /Over the best of an exhaustive sweep, 3 cases\n +median +worst\nplan +/);
  assert.match(stdout, /\nAgainst bale's rule: by more than 5 % faster in \d cases, slower in \d/);
  const { summary, cases } = JSON.parse((await cliHere([...args, "--json"])).stdout) as {
    summary: { cases: number };
    cases: { regret: number }[];
  };
  assert.is(summary.cases, 3);
  assert.ok(cases.every(({ regret }) => regret >= 0));
});

test.run();
