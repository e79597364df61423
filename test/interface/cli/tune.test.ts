/** `tundish plan --tune`: a program's conveyors measured, the plan that is kept, and what goes wrong. */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MeasuredConveyor } from "../../../src/plan/document/document.ts";
import { readPlan } from "../../../src/plan/document/file.ts";
import { parsePlan } from "../../../src/plan/document/schema.ts";
import { fixture } from "../../support/paths.ts";
import { cli, cliHere, emptyFolder } from "./support/cli.ts";

const test = suite("cli tune");
const program = fixture("programs", "cli-tuned.mjs");
const few = ["-n", "2", "--turns", "2", "--choices", "2", "--budget", "1"];

test("each name has the choice that was kept, with its measurement", async () => {
  const cwd = emptyFolder();
  const args = ["plan", "--tune", program, ...few, "-o", "plan.json"];
  const { code, stdout, stderr } = await cli(args, { cwd });
  assert.is(code, 0, stderr);
  assert.match(stdout, /conveyors\.edges: 50 items of 4 B from each of 2 PEs on 1 node, 2 sessions a run/);
  assert.match(stdout, /^choice +a session +quartiles +runs +predicted +measured \/ predicted$/m);
  assert.match(
    stdout,
    /^(tensor|simple), \d hops?.* [\d.]+ [um]?s to [\d.]+ [um]?s +\d+ +[\d.]+ [nu]s +[\d.]+ x +kept$/m,
  );
  assert.match(stdout, /Its time is [\d.]+ x the prediction\./);
  assert.match(stdout, /conveyors\.fixed: not tuned, as the program's own options leave nothing open/);
  assert.not.match(stdout, /said by the program/);
  assert.match(stderr, /said by the program/);
  const plan = await readPlan(join(cwd, "plan.json"));
  assert.equal(Object.keys(plan.conveyors).sort(), ["asked", "edges"]);
  assert.equal([plan.world.pes, plan.world.nodes, typeof plan.world.fingerprint], [2, 1, "string"]);
  for (const { measured, choice, expected, reasons } of Object.values(plan.conveyors)) {
    const { turns, low, time, high, others, ...rest } = measured as MeasuredConveyor;
    assert.ok(turns >= 2 && low <= time && time <= high && others.length > 0);
    assert.equal(rest.choice, choice);
    assert.is(rest.ratio, time / (expected?.time ?? 0));
    assert.match(reasons?.[0] ?? "", /^measured: .* the prediction; /);
  }
  // a program is run with it as with any other plan, and a second tuning adds to it
  const ran = await cli(["run", program, "--plan", "plan.json"], { cwd });
  assert.is(ran.code, 0, ran.stderr);
  const only = ["--conveyor", "edges", "--add", "plan.json", "--args", "{}", "--json"];
  const again = await cli(["plan", "--tune", program, ...few, "--turns", "1", ...only], { cwd });
  assert.is(again.code, 0, again.stderr);
  const added = parsePlan(JSON.parse(again.stdout));
  assert.equal(added.conveyors.asked, plan.conveyors.asked);
  assert.is.not(added.created, plan.created);
});

test("what a program's conveyors may have is kept to; items of any length count with their bytes", async () => {
  const args = ["plan", "--tune", program, "--args", '{"limited":true}', ...few, "--choices", "6"];
  const { code, stdout, stderr } = await cli([...args, "--json"]);
  assert.is(code, 0, stderr);
  const { small, long, both } = parsePlan(JSON.parse(stdout)).conveyors;
  assert.is(small?.workload.maxBytes, 8192);
  assert.ok((small?.others?.length ?? 0) > 0);
  for (const { memory } of [small?.expected, ...(small?.others ?? [])].flatMap((one) => one ?? []))
    assert.ok(memory <= 8192, String(memory));
  assert.ok((long?.workload.itemBytes ?? 0) >= 1000, String(long?.workload.itemBytes));
  // of a biconveyor what was given for both of its conveyors
  assert.is(both?.workload.maxBytes, 2 ** 20);
  for (const { memory } of [both?.expected, ...(both?.others ?? [])].flatMap((one) => one ?? []))
    assert.ok(memory <= 2 ** 19, String(memory));
  const limited = await cli([...args, "--conveyor", "small", "--max-bytes", "512"]);
  assert.is(limited.code, 0, limited.stderr);
  assert.match(limited.stdout, /conveyors\.small: not tuned, as --max-bytes leaves nothing open/);
});

test("with one run of each choice noise does not win", async () => {
  const { code, stdout, stderr } = await cli(["plan", "--tune", program, ...few, "--turns", "1", "--json"]);
  assert.is(code, 0, stderr);
  for (const { measured } of Object.values(parsePlan(JSON.parse(stdout)).conveyors))
    assert.ok(measured?.verdict !== "fastest" || (measured?.turns ?? 0) >= 3, JSON.stringify(measured));
});

test("errors of the program, a run that hangs, and one without conveyors end the tuning", async () => {
  const tune = (given: string, ...more: string[]) => cli(["plan", "--tune", program, ...few, "--args", given, ...more]);
  const [failed, hung, none] = await Promise.all([
    tune('{"fails":true}'),
    tune('{"hangs":true}', "--timeout", "1500"),
    tune('{"none":true}'),
  ]);
  assert.is(failed.code, 1);
  assert.match(failed.stderr, /the program's own fault/);
  assert.is(hung.code, 1);
  assert.match(hung.stderr, /error ERR_TUNDISH_TIMEOUT/);
  assert.is(none.code, 2);
  assert.match(none.stderr, /--tune expected a program with sessions of conveyors/);
});

test("options that do not go together", async () => {
  const load = ["--item-bytes", "16", "--load", "10"];
  for (const [args, reason] of [
    [["--tune", program, "--item-bytes", "4"], /--item-bytes expected nothing with --tune/],
    [["--tune", program, "--nodes", "2"], /--nodes expected nothing with --tune/],
    [["--load", "10"], /--item-bytes expected a number: give the load, or a program that has it: --tune FILE/],
    [[...load, "--turns", "3"], /--turns expected --tune FILE beside it/],
  ] as const) {
    const { code, stderr } = await cliHere(["plan", ...args]);
    assert.is(code, 2);
    assert.match(stderr, reason);
  }
  const { code, stderr } = await cli(["plan", "--tune", program, ...few, "--conveyor", "edge"]);
  assert.is(code, 2);
  assert.match(stderr, /--conveyor expected the name of a conveyor that .* has, got "edge". It has: .*"edges"/);
});

test.run();
