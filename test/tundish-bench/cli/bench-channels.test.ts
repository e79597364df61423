/** `tundish bench channels` from end to end, with few messages: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelsBench } from "../../../packages/tundish-bench/src/channels/bench-channels.ts";
import { channelsModeText, channelsTexts } from "../../../packages/tundish-bench/src/cli/text/bench-channels-text.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli } from "../../interface/cli/support/cli.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const test = suite("cli bench channels");

testUnless(test, alone, "each way and size, of both back ends, of C and of postMessage", async () => {
  const { code, stdout, stderr } = await cli(["bench", "channels", ...SHORT, "--sizes", "8,5000", "--json"]);
  assert.is(code, 0, stderr);
  const { schema, measured, missing, cpus, probe, versions } = JSON.parse(stdout) as ChannelsBench & {
    schema: string;
  };
  assert.equal([schema, cpus.length], ["tundish/bench-channels@1", 2]);
  const hasC = missing.length === 0;
  assert.equal(
    missing.map(({ name }) => name),
    hasC ? [] : ["C"],
  );
  assert.is(versions.gcc === undefined, !hasC);
  assert.ok(probe.every((ns) => ns > 0));
  const items = ["ump, items", "fastforward, items"];
  const names = new Set([...(hasC ? ["C"] : []), "ump", "fastforward", "postMessage"]);
  for (const way of ["one way", "round trip"]) {
    for (const bytes of [8, 5000]) {
      const those = measured.filter((one) => one.way === way && one.bytes === bytes);
      assert.equal(new Set(those.map(({ name }) => name)), new Set([...names, ...(bytes === 8 ? items : [])]));
      for (const { ns, low, high } of those) assert.ok(ns > 0 && low <= ns && ns <= high);
    }
  }
});

test("one table for each mode and way; without C the first one is the measure", () => {
  const figure = (name: string, way: string, bytes: number, ns: number, mode: number | null) => {
    return {
      name,
      way,
      bytes,
      what: `${way}, ${bytes} B`,
      ns,
      low: ns,
      high: ns,
      batch: 10,
      batches: 3,
      mode,
    };
  };
  const bench: ChannelsBench = {
    ...{
      cpus: [0, 1],
      probe: [90, 300],
      modes: [],
      turns: 2,
      left: 0,
      missing: [],
      versions: { gcc: "12.2.0" },
    },
    measured: [
      figure("C", "one way", 8, 20, 300),
      figure("ump", "one way", 8, 50, 300),
      figure("ump", "one way", 64, 80, 300),
      figure("ump", "round trip", 8, 90, 95),
    ],
  };
  const [far, near, ...more] = channelsTexts(bench);
  assert.is(more.length, 0);
  assert.match(far.title, /^A message, one way: by the time of C, a cache line there and back in 300 ns$/);
  assert.match(far.text, /ump +2\.50 x/);
  assert.match(far.text, /ump, time +50 ns +80 ns/);
  assert.match(near.title, /round trip: by the time of ump, a cache line there and back in 95 ns/);
  assert.match(
    channelsModeText(bench),
    /^On CPUs 0, 1, gcc 12\.2\.0\. Probe: a cache line there and back in 90 ns to 300 ns\.$/,
  );
});

test("options that cannot be", async () => {
  const { code, stderr } = await cli(["bench", "channels", "--sizes", "0"]);
  assert.is(code, 2);
  assert.match(stderr, /sizes: expected whole numbers from 1 to 1048576, got 0/);
});
test.run();
