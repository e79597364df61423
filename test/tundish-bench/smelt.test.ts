/** `bench smelt`: its parts with few and short batches, shape and sense, not speed; its programs on more PEs than CPUs. */
import { symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { COMPARED, casesOf, leavesOf, OPERATIONS, STATIC } from "../../microbench/trees/tree-cases.ts";
import type { TreesAnswer, TreesJob } from "../../microbench/trees/trees.program.ts";
import { agreementSvg } from "../../packages/tundish-bench/src/smelt/agreement-svg.ts";
import type { SmeltBench } from "../../packages/tundish-bench/src/smelt/bench-smelt.ts";
import { onePerCore } from "../../packages/tundish-bench/src/smelt/fixtures.ts";
import { groupsOn } from "../../packages/tundish-bench/src/smelt/group-members.ts";
import { rankCorrelation, ranksOf } from "../../packages/tundish-bench/src/smelt/rank-correlation.ts";
import { agreementFigures } from "../../packages/tundish-bench/src/smelt/smelt-agreement.ts";
import type {
  SmeltBarriersAnswer,
  SmeltBarriersJob,
} from "../../packages/tundish-bench/src/smelt/smelt-barriers.program.ts";
import { SMELT_PARTS } from "../../packages/tundish-bench/src/smelt/smelt-parts.ts";
import type { MeasuredRivals } from "../../packages/tundish-bench/src/smelt/smelt-rivals.ts";
import type { SmeltRoundsAnswer, SmeltRoundsJob } from "../../packages/tundish-bench/src/smelt/smelt-rounds.program.ts";
import { rankingsOf, type TreesTable } from "../../packages/tundish-bench/src/smelt/tree-tables.ts";
import { readMachine } from "../../src/machine/model/model.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { cli, model } from "../interface/cli/support/cli.ts";
import { testUnless } from "../support/skip.ts";
import { launchPooled } from "../support/thread-pool.ts";
import { SHORT } from "./short.ts";

const test = suite("bench smelt");
const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const trees = new URL("../../microbench/trees/trees.program.js", import.meta.url);
const programOf = (name: string) =>
  new URL(`../../packages/tundish-bench/src/smelt/${name}.program.js`, import.meta.url);
const small = model("smelt-hist-brie");
const sbrinz = await readMachine(model("smelt-hist-sbrinz-numa"));
const five = selectPEs(sbrinz, [0, 1, 4, 5, 8]);

test("rank correlation: known values, ties, and lists without an order", () => {
  assert.equal(ranksOf([30, 10, 30, 20]), [3.5, 1, 3.5, 2]);
  assert.equal(rankCorrelation([1, 2, 3], [10, 20, 30]), { spearman: 1, kendall: 1 });
  assert.equal(rankCorrelation([1, 2, 3], [3, 2, 1]), { spearman: -1, kendall: -1 });
  const { spearman, kendall } = rankCorrelation([10, 20, 30], [12, 40, 35]);
  assert.ok(Math.abs((spearman as number) - 0.5) < 1e-12 && Math.abs((kendall as number) - 1 / 3) < 1e-12);
  // by scipy.stats: spearmanr and kendalltau
  const tied = rankCorrelation([1, 2, 2, 3, 5], [2, 1, 3, 3, 4]);
  assert.ok(Math.abs((tied.spearman as number) - 0.7631578947) < 1e-9, `${tied.spearman}`);
  assert.ok(Math.abs((tied.kendall as number) - 0.6666666667) < 1e-9, `${tied.kendall}`);
  assert.equal(rankCorrelation([1, 1], [1, 2]), { spearman: null, kendall: null });
});

test("cases: all algorithms and operations, and predictions with the leaf's message", () => {
  const cases = casesOf(five);
  assert.equal(
    cases.map(({ algorithm, operation }) => `${algorithm} ${operation}`),
    COMPARED.flatMap((algorithm) => OPERATIONS.map((operation) => `${algorithm} ${operation}`)),
  );
  for (const { operation, root, leaves, predicted, trees, kind } of cases) {
    assert.ok(predicted > 0 && root >= 0 && root < 5);
    assert.is(leaves.length > 0, operation !== "reduce");
    assert.ok(!leaves.includes(root));
    if (operation === "broadcast") {
      assert.ok(predicted > trees.broadcast.latency);
      assert.equal(leaves, leavesOf(trees.broadcast, 5));
    }
    if (kind !== "tree") assert.is(leaves.length, 4);
  }
  // PE 0 sends to all others: the last one's message, and its way back
  const star = cases.find(({ algorithm, operation }) => algorithm === "sequential" && operation === "broadcast");
  const { send, receive } = five;
  let [clock, last] = [0, 0];
  for (let pe = 1; pe < 5; pe++) {
    clock += send[0][pe];
    last = Math.max(last, clock + receive[0][pe] + send[pe][0] + receive[pe][0]);
  }
  assert.ok(Math.abs((star?.predicted ?? 0) - last) < 1e-9);
});

test("what a contest has chosen is beside the others, not among the orders", () => {
  const chosen = casesOf(five)[0].trees;
  const cases = casesOf(five, undefined, chosen);
  assert.is(cases.length, 3 * (COMPARED.length + 1));
  const figures = cases.map((one) => ({
    ...{ algorithm: one.algorithm, operation: one.operation, kind: one.kind, root: one.root },
    ...{ leaves: 1, lastLeaf: 1, predicted: one.predicted, completed: null },
    ...{ ns: one.predicted, low: one.predicted, high: one.predicted },
  }));
  for (const { measuredOrder, chosenSpeedup } of rankingsOf(figures)) {
    assert.equal(new Set(measuredOrder), new Set(COMPARED));
    assert.ok(Number(chosenSpeedup) > 0);
  }
  assert.is(rankingsOf(figures.slice(0, -3))[0].chosenSpeedup, null);
});

test("groups: both placements, each member once; the same only once", () => {
  const { domains, groups } = groupsOn(selectPEs(sbrinz, [0, 1, 2, 3, 4, 5, 6, 7]));
  assert.is(domains, 2);
  const of = (size: number, placement: string) =>
    groups.find((one) => one.members.length === size && one.placement === placement);
  assert.equal([of(2, "round-robin")?.domains, of(2, "compact")?.domains], [2, 1]);
  assert.equal(of(4, "round-robin")?.members.length, 4);
  assert.is(of(8, "compact"), undefined);
  for (const { members } of groups) assert.is(new Set(members).size, members.length);
  const [only, ...more] = groupsOn(selectPEs(sbrinz, [0, 1])).groups;
  assert.equal([only.members, more.length], [[0, 1], 0]);
  const siblings = { ...five, pes: five.pes.map((pe, i) => ({ ...pe, core: i >> 1 })) };
  assert.is(onePerCore(siblings).pes.length, 3);
});

test("rankings: the best static one, and ours by it", () => {
  const figures = casesOf(five).map((one, i) => ({
    ...{ algorithm: one.algorithm, operation: one.operation, kind: one.kind, root: one.root },
    ...{ leaves: 1, lastLeaf: 1, predicted: one.predicted },
    ...{ ns: 100 + i, low: 100 + i, high: 100 + i, completed: null },
  }));
  const [broadcast] = rankingsOf(figures);
  assert.is(broadcast.bestStatic, STATIC[0]);
  assert.is(broadcast.speedup, 100 / (100 + 3 * COMPARED.indexOf("adaptive")));
  assert.equal(broadcast.measuredOrder, COMPARED);
  assert.is(broadcast.completedSpeedup, null);
  const [completed] = rankingsOf(figures.map((one) => ({ ...one, completed: one.ns / 2 })));
  assert.is(completed.completedSpeedup, broadcast.speedup);
});

test("the program of trees: groups of some PEs, a time for each leaf at the root alone", async () => {
  const members = [0, 2, 3];
  const part = casesOf(selectPEs(five, members));
  const all = casesOf(five);
  const groups = [
    { members: [0, 1, 2, 3, 4], cases: all },
    { members, cases: part },
  ];
  const args: TreesJob = { groups, batches: 2, rounds: 2, words: null };
  const answers = await launchPooled<TreesAnswer>(trees, { pes: 5, args, heapBytes: 2 ** 24 });
  const roots = answers.flatMap(({ roots }) => roots);
  for (const [g, { cases, members }] of groups.entries()) {
    for (const [index, { leaves, root }] of cases.entries()) {
      const own = roots.filter((one) => one.group === g && one.index === index);
      assert.equal(
        own.map(({ leaf }) => leaf),
        leaves.length === 0 ? [null] : leaves,
      );
      const here = answers[members[root]].roots.filter((one) => one.group === g && one.index === index);
      assert.is(here.length, own.length);
      for (const { samples } of own) assert.ok(samples.length === 2 && samples.every((ns) => ns >= 0));
    }
  }
});

test("the programs of collectives and barriers: more PEs than CPUs", async () => {
  const rounds: SmeltRoundsJob = { batches: 2, rounds: 3, words: null };
  const [{ samples }] = await launchPooled<SmeltRoundsAnswer>(programOf("smelt-rounds"), {
    pes: 3,
    args: rounds,
  });
  assert.equal(
    samples.map(({ what }) => what),
    ["broadcast", "reduce", "allreduce", "barrier"],
  );
  for (const one of samples) assert.ok(one.samples.length === 2 && one.samples.every((ns) => ns > 0));
  const loops: SmeltBarriersJob = {
    ...{ volume: { batches: 2, batchMs: 0.05 }, epcc: { repetitions: 2, ms: 0.05 } },
    ...{ kinds: [["our tree", casesOf(selectPEs(five, [0, 1, 2]))[0].trees]], words: null },
  };
  const [answer] = await launchPooled<SmeltBarriersAnswer>(programOf("smelt-barriers"), {
    pes: 3,
    args: loops,
  });
  assert.equal(
    answer.loops.map(({ name }) => name),
    ["tundish", "tundish, our tree"],
  );
  const { epcc } = answer;
  assert.ok(epcc.delay > 0 && epcc.length > 0 && epcc.samples.every(Number.isFinite) && epcc.samples.length === 2);
});

type Document = SmeltBench & { readonly schema: string };

testUnless(test, alone, "all parts, as one document", async () => {
  const machines = ["--machines", small, model("smelt-hist-sbrinz-numa")];
  const { code, stdout, stderr } = await cli(["bench", "smelt", ...SHORT, "--pes", "2", "--json", ...machines]);
  assert.is(code, 0, stderr);
  const bench = JSON.parse(stdout) as Document;
  assert.is(bench.schema, "tundish/bench-smelt@1");
  for (const part of SMELT_PARTS) assert.ok(bench[part], part);
  checkTables(bench.trees?.tables ?? [], 1);
  checkTables(bench.simulated ?? [], 2);
  for (const { figures } of bench.simulated ?? [])
    for (const { completed, ns } of figures) assert.ok(Number(completed) > 0 && Number(completed) <= ns);
  for (const { rankings } of bench.simulated ?? [])
    for (const { spearman } of rankings) assert.ok(Number(spearman) > 0.5);
  checkTables(bench.groups?.tables ?? [], 1);
  checkTables(bench.groups?.simulated ?? [], 2);
  const { collectives, barriers, streamcluster, agreement } = bench;
  const figures = agreementFigures(agreement?.measured ?? []);
  assert.is(figures.length, 2 * 5, JSON.stringify(figures));
  for (const { each, reply } of figures) assert.ok(each > 0 && reply > 0 && each < 1e9 && reply < 1e9);
  assert.match(agreementSvg(figures), /^<svg .*<polyline /s);
  const namesOf = (part: MeasuredRivals | undefined, what: string) => {
    const own = part?.measured.filter((one) => one.what === what) ?? [];
    for (const { ns, low, high, pes } of own) {
      assert.ok([ns, low, high].every(Number.isFinite) && low <= ns && ns <= high && pes === 2);
      if (what !== "EPCC BARRIER") assert.ok(low > 0);
    }
    return own.map(({ name }) => name);
  };
  const lacks = (part: MeasuredRivals | undefined, name: string) => part?.missing.some((one) => one.name === name);
  const there = (part: MeasuredRivals | undefined, names: readonly string[]) =>
    names.filter((name) => !lacks(part, name.startsWith("C,") ? (part === streamcluster ? name : "C") : name));
  const mpi = ["Open MPI", "MPICH"];
  const gomp = ["GOMP", "GOMP, active"];
  assert.equal(namesOf(collectives, "broadcast"), ["tundish", ...there(collectives, mpi)]);
  assert.equal(namesOf(collectives, "barrier"), ["tundish", ...there(collectives, [...mpi, ...gomp])]);
  const inC = ["central", "dissemination", "MCS dissemination", "tournament", "MCS tree", "pthread"];
  const loops = namesOf(barriers, "barrier").filter((name) => !name.startsWith("tundish"));
  assert.equal(loops, there(barriers, [...inC.map((name) => `C, ${name}`), ...gomp, ...mpi]));
  assert.equal(namesOf(barriers, "EPCC BARRIER"), [
    "tundish",
    ...there(barriers, [...gomp, "GOMP, our tree", "GOMP, Smelt's tree"]),
  ]);
  assert.equal(namesOf(streamcluster, "streamcluster"), ["tundish", "stock", ...there(streamcluster, ["C, pthread"])]);
  assert.ok((streamcluster?.barriers ?? 0) > (streamcluster?.gains ?? 0) && (streamcluster?.found.cost ?? 0) > 0);
});

function checkTables(tables: readonly TreesTable[], count: number): void {
  assert.is(tables.length, count);
  for (const { pes, figures, rankings, members } of tables) {
    assert.is(members.length, pes);
    assert.is(figures.length, COMPARED.length * OPERATIONS.length);
    for (const { ns, low, high, predicted } of figures) {
      assert.ok([ns, low, high, predicted].every((one) => Number.isFinite(one) && one > 0));
      assert.ok(low <= ns && ns <= high);
    }
    for (const { speedup, measuredOrder } of rankings) {
      assert.ok(speedup > 0 && Number.isFinite(speedup));
      assert.is(measuredOrder.length, COMPARED.length);
    }
    assert.is(rankings.length, OPERATIONS.length);
  }
}

testUnless(test, alone, "without compilers: ours alone, and what is missing, as text", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tundish-no-compilers-"));
  symlinkSync(process.execPath, join(folder, "node"));
  try {
    const env = { PATH: folder };
    const { code, stdout, stderr } = await cli(["bench", "smelt", ...SHORT, "--only", "collectives"], {
      env,
    });
    assert.is(code, 0, stderr);
    assert.match(stdout, /Collectives, \d+ PEs: time by that of ours, after two barriers \(figure 11\), then ns/);
    assert.match(stdout, /\ntundish +1\.00 x +1\.00 x +1\.00 x +1\.00 x/);
    for (const name of ["Open MPI", "MPICH", "GOMP", "GOMP, active"]) {
      assert.match(stdout, new RegExp(`not measured: ${name} \\(.*apt-get install`));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

testUnless(test, alone, "as text: the simulated machines, and options that cannot be", async () => {
  const { code, stdout, stderr } = await cli(["bench", "smelt", "--quick", "--only", "simulated", "--machines", small]);
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    /^Simulated: time of the best static tree by that of ours, and of Smelt's, last leaf \(figure 9\)\n/,
  );
  assert.match(stdout, /\nmean +\d/);
  for (const [args, message] of [
    [["--pes", "1"], /pes: expected numbers from 2 to \d+, as each PE has a CPU of its own, got 1/],
    [["--pes", "2,9999"], /got 9999/],
    [["--only", "paxos"], /'paxos' is invalid\. Allowed choices are trees, simulated, groups/],
  ] as const) {
    const failed = await cli(["bench", "smelt", "--quick", ...args]);
    assert.is(failed.code, 2);
    assert.match(failed.stderr, message);
  }
});

test.run();
