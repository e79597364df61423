/** `tundish bench containers` from end to end, with little input: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printContainers } from "../../../packages/tundish-bench/src/cli/text/containers-text.ts";
import {
  APART,
  type ContainersBench,
  ourName,
  WORKS,
} from "../../../packages/tundish-bench/src/containers/bench-containers.ts";
import { isLarge, QUICK, sizeOf, whatOf } from "../../../packages/tundish-bench/src/containers/works.ts";
import { ALONE } from "../../../packages/tundish-bench/src/programs/bench-programs.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const test = suite("cli bench containers");

testUnless(test, alone, "every work by one thread and by PEs, memory for each entry; as text", async () => {
  const { code, stdout, stderr } = await cli(["bench", "containers", ...SHORT, "--json"]);
  assert.is(code, 0, stderr);
  const bench = JSON.parse(stdout) as ContainersBench & { schema: string };
  assert.is(bench.schema, "tundish/bench-containers@1");
  assert.equal(bench.missing, []);
  assert.equal(
    new Set(bench.measured.map(({ name, what }) => `${name}: ${what}`)),
    new Set(
      WORKS.flatMap((work) =>
        [ALONE, ourName(2), ...(isLarge(work) ? [APART] : [])].map(
          (who) => `${who}: ${whatOf(work, sizeOf(work, QUICK.size))}`,
        ),
      ),
    ),
  );
  for (const { ns, low, high } of bench.measured) assert.ok(ns > 0 && low <= ns && ns <= high);
  // maps and sets, by one thread and by ours
  assert.is(bench.memory.length, 12);
  const output = new Kept({});
  printContainers(bench, output);
  for (const row of [
    /^Containers on CPUs .*, beside one thread in plain JavaScript, all PEs together$/m,
    / x +[^\n]* counting map, words, 2000 operations +tundish, 2 PEs +[\d.]+ +[\d.]+ +[\d.]+ to /,
    / - +[^\n]* disjoint set, union, 2000 operations +one thread, union-find +[\d.]+ /,
    /^map, insert, 2000 operations +one thread, Map +-?[\d.]+$/m,
    /^Probe: /m,
  ]) {
    assert.match(output.text, row);
  }
});

test("the speed is that of one thread over ours", () => {
  const what = whatOf("set, insert", 1000);
  const one = (name: string, ns: number) => ({
    ...{ name, what, ns, low: ns, high: ns, batch: 1000, batches: 1, mode: 105 },
  });
  const bench: ContainersBench = {
    ...{ cpus: [0, 1], pinned: true, stable: true, probe: [105, 106], modes: [{ mode: 105, turns: 2 }] },
    ...{ turns: 2, left: 0, missing: [], targets: [] },
    measured: [one(ALONE, 200), one(ourName(4), 50)],
    memory: [{ name: ALONE, what, bytes: 31 }],
  };
  const output = new Kept({});
  printContainers(bench, output);
  assert.match(output.text, /4\.00 x +105 ns +set, insert, 1000 operations +tundish, 4 PEs +20\.0 +50\.0 /);
  assert.match(output.text, /set, insert, 1000 operations +one thread, Set +31\.0/);
});

test("the help says what is measured", async () => {
  const { code, stdout } = await cliHere(["bench", "containers", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench containers --turns 1 --json/);
});

test.run();
