/** The page of a report as text: what is in it, what is not, and that it needs nothing else. */
import { createHash } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { isAbsent, type ReportDocument } from "../../../src/interface/report/document.ts";
import { breakEvens } from "../../../src/interface/report/page/break-even.ts";
import { distanceFigures } from "../../../src/interface/report/page/distances.ts";
import { reportPage } from "../../../src/interface/report/page/page.ts";
import type { MachineModel, Matrix } from "../../../src/machine/model/machine-model.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { fromModel, modelOf, withAll, withName } from "./support/documents.ts";

const small = modelOf("smelt-hist-brie");
const all = withAll(small);
const page = reportPage(all);
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id as string);
const SECTIONS = [
  "gains",
  "machine",
  "trees",
  "predictions",
  "collectives",
  "conveyors",
  "plan",
  "nodes",
  "conditions",
  "made",
];

test("a page with all parts has a figure for each", () => {
  const ids = idsOf(page);
  for (const id of [
    ...["topology", "receive", "round-trip", "tree-broadcast", "tree-reduce", "tree-barrier"],
    ...["latency-broadcast", "latency-reduce", "latency-barrier", "predicted-allreduce", "plan-times-0"],
    ...["internode-time", "internode-stream", "probes", "profile-probes", ...SECTIONS],
  ])
    assert.ok(ids.includes(id), `expected an element with the id ${id}`);
  assert.is(new Set(ids).size, ids.length, "ids are unique");
  assert.match(page, /class="curve line-0"/);
  assert.not.match(page, /class="absent"/);
});

test("a child near its root in the middle of a large picture is drawn, however near", () => {
  const pes = Array.from({ length: 96 }, (_, cpu) => ({ cpu, core: cpu, numa: 0, package: 0 }));
  const costs = (many: number, first: number): Matrix =>
    pes.map((_, from) => pes.map((_, to) => (from === to ? 0 : to === 1 ? first : many)));
  for (const first of [0, 5e-324, 50, 100, 200]) {
    const { schema, name, source, unit, measured } = small;
    const machine = {
      schema,
      name,
      source,
      unit,
      measured,
      pes,
      send: costs(100, first),
      receive: costs(1, 1),
    };
    const report = fromModel(machine, 20);
    const children = { 0: pes.slice(1).map(({ cpu }) => cpu) };
    const broadcast = { algorithm: "sequential", root: 0, children, latency: 9500 } as const;
    assert.match(reportPage({ ...report, trees: { ...(report.trees as Trees), broadcast } }), /tree-broadcast/);
  }
});

test("what is absent is said in its place, whatever else there is", () => {
  const parts = ["host", "topology", "conditions", "trees", "predictions", "collectives", "conveyors", "plan"] as const;
  for (const part of parts) {
    const without: ReportDocument = { ...all, [part]: { absent: `No ${part} today.` } };
    const html = reportPage(without);
    // the topology is drawn from the model then
    assert.is(html.includes(`No ${part} today.`), part !== "topology", part);
    for (const id of SECTIONS) assert.ok(idsOf(html).includes(id), `${id} without ${part}`);
  }
});

test("the documents of a model alone, and of one PE, have pages", () => {
  const html = reportPage(fromModel(small));
  assert.match(html, /nothing was measured/);
  assert.ok(idsOf(html).includes("tree-broadcast"));
  const one = { ...small, pes: small.pes.slice(0, 1), send: [[0]], receive: [[0]] };
  const { propagate, ...alone } = one;
  assert.match(reportPage({ ...fromModel(small), machine: alone, trees: { absent: "One PE." } }), /nobody to send to/);
});

test("what was not measured is said once, and not in headings without content", () => {
  const html = reportPage(fromModel(small));
  // of the host, and of all that is measured
  assert.is(html.split('class="absent"').length, 3);
  const ids = idsOf(html);
  for (const id of ["predictions", "collectives", "conveyors", "conditions", "nodes"])
    assert.not.ok(ids.includes(id), id);
  const linked = [...html.matchAll(/<li><a href="#([^"]*)"/g)].map(([, id]) => id as string);
  assert.ok(linked.includes("lacking"));
  for (const id of linked) assert.ok(ids.includes(id), id);
});

test("costs of 0, two PEs and one PE are told in words", () => {
  const zeros = small.send.map((row) => row.map(() => 0));
  const flat = reportPage(fromModel({ ...small, send: zeros, receive: zeros, propagate: zeros }));
  assert.not.match(flat, /takes - that|after the other -/);
  assert.is(flat.split("<span>No bound is known").length, 2, "of the barrier alone");
  const part = (pes: number): MachineModel => {
    const cut = (matrix: Matrix) => matrix.slice(0, pes).map((row) => row.slice(0, pes));
    const { propagate: _, batches: __, ...rest } = small;
    return { ...rest, pes: small.pes.slice(0, pes), send: cut(small.send), receive: cut(small.receive) };
  };
  const two = reportPage(fromModel(part(2)));
  assert.match(two, /Between two PEs all trees are the same line/);
  assert.not.ok(idsOf(two).includes("latency-broadcast"));
  const one = reportPage(fromModel(part(1)));
  assert.match(one, /One PE has nobody to tell/);
  assert.not.match(one, /each of 1 PE|a broadcast to 1 PE/);
});

