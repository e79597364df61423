/** `tundish bench conveyors` from end to end, with few and small sessions: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printConveyors } from "../../../packages/tundish-bench/src/cli/text/bench-conveyors-text.ts";
import type { ConveyorsBench } from "../../../packages/tundish-bench/src/conveyors/bench-conveyors.ts";
import { FORMS } from "../../../packages/tundish-bench/src/conveyors/direct.ts";
import { CONVEYOR_TARGETS } from "../../../packages/tundish-bench/src/conveyors/targets.ts";
import { groupsOf, QUICK } from "../../../packages/tundish-bench/src/conveyors/variants.ts";
import { which } from "../../../packages/tundish-bench/src/peers/tools.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
const alone = usable.length < 2 ? "fewer than two usable CPUs" : null;

const test = suite("cli bench conveyors");

const gcc = which("gcc", process.env) !== null;

testUnless(test, alone, "--json: everything has sense; the same as text", async () => {
  const { code, stdout, stderr } = await cli(["bench", "conveyors", ...SHORT, "--json"]);
  // also where the machine did not hold still, as it may beside other tests: each figure says its mode
  assert.is(code, 0, stderr);
  const document = JSON.parse(stdout) as ConveyorsBench & { schema: string; node: string };
  const { measured, targets, probe, modes, turns, left } = document;
  assert.is(document.schema, "tundish/bench-conveyors@1");
  assert.is(document.node, process.versions.node);
  assert.equal(document.cpus, usable.slice(0, 2));
  assert.is(/did not stay in one mode/.test(stderr), !document.stable);
  assert.equal(
    document.missing.map(({ name }) => name),
    gcc ? [] : ["C, direct"],
  );
  assert.is(probe.length, 2 * (turns - left));
  assert.ok(probe.every((ns) => ns > 0));
  // a turn may have batches in several
  assert.ok(modes.reduce((sum, mode) => sum + mode.turns, 0) >= turns - left);

  const keys = [...new Set(measured.map(({ name, what }) => `${name}: ${what}`))];
  const expected = groupsOf(2, QUICK).flatMap(({ what, pes, variants }) => {
    const [direct, ...others] = gcc ? Object.values(FORMS) : [];
    const inC = direct === undefined ? [] : [direct];
    return [...inC, ...variants.map(({ name }) => name), ...(pes > 2 ? [] : others)].map((name) => `${name}: ${what}`);
  });
  for (const rival of [
    "postMessage, a message for each item",
    "postMessage, a message for 1000 items",
    "SharedArrayBuffer queue",
  ]) {
    for (const size of QUICK.sizes) expected.push(`${rival}: ${size} B, 2 PEs`);
  }
  assert.equal(keys, expected);
  for (const one of measured) {
    const { ns, low, high, bytes, mode } = one;
    assert.ok(ns > 0 && low <= ns && ns <= high && bytes > 0 && one.batch > 0 && one.batches > 0);
    assert.ok(Math.abs(one.itemsPerSecond * ns - 1e9) < 1);
    assert.ok(Math.abs(one.megabytesPerSecond * 1e6 - one.itemsPerSecond * bytes) < 1);
    assert.ok(modes.some((seen) => seen.mode === mode));
  }
  assert.equal(
    [...new Set(targets.map(({ target }) => JSON.stringify(target)))].map((text) => JSON.parse(text)),
    CONVEYOR_TARGETS,
  );
  for (const { target, verdict, reached, mode } of targets) {
    const left = !QUICK.sizes.some((size) => target.what.startsWith(`${size} B`)) && /^\d/.test(target.what);
    assert.is(verdict === "not measured", left || !gcc, target.what);
    assert.is(reached === null, left || !gcc || verdict === "in different modes", target.what);
    assert.ok(reached !== null || mode === null);
  }
  assert.match(stderr, /^bench: turn 1$/m);

  const output = new Kept({});
  printConveyors(document, output);
  const [times, rest] = ["[\\d.]+", ".*"];
  for (const row of [
    /^Targets, 2 PEs and more on CPUs .*, ns per item of each PE$/m,
    ...(gcc
      ? [/^ *(- +in different modes|[\d.]+ x +(reached|missed)) .* 8 B, 2 PEs, item-wise: at most 2\.2 x C, direct /m]
      : []),
    /^ *- +not measured +- +16 B, 2 PEs, run: at most 2\.5 x C, direct /m,
    new RegExp(
      `^ *(-|${times} x) +(\\d+ ns|mixed) +8 B, 2 PEs +tundish, item-wise +${times} +${times} to ${rest}$`,
      "m",
    ),
    / +8 B, 2 PEs +SharedArrayBuffer queue /m,
    / +8 B, 8 PEs on 2 CPUs +tundish, 3 hops, batch-wise /m,
    /^Probe: the round trip of a cache line took .*; modes: /m,
  ]) {
    assert.match(output.text, row);
  }
});

for (const [args, message] of [
  [["--cpus", String(usable[0])], /cpus: expected two or more/],
  [["--mode", "near"], /Expected a number of nanoseconds above 0/],
  [["--turns", "0"], /Expected a whole number from 1 to 1000/],
  [["--output", "x"], /unknown option '--output'/],
] as [args: string[], message: RegExp][]) {
  test(`wrong usage: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(["bench", "conveyors", ...args, "--quiet"]);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: /);
    assert.match(stderr, message);
  });
}

test.run();
