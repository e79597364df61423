/** `tundish bench conveyors --mixed` and `--cold` from end to end, with few and small sessions: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { verdict } from "../../../packages/tundish-bench/src/cli/commands/bench.ts";
import { printCold, printMixed } from "../../../packages/tundish-bench/src/cli/text/bench-cold-text.ts";
import { ALONE, COLD_TARGETS, type ColdBench, OWN } from "../../../packages/tundish-bench/src/conveyors/bench-cold.ts";
import { MIXED_TARGETS } from "../../../packages/tundish-bench/src/conveyors/bench-mixed.ts";
import { SPENT } from "../../../packages/tundish-bench/src/conveyors/cold-jobs.ts";
import type { PartBench } from "../../../packages/tundish-bench/src/turns/part.ts";
import type { OpenTimes } from "../../../src/machine/model/machine-model.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
const alone = usable.length < 2 ? "fewer than two usable CPUs" : null;

const test = suite("cli bench conveyors, parts");

/** What CPUs do besides: there may be nothing of it. */
const SPENT_PARTS = Object.values(SPENT);

/** The document of a part. */
async function part<Bench extends PartBench>(flag: string): Promise<Bench> {
  const { code, stdout, stderr } = await cli(["bench", "conveyors", flag, ...SHORT, "--json"]);
  assert.is(code, 0, stderr);
  const document = JSON.parse(stdout) as Bench & { schema: string };
  const { measured, modes } = document;
  assert.is(document.schema, "tundish/bench-conveyors@1");
  for (const { what, ns, low, high, batch, batches, mode } of measured) {
    const mayBeNone = SPENT_PARTS.some((one) => what.endsWith(one));
    assert.ok((ns > 0 || mayBeNone) && low <= ns && ns <= high && batch > 0 && batches > 0);
    assert.ok(modes.some((seen) => seen.mode === mode));
  }
  assert.equal(document.missing, []);
  return document;
}

testUnless(test, alone, "--mixed: every type together with the others and alone; the same as text", async () => {
  const bench = await part("--mixed");
  const types = ["8 B", "16 B", "32 B", "128 B", "128 B, spread"];
  assert.equal(
    [...new Set(bench.measured.map(({ name, what }) => `${name}: ${what}`))],
    ["together", "alone"].flatMap((how) => types.map((type) => `tundish, ${how}, item-wise: ${type}, 2 PEs`)),
  );
  assert.equal(
    [...new Set(bench.targets.map(({ target }) => JSON.stringify(target)))].map((text) => JSON.parse(text)),
    MIXED_TARGETS,
  );
  const output = new Kept({});
  printMixed(bench, output);
  for (const row of [
    /^Targets, 2 PEs on CPUs .*, ns per item of each PE$/m,
    /128 B, spread, 2 PEs, together, item-wise: at most 1\.25 x tundish, alone, item-wise /,
    / +16 B, 2 PEs +tundish, together, item-wise +[\d.]+ /,
    /^Probe: /m,
  ]) {
    assert.match(output.text, row);
  }
});

testUnless(test, alone, "--cold: first sessions, conveyors made anew, empty sessions, counts; as text", async () => {
  const bench = await part<ColdBench>("--cold");
  const sessions = ["1st", "2nd", "3rd", "10th", "warm"].map((nth) => `${nth} session`);
  const spent = process.platform === "linux" ? SPENT_PARTS : [];
  const tally = ["first", "warm"].map((state) => `tally of 1000, ${state}`);
  assert.equal(
    [...new Set(bench.measured.map(({ name, what }) => `${name}: ${what}`))],
    [
      ...[
        ...["batch-wise", "item-wise", "run", "run of columns"].map((way) => `tundish, ${way}`),
        `${OWN}, batch-wise`,
      ].flatMap((name) =>
        sessions.flatMap((what) =>
          [what, ...(what.startsWith("warm") ? [] : spent.map((part) => `${what}, ${part}`))].map(
            (one) => `${name}: ${one}`,
          ),
        ),
      ),
      "tundish, batch-wise: 3 sessions, one conveyor",
      "tundish, batch-wise: 3 sessions, a conveyor for each",
      ...["making the first conveyor", "1st empty session", "10th empty session", "empty session, warm"].map(
        (what) => `tundish: ${what}`,
      ),
      ...[ALONE, "tundish, batch-wise"].flatMap((name) => tally.map((what) => `${name}: ${what}`)),
    ],
  );
  assert.equal(
    [...new Set(bench.targets.map(({ target }) => JSON.stringify(target)))].map((text) => JSON.parse(text)),
    COLD_TARGETS,
  );
  const output = new Kept({});
  printCold(bench, output);
  for (const row of [
    /1st session, item-wise: at most 4 x warm session /,
    /empty session, warm: at most 3000/,
    /^ *(\d+ ns|mixed) +tundish, run +[\d.]+ \([\d.]+ x\)/m,
    /^ *(\d+ ns|mixed) +own ring, batch-wise +[\d.]+ \([\d.]+ x\)/m,
    /^own ring: the same loops without any conveyor, /m,
    ...(spent.length === 0 ? [] : [/ +tundish, run +10th session +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$/m]),
    / +making the first conveyor +tundish +\d/,
    / +tally of 1000, warm +/,
    /^Probe: /m,
  ]) {
    assert.match(output.text, row);
  }
});

test("a machine that changed its mode is no failure of a quick run, unless a mode was asked for", () => {
  const output = new Kept({ quiet: true });
  assert.is(verdict(false, { quick: true }, output), 0);
  assert.is(verdict(false, { quick: true, mode: 105 }, output), 4);
  assert.is(verdict(false, {}, output), 4);
  assert.is(verdict(true, {}, output), 0);
});

test("--open: a push by open buffers, item by item and in columns, as text and as a document", async () => {
  const [text, json] = [
    await cliHere(["bench", "conveyors", "--open", "--quick"]),
    await cliHere(["bench", "conveyors", "--open", "--quick", "--json"]),
  ];
  assert.equal([text.code, json.code], [0, 0], text.stderr + json.stderr);
  assert.match(text.stdout, /^Item by item: .*\nopen buffers +of 512 B +of 4 KiB +of 32 KiB\n +1( +[\d.]+){3}$/m);
  assert.match(text.stdout, /^ +1024( +[\d.]+){3}\n\nIn columns: /m);
  const { schema, items, columns } = JSON.parse(json.stdout);
  assert.is(schema, "tundish/bench-open@1");
  const measured: OpenTimes[] = [items, columns];
  for (const { look, buffers, sizes } of measured) {
    assert.ok(look > 0);
    for (const { push } of sizes) assert.ok(push.length === buffers.length && push.every((ns) => ns > 0), String(push));
  }
});

test("one part at a time", async () => {
  const { code, stderr } = await cliHere(["bench", "conveyors", "--mixed", "--cold"]);
  assert.is(code, 2);
  assert.match(stderr, /'--cold' cannot be used with option '--mixed'/);
});

test.run();
