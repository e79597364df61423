/** The fit of what was measured between nodes, against data that is known; and who does what while it is measured. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fitLine, fitPieces } from "../../microbench/internode/fit.ts";
import { type Found, modelOf } from "../../microbench/internode/model.ts";
import { farFrom, isDoubtful, noisyFigures } from "../../microbench/internode/noise.ts";
import { Slices } from "../../microbench/internode/slices.ts";
import { doubling, SIZES, type Stage, stages, type Task, tasksOf } from "../../microbench/internode/tasks.ts";

const fits = suite("fit between nodes");
const on = (alpha: number, beta: number, sizes = SIZES) => sizes.map((bytes) => alpha + beta * bytes);
const isNear = (found: number, expected: number, share: number, what = "") =>
  assert.ok(Math.abs(found - expected) <= share * expected, `${what} ${found} is not ${expected}`);

fits("a line is found as it is, with nothing left", () => {
  const any = fc.tuple(fc.double({ min: 10, max: 1e6, noNaN: true }), fc.double({ min: 0.01, max: 100, noNaN: true }));
  fc.assert(
    fc.property(any, ([alpha, beta]) => {
      const line = fitLine(SIZES, on(alpha, beta));
      isNear(line.alpha, alpha, 2e-3, "alpha");
      isNear(line.beta, beta, 1e-3, "beta");
      assert.ok(line.residual.worst <= 0.001, `${line.residual.worst}`);
      assert.is(fitPieces(SIZES, on(alpha, beta)), undefined);
    }),
  );
});

fits("errors are relative: one of 10 % at a megabyte counts as one at 8 bytes", () => {
  for (const wrong of [0, SIZES.length - 1]) {
    const times = on(1000, 0.1).map((time, i) => (i === wrong ? 1.1 * time : time));
    const { alpha, beta, residual } = fitLine(SIZES, times);
    isNear(alpha, 1000, 0.05);
    isNear(beta, 0.1, 0.11);
    assert.ok(residual.median <= residual.worst && residual.worst > 0.001 && residual.worst < 0.11);
  }
});

fits("residuals are what a line is off, relative to what was measured", () => {
  // no line is nearer to 100, 200, 100 than one that does not rise
  const { alpha, beta, residual } = fitLine([1, 2, 3], [100, 200, 100]);
  assert.is(beta, 0);
  isNear(alpha, (2 / 100 + 1 / 200) / (2 / 100 ** 2 + 1 / 200 ** 2), 1e-3);
  isNear(residual.worst, (200 - alpha) / 200, 1e-3);
  isNear(residual.median, (alpha - 100) / 100, 2e-3);
});

fits("no cost is below 0: times that fall, times through the origin, one size", () => {
  const falling = fitLine(
    SIZES,
    SIZES.map((_, i) => 1000 - 10 * i),
  );
  assert.is(falling.beta, 0);
  assert.ok(falling.alpha > 0);
  const steep = fitLine([1, 2, 3], [1, 4, 9]);
  assert.is(steep.alpha, 0);
  assert.ok(steep.beta > 1);
  assert.equal(fitLine([8], [50]), { alpha: 50, beta: 0, residual: { median: 0, worst: 0 } });
});

fits("two pieces, where the residuals of one demand it", () => {
  // a protocol that changes above 4 KiB: more to begin with, less for each byte
  const times = SIZES.map((bytes) => (bytes <= 4096 ? 1000 + 2 * bytes : 30_000 + 0.1 * bytes));
  const pieces = fitPieces(SIZES, times);
  assert.is(pieces?.length, 2);
  const [small, large] = pieces as NonNullable<typeof pieces>;
  assert.equal([small.from, small.to, large.from, large.to], [8, 4096, 16_384, 1_048_576]);
  isNear(small.alpha, 1000, 0.001);
  isNear(small.beta, 2, 0.001);
  isNear(large.alpha, 30_000, 0.001);
  isNear(large.beta, 0.1, 0.001);
  assert.ok(fitLine(SIZES, times).residual.worst > 0.25);
  assert.is(fitPieces([8, 64, 256], [1, 100, 1]), undefined, "too few to be cut");
});

fits("the model of a job: lines by PEs, and the work of a receiver by its senders", () => {
  const found = stages({ nodes: 3, pes: 2 }).map((stage): Found => {
    const value =
      stage.kind === "incast" || stage.kind === "bulk"
        ? 400 * stage.senders
        : stage.pes * (stage.kind === "latency" ? 1500 + 0.1 * stage.bytes : 300 + 0.05 * stage.bytes);
    const busy = stage.kind === "incast" ? (100 + 50 * stage.senders) / stage.senders : 77;
    return { stage, value, spread: 0.02, busy };
  });
  const model = modelOf(found, { nodes: 3, machines: 3, library: "MPI 9" });
  isNear(model.alpha, 1500, 0.001);
  isNear(model.beta, 0.1, 0.001);
  assert.equal([model.nodes, model.machines, model.library, model.unit, model.spread], [3, 3, "MPI 9", "ns", 0.02]);
  assert.equal(model.sizes, SIZES);
  assert.equal(
    model.pes?.map(({ pes }) => pes),
    [1, 2],
  );
  for (const { pes, alpha, beta, gap, overhead, latency, stream, pieces } of model.pes ?? []) {
    isNear(alpha, 1500 * pes, 0.001);
    isNear(beta, 0.1 * pes, 0.001);
    isNear(gap.message, 300 * pes, 0.001);
    isNear(gap.byte, 0.05 * pes, 0.001);
    assert.equal([overhead, latency.length, stream.length, pieces], [77, SIZES.length, SIZES.length, undefined]);
  }
  assert.equal(
    model.incast?.map(({ senders }) => senders),
    [1, 2, 4],
  );
  assert.equal(
    model.bulk,
    [1, 2, 4].map((senders) => ({ senders, bytes: 32_768, time: 400 * senders })),
  );
  isNear(model.receiver?.fixed ?? 0, 100, 0.001);
  isNear(model.receiver?.sender ?? 0, 50, 0.001);
});

/** Of two nodes of one PE, on a line; one figure is another one. */
const figures = (change: (one: Found) => Found = (one) => one): Found[] =>
  stages({ nodes: 2, pes: 1 }).map((stage) =>
    change({ stage, value: 1500 + 0.1 * stage.bytes, spread: 0.1, busy: 50 }),
  );

