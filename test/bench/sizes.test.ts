/** Collectives by size and by number of PEs: what is measured, with a quick run; nothing about speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { benchSizes, sizesGroups } from "../../bench/collectives/sizes.ts";
import { readTopology } from "../../src/machine/topology.ts";
import { usableCpus } from "../../src/machine/usable.ts";
import { testUnless } from "../support/skip.ts";

const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
const test = suite("collectives by size");

test("all sizes with as many PEs as CPUs and with twice as many, a number with others", () => {
  const all = [8, 64];
  assert.equal(sizesGroups(2, all), [
    { pes: 2, sizes: all },
    { pes: 4, sizes: all },
    { pes: 8, sizes: [8] },
  ]);
  assert.equal(
    sizesGroups(12, all).map(({ pes, sizes }) => [pes, sizes.length]),
    [
      [2, 1],
      [4, 1],
      [8, 1],
      [12, 2],
      [24, 2],
      [48, 1],
    ],
  );
});

testUnless(
  test,
  usable.length < 2 ? "one CPU: no PE to talk to" : null,
  "a quick run has a figure of each call at each size, and of the others beside it",
  async () => {
    const probes: number[] = [];
    const { times, missing, stable } = await benchSizes({
      ...{ cpus: usable.slice(0, 2), quick: true },
      probe: async () => {
        probes.push(200);
        return 200;
      },
    });
    assert.equal(missing, []);
    const found = (name: string) => times.filter((one) => one.name.startsWith(name));
    assert.equal(
      found("tundish")
        .filter(({ pes }) => pes === 4)
        .map(({ call, bytes }) => `${call} ${bytes}`),
      ["barrier 0", ...[8, 4096].flatMap((b) => [`broadcast ${b}`, `reduce ${b}`, `allreduce ${b}`])],
    );
    assert.equal(
      found("tundish").filter(({ pes }) => pes === 8).length,
      4,
      "four PEs a CPU: a barrier, and three calls of a number",
    );
    assert.equal(
      found("postMessage").map(({ call, pes, bytes }) => [call, pes, bytes]),
      [
        ["broadcast", 2, 8],
        ["broadcast", 2, 4096],
      ],
    );
    assert.is(found("SharedArrayBuffer").length, 2);
    for (const { ns, low, high } of times) assert.ok(ns > 0 && low <= ns && ns <= high);
    assert.is(probes.length, 14, "before and after each of seven turns");
    assert.type(stable, "boolean");
  },
);

test.run();
