/** `bench traffic --measure`: what samples come to, and a few on real threads and over nodes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  compareDisciplines,
  type TrafficComparison,
  type TrafficSummary,
  trafficSummary,
} from "../../../packages/tundish-bench/src/traffic/measure.ts";
import {
  listsOf,
  loadOf,
  measuredTraffic,
  receivedBytes,
} from "../../../packages/tundish-bench/src/traffic/measure-cases.ts";
import type {
  MeasuredContender,
  TrafficAnswer,
} from "../../../packages/tundish-bench/src/traffic/measure-traffic.program.ts";
import { PATTERNS } from "../../../packages/tundish-bench/src/traffic/patterns.ts";
import { DISCIPLINES, type DisciplineName } from "../../../src/route/disciplines/options.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { eachMpi, mpirun, ROOT } from "../../machine/mpi/launchers.ts";
import { inTurn } from "../../nodes/some-of.ts";

const test = suite("measured traffic");

interface Document {
  readonly schema: string;
  readonly summary: TrafficSummary;
  readonly cases: readonly TrafficComparison[];
}

const contender = (discipline: DisciplineName, times: number[], isPlan = false): MeasuredContender => ({
  ...{ name: discipline, discipline, isPlan, times, retransmits: null, timeouts: null },
});
const one = { pattern: "hot spot", blockBytes: 10, blocks: 4 } as const;
const load = { bytes: 40, blockBytes: 10, destinations: 3, skew: 2 };
const answer = (...contenders: MeasuredContender[]): TrafficAnswer => ({
  pes: 4,
  nodes: 4,
  load,
  contenders,
});

test("medians with quartiles; the plan's choice over the best, and eager over it", () => {
  const contenders = [
    contender("eager", [8, 12, 10, 100, 2]),
    contender("token", [5, 5, 6], true),
    contender("static", [4]),
  ];
  const { times, best, plan, regret, gain } = compareDisciplines(one, answer(...contenders));
  assert.equal(
    times.map(({ ns, low, high, turns }) => [ns, low, high, turns]),
    [
      [10, 8, 12, 5],
      [5, 5, 5.5, 3],
      [4, 4, 4, 1],
    ],
  );
  assert.equal([best.name, plan.name, regret, gain], ["static", "token", 0.25, 2]);
});

test("the summary counts cases that are near the best, and hot spots that gain", () => {
  const compared = (eager: number, token: number) =>
    compareDisciplines(one, answer(contender("eager", [eager]), contender("token", [token], true)));
  const far = compared(10, 12);
  const all = [compared(13, 10), compared(10.9, 10), far, { ...far, pattern: "random" as const }];
  const { cases, near, worst, hotSpots, gained } = trafficSummary(all);
  assert.equal([cases, near, worst.toFixed(3), hotSpots, gained], [4, 2, "0.200", 3, 1]);
});

test("there are 12 cases or more; what a plan is told of them", () => {
  const cases = measuredTraffic();
  assert.ok(cases.length >= 12);
  assert.equal([...new Set(cases.map(({ pattern }) => pattern))], PATTERNS);
  for (const each of cases) {
    const lists = listsOf(each, 4);
    const received = receivedBytes(lists);
    const sum = received.reduce((a, b) => a + b, 0);
    const { bytes, blockBytes, destinations, skew } = loadOf(lists);
    assert.is(bytes, Math.round(sum / 4));
    assert.is(blockBytes, Math.round(sum / 4 / each.blocks));
    if (each.pattern === "permutation") assert.is(destinations, 1);
    if (each.pattern === "all pairs") assert.is(destinations, 3);
    assert.is(skew, (4 * Math.max(...received)) / sum);
    if (each.pattern === "all pairs" && each.blocks % 3 === 0) assert.is(skew, 1);
  }
});

function checkDocument({ schema, summary, cases }: Document, nodes: number, pes: number): void {
  assert.is(schema, "tundish/bench-traffic-measured@1");
  assert.is(summary.cases, cases.length);
  for (const each of cases) {
    assert.equal([each.nodes, each.pes], [nodes, pes]);
    assert.equal(
      each.times.slice(0, DISCIPLINES.length).map(({ name }) => name),
      DISCIPLINES,
    );
    assert.ok(each.times.some(({ name }) => name === each.plan.name));
    for (const { ns, low, high, turns, retransmits } of each.times) {
      assert.ok(low > 0 && low <= ns && ns <= high && turns === 1);
      if (nodes === 1) assert.is(retransmits, null);
    }
    assert.ok(each.regret >= 0 && each.gain > 0);
  }
}

test("--quick --json: every discipline under every pattern, on threads", async () => {
  const args = ["bench", "traffic", "--measure", "--quick", "--json", "--pes", "2"];
  const { code, stdout, stderr } = await cli(args);
  assert.is(code, 0, stderr);
  const document = JSON.parse(stdout) as Document;
  assert.equal(
    document.cases.map(({ pattern }) => pattern),
    PATTERNS,
  );
  checkDocument(document, 1, 2);
});

test("--quick as text: tables of the wanted cases, and a verdict for each target", async () => {
  const wanted = ["--patterns", "hot-spot,all pairs", "--sizes", "1K,64K", "--pes", "2"];
  const { code, stdout, stderr } = await cli(["bench", "traffic", "--measure", "--quick", ...wanted]);
  assert.is(code, 0, stderr);
  for (const row of [/^hot spot +4 x 1 KiB( +[\d.]+){10} +1$/m, /^all pairs +4 x 64 KiB( +[\d.]+){10} +1$/m])
    assert.match(stdout, row);
  assert.match(stdout, /^hot spot +4 x 64 KiB +\S+ +[\d.]+ \([\d.]+ to [\d.]+\) .* x( +[\d.]+){3}$/m);
  assert.match(stdout, /^(reached|missed): the plan's choice within 10 % of the best in \d of 4 cases;/m);
  assert.match(stdout, /^(reached|missed): at hot spots 1\.30 x faster than eager or more in \d of 2 cases;/m);
});

eachMpi(
  test,
  "over two nodes: one PE on each, and one of them prints",
  async (kind) => {
    const args = ["bench", "traffic", "--measure", "--quick", "--json", "--patterns", "random"];
    const { code, stdout, stderr } = await cli(args, {
      launcher: mpirun(kind, 2),
      env: { ...ROOT, NO_COLOR: "1" },
    });
    assert.is(code, 0, stderr);
    checkDocument(JSON.parse(stdout) as Document, 2, 2);
  },
  inTurn(0, "measured"),
);

test("wrong usage", async () => {
  for (const [option, value, message] of [
    ["--patterns", "random,ring", /Expected some of all pairs, random, .*; got ring/],
    ["--sizes", "1K,x", /Expected a number of bytes/],
    ["--like", "cm-5", /cannot be used with option/],
  ] as const) {
    const { code, stderr } = await cliHere(["bench", "traffic", "--measure", option, value]);
    assert.is(code, 2);
    assert.match(stderr, message);
  }
});

test.run();