/** `report` with these costs of a run and a call, and of nothing else. */
function costing(report: ReportDocument, quota: number | null): ReportDocument {
  const figures = { cpus: [0, 1], command: "", missing: [], notes: [] };
  const spread = (ns: number) => ({ ns, low: ns / 2, high: 2 * ns, mode: null });
  const call = (name: string, bytes: number, pes: number, ns: number) => {
    return { call: name, name: "tundish", bytes, pes, ...spread(ns) };
  };
  return {
    ...report,
    host: isAbsent(report.host) ? report.host : { ...report.host, quota },
    starts: {
      ...figures,
      times: [
        { call: "launch", pes: 4, ...spread(9e6) },
        { call: "run", pes: 4, ...spread(90_000) },
        { call: "run", pes: 2, ...spread(60_000) },
      ],
    },
    collectives: {
      ...figures,
      times: [
        ...[call("allreduce", 512, 2, 2), call("allreduce", 8, 2, 1), call("allreduce", 4096, 2, 3)],
        ...[call("allreduce", 2 ** 20, 2, 4), call("broadcast", 8, 2, 1), call("barrier", 0, 8, 500)],
        ...[call("barrier", 0, 2, 500), { ...call("barrier", 0, 2, 900), name: "postMessage" }],
      ],
    },
    conveyors: {
      ...figures,
      times: [
        { name: "tundish, run", what: "8 B, 4 PEs", pes: 4, bytes: 8, ...spread(30) },
        { name: "postMessage", what: "8 B, 4 PEs", pes: 4, bytes: 8, ...spread(600) },
      ],
    },
  };
}

test("what gains on P PEs takes longer than the cost times P / (P - 1), or what a quota makes of P", () => {
  const told = (quota: number | null) =>
    breakEvens(costing(all, quota)).map(({ name, bytes, pes, ns, low, high }) => {
      assert.ok(Math.abs(low - ns / 2) < 1e-6 && Math.abs(high - 2 * ns) < 1e-6);
      return `${name} ${bytes} ${pes}: ${Math.round(ns)}`;
    });
  assert.equal(told(null), [
    ...["run 0 2: 120000", "run 0 4: 120000", "launch 0 4: 12000000", "barrier 0 2: 1000"],
    // the least and the most of what is not mere copying; of items as many are pushed at once as there are PEs
    ...["allreduce 8 2: 2", "allreduce 4096 2: 6", "tundish, run 8 4: 10"],
  ]);
  assert.equal(told(1.5).slice(0, 2), ["run 0 2: 180000", "run 0 4: 270000"]);
  assert.equal(told(1), []);
});

test("the headline says from which loop on several PEs gain; without times there is none", () => {
  const html = reportPage(costing(all, null));
  assert.match(
    html,
    /<p class="headline">By a run in an open world, a loop of 120 us or more gains on 2 PEs \(60 us to 240 us\) and of 120 us or more on 4 PEs \(60 us to 240 us\)\.<\/p>/,
  );
  assert.match(html, /<dt>a loop that gains on 2 PEs, by a run in an open world<\/dt><dd>120 us<\/dd>/);
  for (const words of [
    "By a launch, a loop of 12 ms or more gains on 4 PEs (6 ms to 24 ms).",
    "With a barrier at its end, a loop of 1 us or more gains on 2 PEs (500 ns to 2 us).",
    "Through a conveyor (8 B, run), items of 10 ns or more gain on 4 PEs (5 ns to 20 ns).",
  ])
    assert.is(html.split(words).length, 3, `${words} In short, and in its section`);
  const { starts: _, ...older } = all;
  const without = { ...older, collectives: { absent: "None." }, conveyors: { absent: "None." } };
  for (const document of [without, fromModel(small)]) {
    const other = reportPage(document);
    assert.not.match(other, /class="headline"/);
    assert.not.ok(idsOf(other).includes("gains"));
  }
  assert.match(reportPage({ ...all, starts: { absent: "No launch today." } }), /No launch today\./);
});

