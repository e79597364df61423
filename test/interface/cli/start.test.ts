/** `tundish start`: the main job, with few rounds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Comparison, Profiled } from "../../../microbench/pairs/profiled.ts";
import { parseMachine } from "../../../src/machine/model/schema.ts";
import { readProcessBinding } from "../../../src/machine/topology/affinity.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { cli, emptyFolder } from "./support/cli.ts";

const test = suite("cli start");
const quick = ["--rounds", "50", "--budget", "50", "--turns", "1"];

test("--json: one document of machine, trees and comparison; machine.json is written", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cli(["start", ...quick, "--json"], { cwd });
  assert.is(code, 0, stderr);
  const { schema, machine, trees, comparison } = JSON.parse(stdout) as {
    schema: string;
    machine: Profiled;
    trees: Trees;
    comparison: Comparison;
  };
  assert.is(schema, "tundish/start@1");
  parseMachine(machine);
  assert.equal(JSON.parse(readFileSync(join(cwd, "machine.json"), "utf8")), machine);
  assert.is(trees.cores.length, machine.pes.length);
  assert.is(comparison.pes, machine.pes.length);
  assert.is(comparison.turns, comparison.ours.length > 0 ? 1 + comparison.rivals.length : 0, "one turn of each");
  for (const { ns, low, high } of [...comparison.ours, ...comparison.rivals]) {
    assert.ok(ns > 0 && low <= ns && ns <= high);
  }
  assert.match(stderr, /^profile: [\s\S]*^wrote machine\.json$[\s\S]*^compare: /m);
});

test("text on one CPU: everything works, and it says that there is nothing to send", async () => {
  const cpu = String(readProcessBinding()?.[0] ?? 0);
  const { code, stdout, stderr } = await cli(["start", ...quick, "--cpus", cpu, "--quiet", "-o", "one.json"]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  assert.match(stdout, /^Topology\n/);
  assert.match(stdout, /the tree is a single point/);
  assert.match(stdout, /^Predicted and measured on 1 PE, ns$/m);
  assert.match(stdout, /^ *[\d.]+ x +barrier .*SharedArrayBuffer/m);
  assert.match(stdout, /^Probe: /m);
});

test.run();
