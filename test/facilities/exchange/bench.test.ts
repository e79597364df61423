/** `tundish bench traffic` with little input: shape and sense; and what is known of patterns and of one point without running it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checksOf, type FigureCheck } from "../../../packages/tundish-bench/src/traffic/checks.ts";
import type { TrafficFigure } from "../../../packages/tundish-bench/src/traffic/figures.ts";
import { machines } from "../../../packages/tundish-bench/src/traffic/machines.ts";
import type { JudgedPace } from "../../../packages/tundish-bench/src/traffic/pacing.ts";
import { blocksOf, PATTERNS } from "../../../packages/tundish-bench/src/traffic/patterns.ts";
import { runTraffic, type TrafficRun } from "../../../packages/tundish-bench/src/traffic/run.ts";
import { DISCIPLINES } from "../../../src/route/disciplines/options.ts";
import { cliHere, emptyFolder } from "../../interface/cli/support/cli.ts";

const test = suite("bench traffic");

interface Document {
  readonly schema: string;
  readonly runs: readonly TrafficRun[];
  readonly figures: readonly TrafficFigure[];
  readonly checks: readonly FigureCheck[];
}

test("patterns: blocks for others within the machine, the same for the same seed", () => {
  for (const pattern of PATTERNS) {
    for (const pes of [2, 4, 8, 64]) {
      const size = { pes, blocks: 2 * pes, blockBytes: 100, seed: 3 };
      for (let pe = 0; pe < pes; pe++) {
        const blocks = blocksOf(pattern, size, pe);
        assert.is(blocks.length, size.blocks);
        for (const { dest, bytes } of blocks) {
          assert.ok(dest >= 0 && dest < pes && dest !== pe, `${pattern}: ${pe} to ${dest} of ${pes}`);
          assert.ok(bytes >= 1 && bytes <= 200);
        }
        assert.equal(blocksOf(pattern, size, pe), blocks);
      }
    }
  }
});

test("patterns: all pairs and transpose reach all others equally often, a hot spot its own most", () => {
  const size = { pes: 8, blocks: 14, blockBytes: 1, seed: 1 };
  for (const pattern of ["all pairs", "transpose"] as const) {
    const dests = blocksOf(pattern, size, 3).map(({ dest }) => dest);
    for (let pe = 0; pe < 8; pe++) assert.is(dests.filter((dest) => dest === pe).length, pe === 3 ? 0 : 2, pattern);
  }
  const hot = blocksOf("hot spot", { ...size, blocks: 1000 }, 3).filter(({ dest }) => dest === 0).length;
  assert.ok(hot > 280 && hot < 440, `${hot} of 1000`);
});

test("dynamic scheduling: one grant for each chunk, and whoever is denied does not ask in every round", () => {
  const blocks = 16;
  const machine = machines["cm-5"];
  for (const window of [1, 4, 31]) {
    const options = { discipline: "dynamic", chunkBytes: 1024, window } as const;
    const at = {
      machine,
      discipline: "dynamic",
      blockBytes: 1024,
      blocks,
      options,
    } as const;
    const chunks = blocks * machine.nodes;
    const random = runTraffic({ ...at, pattern: "random" }).counts;
    assert.is(random.requests - random.denials, chunks);
    // PE 0 gets more than its share, so all others end by waiting for it
    const { requests, denials } = runTraffic({ ...at, pattern: "hot spot" }).counts;
    assert.is(requests - denials, chunks);
    assert.ok(denials <= chunks, `${denials} denials for ${chunks} chunks`);
  }
});

test("a permutation of large blocks: the bandwidth out of a node", () => {
  // 20 ns for each of the 4096 bytes of a packet, 32 of them its head
  const network = { beta: 0, injection: { byte: 20 }, ejection: { message: 0 } };
  const machine = { ...machines.alewife, jitter: 0, packetBytes: 4096 - 32, network };
  const expected = (1000 / 20) * (1 - 32 / 4096);
  for (const discipline of ["eager", "cyclic-shift", "interleaved"] as const) {
    const blockBytes = 16 * machine.packetBytes;
    const run = runTraffic({ machine, discipline, pattern: "permutation", blockBytes, blocks: 64 });
    assert.ok(
      run.bandwidth <= expected && run.bandwidth > 0.99 * expected,
      `${discipline}: ${run.bandwidth} MB/s, expected up to ${expected}`,
    );
    assert.is(run.mostAtOnce, 1);
    assert.is(run.meanAtOnce, 1);
  }
});

test("a hot spot: many send to it at once, with barriers one", () => {
  const machine = machines.paragon;
  const point = { machine, pattern: "hot spot", blockBytes: 8192, blocks: 16 } as const;
  assert.ok(runTraffic({ ...point, discipline: "eager" }).mostAtOnce > 2);
  assert.is(runTraffic({ ...point, discipline: "barrier" }).mostAtOnce, 1);
});

test("the same seed gives the same run", () => {
  const point = { machine: machines.alewife, discipline: "dynamic", pattern: "random", blocks: 8 } as const;
  const run = () => runTraffic({ ...point, blockBytes: 512, seed: 5 });
  assert.equal(run(), run());
});

test("--quick --json: every discipline under every pattern", async () => {
  const { code, stdout, stderr } = await cliHere([...["bench", "traffic", "--like", "alewife", "--quick", "--json"]]);
  assert.is(code, 0, stderr);
  const { schema, runs } = JSON.parse(stdout) as Document;
  assert.is(schema, "tundish/bench-traffic@1");
  assert.equal([...new Set(runs.map(({ pattern }) => pattern))], PATTERNS);
  assert.equal([...new Set(runs.map(({ discipline }) => discipline))], DISCIPLINES);
  assert.is(runs.length, 2 * PATTERNS.length * DISCIPLINES.length);
  for (const { bandwidth, busy, mostAtOnce } of runs)
    assert.ok(bandwidth > 0 && busy > 0 && busy <= 1 && mostAtOnce >= 1);
});

test("--quick as text: a line for each run, and what is assumed", async () => {
  const { code, stdout } = await cliHere(["bench", "traffic", "--like", "alewife", "--quick"]);
  assert.is(code, 0);
  assert.match(stdout, /^all pairs +barrier +4 KiB +[\d.]+ +\d+ % +1 +1\.0 +\d+ barriers$/m);
  assert.match(stdout, /^ejection: 1\.25 times/m);
});

test("--figures: an SVG for each, and what holds", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cliHere(["bench", "traffic", "--figures", "drawn", "--quick", "--json"], {
    cwd,
  });
  assert.is(code, 0, stderr);
  const { figures, checks } = JSON.parse(stdout) as Document;
  assert.equal(
    figures.map(({ number }) => number),
    [1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13],
  );
  assert.equal(
    readdirSync(join(cwd, "drawn")).sort(),
    figures.map(({ number }) => `traffic-figure${number}.svg`).sort(),
  );
  const svg = readFileSync(join(cwd, "drawn", "traffic-figure5.svg"), "utf8");
  assert.is(svg.match(/<polyline /g)?.length, 4);
  assert.ok(svg.includes("hardware barriers") && !svg.includes("NaN"));
  assert.equal(checks, figures.flatMap(checksOf));
  assert.ok(checks.every(({ numbers }) => /\d/.test(numbers) && !numbers.includes("NaN")));
});

test("--pacing --quick --json: the rule beside the best of a sweep, and what a plan chooses", async () => {
  const { code, stdout, stderr } = await cliHere([
    "bench",
    "traffic",
    "--pacing",
    "--like",
    "alewife",
    "--quick",
    "--json",
  ]);
  assert.is(code, 0, stderr);
  const { schema, judged } = JSON.parse(stdout) as { readonly schema: string; readonly judged: readonly JudgedPace[] };
  assert.is(schema, "tundish/bench-pacing@1");
  assert.equal(
    judged.map(({ of }) => [of.name, of.pes, of.pattern]),
    [
      ["alewife", 8, "all pairs"],
      ["alewife", 8, "random"],
    ],
  );
  for (const { rule, best, unpaced, ruleRatio, planRatio } of judged) {
    assert.ok(best.time <= unpaced.time && planRatio >= 1);
    assert.is(ruleRatio, rule.time / best.time);
    assert.ok((rule.choices.pace as number) > 0 && rule.choices.packetBytes === 16_384);
  }
  // without a pace 1.60, as senders then meet at receivers
  assert.ok(judged[0].ruleRatio < 1.15, `${judged[0].ruleRatio}`);
});

test("wrong usage", async () => {
  const { code, stderr } = await cliHere(["bench", "traffic", "--like", "t3d"]);
  assert.is(code, 2);
  assert.match(stderr, /Allowed choices are cm-5, paragon, alewife/);
  assert.is((await cliHere(["bench", "traffic", "--figures", "/dev/null/x"])).code, 2);
  const needless = await cliHere(["bench", "traffic", "--sizes", "1K"]);
  assert.is(needless.code, 2);
  assert.match(needless.stderr, /--sizes: expected --measure beside it/);
});

test("the help says what is compared", async () => {
  const { code, stdout } = await cliHere(["bench", "traffic", "--help"]);
  assert.is(code, 0);
  assert.match(stdout, /tundish bench traffic --figures figures/);
});

test.run();