fits("figures that vary, or that are far from their line, are named", () => {
  assert.equal(noisyFigures(figures()), []);
  const isAt = ({ stage }: Found, kind: Stage["kind"], bytes: number) => stage.kind === kind && stage.bytes === bytes;
  const varying = (spread: number) => figures((one) => (isAt(one, "stream", 1024) ? { ...one, spread } : one));
  assert.equal(varying(0.97).filter(isDoubtful).length, 1);
  assert.equal(noisyFigures(varying(0.97)), []);
  assert.equal(noisyFigures(varying(1.2)), ["stream with 1 PE a node: 1024 bytes, whose times spread by 120 %"]);
  const all = noisyFigures(figures((one) => ({ ...one, spread: 0.97 })));
  assert.equal(all, ["half of all figures, whose times spread by 97 % and more"]);
  const off = figures((one) => (isAt(one, "stream", 8) ? { ...one, value: 100 * one.value } : one));
  assert.match(noisyFigures(off).join(), /^stream with 1 PE a node, whose line by size is off by \d+ %$/);
  assert.equal(
    [...farFrom(off)].map(({ kind }) => kind),
    SIZES.map(() => "stream"),
  );
  // of latencies two lines
  const switched = figures((one) =>
    one.stage.kind === "latency" && one.stage.bytes > 4096 ? { ...one, value: 20 * one.value } : one,
  );
  assert.equal(noisyFigures(switched), []);
});

fits("on a slow link the largest sizes are left out, of all numbers of PEs", () => {
  const found = stages({ nodes: 2, pes: 2 })
    .filter((stage) => !("pes" in stage) || stage.bytes <= (stage.pes === 1 ? 65_536 : 16_384))
    .map((stage): Found => ({ stage, value: 900, spread: 0, busy: 300 }));
  const { sizes, pes } = modelOf(found, { nodes: 2, machines: 2, library: "" });
  assert.is(sizes?.at(-1), 16_384);
  for (const { latency, stream } of pes ?? [])
    assert.equal(
      [latency, stream].map(({ length }) => length),
      [6, 6],
    );
});

