/** The drawings carry every PE, its time, the order of sends and the levels. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { barrierSchedule } from "../../../trees/draw/barrier-schedule.ts";
import { barrierDot, treeDot } from "../../../trees/draw/dot.ts";
import { schedule } from "../../../trees/draw/schedule.ts";
import { barrierSvg, treeSvg } from "../../../trees/draw/svg.ts";
import { treeText } from "../../../trees/draw/text.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { rounds } from "../../support/long.ts";
import { assertClose, loadMachine, model, randomModel, uniform } from "../support/reference.ts";

const test = suite("drawing");
const machine = model(uniform(5, 2), uniform(5, 3));
const tree: Tree = { algorithm: "smelt", root: 4, children: { 4: [1, 3], 1: [0, 2] }, latency: 12 };

test("text: an outline with times", () => {
  const expected = [
    "PE       informed at, ns",
    "4                    0.0",
    "├─ 1                 5.0",
    "│  ├─ 0             10.0",
    "│  └─ 2             12.0",
    "└─ 3                 7.0",
    "",
  ].join("\n");
  assert.is(treeText(tree, machine), expected);
  assert.match(treeText(tree, machine, "reduce"), /^PE\s+complete at, ns\n4\s+13\.0\n├─ 1\s+8\.0\n/);
  assert.is(
    treeText({ algorithm: "smelt", root: 0, children: {}, latency: 0 }, machine),
    "PE  informed at, ns\n0               0.0\n",
  );
});

test("schedule: who sends what when", () => {
  const rows = schedule(tree, machine, "broadcast");
  assert.equal(
    rows.map(({ pe, parent, level, place, at }) => [pe, parent, level, place, at]),
    [
      [4, null, 0, 0, 0],
      [1, 4, 1, 1, 5],
      [0, 1, 2, 1, 10],
      [2, 1, 2, 2, 12],
      [3, 4, 1, 2, 7],
    ],
  );
  assert.equal(rows[0]?.sends, [
    { to: 1, start: 0, end: 2, taken: 2, seen: 5 },
    { to: 3, start: 2, end: 4, taken: 4, seen: 7 },
  ]);
  const reduction = schedule(tree, machine, "reduce");
  assert.equal(reduction[0]?.sends, []);
  assert.equal(reduction[1]?.sends, [{ to: 4, start: 8, end: 10, taken: 10, seen: 13 }]);
});

test("DOT: nodes with times, edges in send order, the way the messages go", () => {
  const dot = treeDot(tree, { ...machine, name: 'a "quoted"\\name' });
  assert.match(dot, /^digraph "broadcast" \{\n/);
  assert.ok(dot.includes('\\"quoted\\"\\\\name'));
  assert.match(dot, /\n {2}1 \[label="1\\n5\\n\[0\]", fillcolor="#[0-9a-f]{6}"\];\n/);
  assert.match(dot, /\n {2}4 -> 1 \[label="1"\];\n/);
  assert.match(dot, /\n {2}1 -> 2 \[label="2"\];\n/);
  assert.is(dot.match(/ -> /g)?.length, 4);
  assert.match(treeDot(tree, machine, "reduce"), /\n {2}2 -> 1 \[label="2"\];\n/);
});

test("SVG and DOT: a machine's name without its control characters", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
    /\p{Cc}/u.test(one),
  );
  assert.is(controls.length, 65);
  const named = { ...machine, name: `one${controls.join("")}\ud800\uffff two \u{1f600} <é>` };
  const { barrier } = generateTrees(named, { budget: 0 });
  for (const drawn of [
    treeSvg(tree, named),
    barrierSvg(barrier, named),
    treeDot(tree, named),
    barrierDot(barrier, named),
  ]) {
    assert.not.match(drawn.replaceAll("\n", ""), /[\p{Cc}\p{Cs}\uffff]/u);
    assert.match(drawn, / on one {67} two \u{1f600} (<|&lt;)é/u);
  }
});

test("SVG: one row per PE at any size", () => {
  for (const name of ["smelt-intel-xeon-e5-v2-2x10", "c2c-amd-epyc-7773x"]) {
    const real = loadMachine(name);
    const trees = generateTrees(real, { budget: 0 });
    for (const operation of ["broadcast", "reduce"] as const) {
      const svg = treeSvg(trees[operation], real, operation);
      assert.is(svg.match(/<circle /g)?.length, real.pes.length);
      const heights = [...svg.matchAll(/<circle [^>]*cy="([\d.]+)"/g)].map((match) => Number(match[1]));
      assert.is(new Set(heights).size, real.pes.length, "rows do not overlap");
      assert.ok(Math.min(...heights.slice(1).map((y, i) => y - (heights[i] as number))) >= 12, "rows are legible");
      assert.ok(svg.length < 1000 * real.pes.length + 4000, `${svg.length} bytes`);
      const size = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg);
      for (const match of svg.matchAll(/ c?x[12]?="([\d.]+)"/g)) assert.ok(Number(match[1]) <= Number(size?.[1]));
      assert.not.match(svg, /NaN|Infinity|undefined/);
    }
  }
});

test("barriers: every message of every kind, from the first to the last", () => {
  const kinds = new Set<string>();
  for (const name of [
    "smelt-intel-xeon-e5-v2-2x10",
    "smelt-hist-ziger-numa",
    "c2c-dual-intel-xeon-e5-2620v2-2-10ghz",
  ]) {
    const real = loadMachine(name);
    const { barrier, cores } = generateTrees(real, { moves: 0 });
    kinds.add(barrier.kind);
    const lanes = barrierSchedule(barrier, real);
    assert.equal(
      lanes.map(({ pe }) => pe).sort((a, b) => a - b),
      cores,
    );
    assertClose(Math.max(...lanes.map(({ at }) => at)), barrier.latency, name);
    const { length } = lanes.flatMap(({ sends }) => sends);
    const rounds = (size: number) => size * Math.ceil(Math.log2(size));
    const groups = barrier.kind === "hybrid" ? barrier.leaders.length : 1;
    if (barrier.kind === "dissemination") assert.is(length, rounds(cores.length));
    else assert.is(length, 2 * (cores.length - groups) + rounds(groups));
    for (const { sends } of lanes) {
      for (const { start, end, taken, seen } of sends) assert.ok(start <= end && end <= taken && taken <= seen);
    }
    const svg = barrierSvg(barrier, real);
    assert.is(svg.match(/<circle /g)?.length, cores.length);
    assert.not.match(svg, /NaN|Infinity|undefined/);
    assert.is(barrierDot(barrier, real).match(/ -> /g)?.length, length);
  }
  assert.equal(kinds, new Set(["dissemination", "tree", "hybrid"]));
});

test("anything can be drawn: one PE, two, ties, zeros, lopsided and huge costs", () => {
  fc.assert(
    fc.property(randomModel(12), (given) => {
      const trees = generateTrees(given, { moves: 0 });
      const drawings = [
        treeSvg(trees.broadcast, given),
        treeSvg(trees.reduce, given, "reduce"),
        barrierSvg(trees.barrier, given),
        treeDot(trees.broadcast, given),
        treeDot(trees.reduce, given, "reduce"),
        barrierDot(trees.barrier, given),
      ];
      for (const drawing of drawings) assert.not.match(drawing, /NaN|Infinity|undefined/);
      for (const svg of drawings.slice(0, 3)) assert.is(svg.match(/<circle /g)?.length, given.pes.length);
      const lanes = barrierSchedule(trees.barrier, given);
      assertClose(Math.max(...lanes.map(({ at }) => at)), trees.barrier.latency, "barrier");
    }),
    { numRuns: rounds(50, 200) },
  );
});

test("SVG: well-formed for odd names, free machines and long chains", () => {
  const svg = treeSvg(tree, { ...machine, name: "a < b & c" });
  assert.ok(svg.includes("a &lt; b &amp; c"));
  assert.is(svg.match(/<(?!\/)[a-z]+[^>]*[^/]>/g)?.length, svg.match(/<\/[a-z]+>/g)?.length);
  const free = model(uniform(5, 0), uniform(5, 0));
  assert.not.match(treeSvg(tree, free), /NaN|Infinity/);
  const links = Array.from({ length: 299 }, (_, i) => [String(i), [i + 1]]);
  const chain: Tree = { algorithm: "smelt", root: 0, children: Object.fromEntries(links), latency: 0 };
  const wide = treeSvg(chain, model(uniform(300, 1), uniform(300, 1)));
  assert.ok(Number(/width="([\d.]+)"/.exec(wide)?.[1]) < 1300);
});

test.run();