test("noise is folded; what a heat map would show in one colour is a sentence", () => {
  const [, noise = ""] = page.split('<section id="conditions"');
  assert.match(noise, /^[^>]*><header>.*?<\/header><details><summary>.*<\/details><\/section>/s);
  const costs = (all: number, one: number): Matrix =>
    small.pes.map((_, from) => small.pes.map((_, to) => (from === to ? 0 : from + to === 1 ? one : all)));
  const { propagate: _, ...rest } = small;
  const flat = distanceFigures({ ...rest, send: costs(30, 30), receive: costs(25, 50) });
  assert.match(flat, /<li>How long a send keeps the sender busy: 30 \w+ between all of them\.<\/li>/);
  assert.not.match(flat, /<figure id="send"/);
  assert.match(flat, /<figure id="receive"/);
  const cut = (matrix: Matrix) => matrix.slice(0, 2).map((row) => row.slice(0, 2));
  const two = { ...rest, pes: small.pes.slice(0, 2), send: cut(small.send), receive: [[0, 9], [5, 0]] }; // biome-ignore format: a matrix
  assert.not.match(distanceFigures(two), /<figure/);
});

test("numbers that are zero, equal or missing draw nothing that is no number", () => {
  const zeros = small.send.map((row) => row.map(() => 0));
  const flat = { ...small, send: zeros, receive: zeros };
  for (const html of [page, reportPage({ ...all, machine: flat }), reportPage(fromModel(flat))]) {
    const drawn = html.replace(/<(script|style)>[\s\S]*?<\/\1>|base64,[^"]*/g, "");
    assert.not.match(drawn, /NaN|Infinity|undefined|\[object/);
  }
});

test("texts of files cannot become markup", () => {
  const evil = `<script>alert(1)</script>"'&<img src=x onerror=alert(2)>${String.fromCharCode(0)}`;
  const html = reportPage(withName(all, evil));
  assert.is(html.match(/<script>/g)?.length, 1, "only the script of the page");
  assert.not.match(html, /<img/);
  assert.ok(html.includes("&lt;script&gt;alert(1)&lt;/script&gt;&quot;"));
  assert.not.ok(html.includes(String.fromCharCode(0)));
});

test("the policy allows the page's own style and script, and nothing else", () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  const hashOf = (tag: string) => {
    const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page)?.[1] ?? "";
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  assert.match(policy, /default-src 'none'/);
  assert.ok(policy.includes(`script-src ${hashOf("script")}`));
  assert.ok(policy.includes(`style-src ${hashOf("style")}`));
  // neither would be allowed
  assert.not.match(page, / style="/);
  assert.not.match(page, / on[a-z]+="/);
  assert.equal(
    [...page.matchAll(/(?:href|src)="([^#"][^"]*)"/g)]
      .map(([, url]) => url?.slice(0, 5))
      .filter((url) => url !== "data:"),
    [],
  );
});

test("the summary says what was found, and from where", () => {
  assert.match(page, /What this means/);
  const keys = [...(/<dl class="figures">(.*?)<\/dl>/.exec(page)?.[1]?.matchAll(/<dd>/g) ?? [])].length;
  assert.ok(keys >= 4 && keys <= 6, `${keys} numbers`);
  const { conditions } = all;
  assert.not.match(page, /busy while it was measured/);
  assert.match(reportPage({ ...all, conditions: { ...conditions, stable: false } } as ReportDocument), /busy while/);
  assert.match(reportPage({ ...all, origin: "guessed" }), /a guess from the topology/);
});

test("one mode throughout is said of one mode only", () => {
  const state = (modes: readonly number[], stable: boolean) => {
    const conditions = { ...all.conditions, modes: modes.map((mode) => ({ mode, probes: 4 })), stable };
    return /<dt>State<\/dt><dd>(.*?)<\/dd>/.exec(reportPage({ ...all, conditions } as ReportDocument))?.[1];
  };
  assert.is(state([114], true), "one mode throughout");
  assert.is(state([114, 458, 62], true), "3 modes, each figure measured in one of them");
  assert.is(state([114, 458], false), "changed while it was measured");
});

test("conveyors are compared with like: one by one, and in batches", () => {
  const summary = /<dl class="figures">.*?<\/ul>/.exec(page)?.[0] ?? "";
  assert.match(summary, /an item of 8 B through a conveyor, item-wise/);
  assert.match(
    summary,
    /item-wise [\d.]+ ns, by postMessage, a message for each item [\d.]+ ns \([\d.]+ x\); batch-wise [\d.]+ ns, by postMessage, a message for 1000 items [\d.]+ ns/,
  );
});

test("the page of a model of 512 PEs is below 1 MB, and says in which order the rows of its heat maps are", () => {
  const model = modelOf("c2c-dual-amd-epyc-9754-128-core-processor");
  const html = reportPage(fromModel(model, 0));
  assert.is(model.pes.length, 512);
  assert.ok(html.length < 1e6, `${html.length} bytes`);
  assert.match(html, /data:image\/png;base64,/);
  assert.match(html, /65 more: Core 63 to Core 127/);
  // not in the order of PEs
  assert.match(html, /rows to columns, by core: 0, 256, 1, 257 …/);
});

test.run();