fits("one sender alone: all of the work is its", () => {
  const found = stages({ nodes: 2, pes: 1 }).map((stage): Found => ({ stage, value: 900, spread: 0, busy: 300 }));
  const { receiver } = modelOf(found, { nodes: 2, machines: 1, library: "" });
  assert.equal(receiver, { fixed: 0, sender: 300, residual: { median: 0, worst: 0 } });
});
fits.run();

const slices = suite("slices of a window");

slices("the median of slices; what warms up and what waits is not counted", () => {
  const found = new Slices(0, 24_000_000);
  let now = 0;
  // a message each 10 us, of which 6 us are waiting; the first 6 ms at ten times that
  while (!found.isOver(now)) {
    const each = now < 6e6 ? 100_000 : 10_000;
    now += each;
    found.wait(0.6 * each);
    found.add(now, 1);
  }
  const { value, spread, busy } = found.outcome();
  // a look at the clock for each message is taken off
  assert.ok(value > 9000 && value <= 10_000, `${value}`);
  assert.ok(Math.abs(value - busy - 6000) < 50, `${value} ${busy}`);
  assert.ok(spread < 0.05);
  assert.ok(now > 30e6 && now < 31e6);
});

slices("a slow network has its three slices all the same", () => {
  const found = new Slices(0, 1000);
  let messages = 0;
  for (; !found.isOver(messages * 1e6); messages++) found.add((messages + 1) * 1e6, 1);
  assert.is(messages, 4);
});

slices("the mean counts stalls, and there are as many messages as wanted", () => {
  const found = new Slices(0, 24_000);
  let now = 0;
  let messages = 0;
  // 9 messages at once, then a stall
  for (; !found.isOver(now, 90); messages++) {
    now += messages % 10 === 9 ? 100_000 : 10;
    found.add(now, 1);
  }
  assert.ok(messages >= 90 && messages < 120, `${messages}`);
  isNear(found.mean.value, 10_000, 0.15);
});
slices.run();

const tasks = suite("tasks between nodes");

/** All tasks of a stage with the process that each is of. */
const allOf = (stage: Stage, nodes: number, pes: number): (Task & { node: number })[] =>
  Array.from({ length: nodes }, (_, node) =>
    tasksOf(stage, node, { nodes, pes }, 1e6).map((task) => ({ ...task, node })),
  ).flat();

tasks("1, 2, 4, … and all", () => {
  assert.equal([1, 2, 3, 8, 9].map(doubling), [[1], [1, 2], [1, 2, 3], [1, 2, 4, 8], [1, 2, 4, 8, 9]]);
});

tasks("who pings is answered, and what is sent is received, in every stage of every job", () => {
  for (const [nodes, pes] of [
    [2, 1],
    [2, 2],
    [3, 4],
    [5, 3],
    [8, 2],
  ] as const) {
    for (const stage of stages({ nodes, pes })) {
      const all = allOf(stage, nodes, pes);
      const of = (kind: Task["kind"]) => all.filter((task) => task.kind === kind);
      const places = new Set(all.map(({ node, kind, back }) => `${node} ${kind} ${back}`));
      assert.is(places.size, all.length, "each PE has one task");
      for (const [to, from] of [
        ["pong", "ping"],
        ["sink", "source"],
      ] as const) {
        assert.is(of(from).length > 0, of(to).length > 0);
      }
      for (const task of all) {
        if (task.kind === "ping" || task.kind === "pong") {
          const other = task.kind === "ping" ? "pong" : "ping";
          const peers = of(other).filter(
            ({ node, tag, back }) => node === task.peer && tag === task.tag && back === task.back,
          );
          assert.is(peers.length, 1);
        }
        if (task.kind === "source") {
          const sinks = of("sink").filter(({ node, tag }) => node === task.peer && tag === task.tag);
          assert.is(sinks.length, 1);
          const [sink] = sinks;
          assert.ok(sink?.kind === "sink" && sink.self === sink.node && sink.timed !== task.timed);
          assert.equal(sink.kind === "sink" && sink.sources[task.index], {
            peer: task.node,
            back: task.back,
          });
        }
        assert.ok(task.ahead >= 2 && task.ahead % 2 === 0 && task.back < 32_767);
      }
      const expected = "senders" in stage ? 1 + stage.senders : 2 * stage.pes * Math.floor(nodes / 2);
      assert.is(all.length, expected);
    }
  }
});
tasks.run();
