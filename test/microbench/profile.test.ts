/** The machine profile on this machine, with few rounds: shape and sense, not speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compare } from "../../microbench/collectives/compare.ts";
import { isMode, isStable, largestMode } from "../../microbench/pairs/modes.ts";
import type { Progress } from "../../microbench/pairs/profiled.ts";
import { medianMatrix, quartiles, trimmed } from "../../microbench/pairs/statistics.ts";
import { profile } from "../../microbench/profile.ts";
import { fitWarning } from "../../src/machine/model/fingerprint.ts";
import { parseMachine } from "../../src/machine/model/model.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { generateTrees } from "../../trees/generate/generate.ts";
import { rounds } from "../support/long.ts";

const quick = { rounds: 200, minPasses: 2, maxPasses: 3, budgetMs: rounds(100, 20_000) };
const test = suite("profile");

test("gives a valid model of this machine with every matrix filled", async () => {
  const topology = await readTopology();
  const stages: Progress[] = [];
  const model = await profile({ ...quick, onProgress: (progress) => stages.push(progress) });
  assert.is(parseMachine(JSON.parse(JSON.stringify(model))).schema, "tundish/machine@1");
  assert.is(fitWarning(model, topology), null);
  const n = usableCpus(topology).length;
  assert.is(model.pes.length, n);
  assert.equal(Object.keys(model.batches ?? {}), ["1", "2", "4", "8"]);
  assert.ok(model.items);
  const { byte, buffer, open, ...item } = model.items as NonNullable<typeof model.items>;
  assert.equal(Object.keys(item), ["push", "pivot", "pull"]);
  const { look, buffers, sizes } = open as NonNullable<typeof open>;
  assert.ok(look > 0.1 && look < 1000, String(look));
  assert.equal([buffers[0], buffers.at(-1), sizes.map(({ bytes }) => bytes)], [1, 1024, [512, 4096, 32_768]]);
  for (const ns of sizes.flatMap(({ push }) => push)) assert.ok(ns > 0.1 && ns < 1000, String(ns));
  // what an item of 8 bytes takes: more than nothing, less than a microsecond
  if (n > 1) {
    const { handle, wait, shared } = buffer as NonNullable<typeof buffer>;
    // more than a message, less than a session
    assert.ok(handle > 50 && handle < 1e5, String(handle));
    assert.ok(wait >= 0 && shared >= 0 && wait < 1e6 && shared < 1e6, `${wait} ${shared}`);
  } else assert.is(buffer, undefined);
  for (const part of ["push", "pivot", "pull"] as const) {
    const time = item[part] + 8 * byte[part];
    assert.ok(time > 0.1 && time < 1000 && byte[part] >= 0, `${part} ${time}`);
  }
  assert.equal(model.batches?.["8"], { send: model.send, receive: model.receive });
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const [s, r, p, rtt] = [model.send, model.receive, model.propagate, model.rtt].map((m) => m?.[i][j] ?? -1);
      if (i === j) {
        assert.equal([s, r, p, rtt], [0, 0, 0, 0]);
        continue;
      }
      assert.ok(s > 0 && r > 0 && rtt > 0 && p >= 0, `pair ${i} ${j}: ${s} ${r} ${p} ${rtt}`);
      assert.ok(p === 0 || Math.abs(p - (rtt / 2 - s - r)) < 0.02, "propagate = rtt/2 - send - receive");
      assert.ok((model.stream?.[i][j] ?? 0) > 0 && (model.bandwidth?.[i][j] ?? 0) > 0);
      assert.ok((model.deviation?.rtt[i][j] ?? -1) >= 0);
    }
  }
  assert.is(model.noise.probe.length, 2 * model.noise.passes);
  if (n > 1) {
    assert.ok((model.wake?.atomics ?? 0) > 0);
    assert.ok(model.noise.passes >= 2 && model.noise.passes <= 3);
  }
  assert.is(stages.at(-1)?.done, 1);
  assert.ok(generateTrees(model).broadcast.latency > 0 || n === 1);
});

test("measures a subset, down to a single CPU", async () => {
  const [{ cpu }] = usableCpus(await readTopology());
  const model = await profile({ ...quick, cpus: [cpu] });
  assert.equal(model.send, [[0]]);
  assert.is(model.noise.stable, true);
  assert.is(parseMachine(model).pes[0].cpu, cpu);
  const comparison = await compare(model, { turns: rounds(1, 3), budgetMs: rounds(100, 20_000) });
  assert.is(comparison.pes, 1);
  assert.equal(
    comparison.ours.map(({ what }) => what),
    ["barrier", "broadcast f64", "reduce f64", "allreduce f64", "allreduce f64[8192]"],
  );
});

test("refuses CPUs that are not there, twice the same, or none", async () => {
  for (const cpus of [[4095], [0, 0], []]) {
    try {
      await profile({ ...quick, cpus });
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code: string }).code, "ERR_TUNDISH_USAGE");
    }
  }
});

test("refuses options that there are not", async () => {
  for (const [options, told] of [
    [
      { ...quick, budget: 5 },
      /^profile: unknown option 'budget'; did you mean 'budgetMs'\? Known options: cpus, topology, /,
    ],
    [null, /^profile: expected an object, got null/],
  ] as const) {
    const error = await profile(options as never).then(
      () => assert.unreachable(),
      (error: Error & { code?: string }) => error,
    );
    assert.is(error?.code, "ERR_TUNDISH_USAGE");
    assert.match(error?.message ?? "", told);
  }
});

test("stops when the signal says so", async () => {
  const stop = new AbortController();
  try {
    await profile({ ...quick, signal: stop.signal, onProgress: () => stop.abort(new Error("enough")) });
    if (usableCpus(await readTopology()).length > 1) assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, "enough");
  }
});
test.run();

const numbers = suite("statistics of a profile");

numbers("the trimmed mean drops the largest tenth", () => {
  const samples = Float64Array.from({ length: 100 }, (_, i) => (i < 90 ? 10 : 1000));
  assert.equal(trimmed(samples), { mean: 10, deviation: 0 });
});

numbers("quartiles and median matrices", () => {
  assert.equal(quartiles([1, 2, 3, 4, 5]), { low: 2, median: 3, high: 4 });
  const matrix = (x: number) => [
    [0, x],
    [2 * x, 0],
  ];
  assert.equal(medianMatrix([matrix(1), matrix(9), matrix(3)]), matrix(3));
});

const pass = (probe: [number, number], rtt: number) => ({
  probe,
  rtt: [
    [0, rtt],
    [rtt, 0],
  ],
});

numbers("near and far passes are told apart, the larger set is taken", () => {
  const near = [pass([105, 107], 150), pass([104, 106], 151), pass([106, 105], 149)];
  const far = [pass([500, 510], 600), pass([505, 500], 610)];
  const mode = largestMode([far[0], near[0], near[1], far[1], near[2]]);
  assert.equal(mode.passes, near);
  assert.ok(mode.spread < 0.01);
  assert.is(isStable(mode, 3), true);
  assert.is(isStable(mode, 4), false);
  assert.is(isMode(500, 105), false);
});

numbers("passes that the machine changed in are not trusted", () => {
  const changing = [pass([105, 500], 150), pass([500, 105], 600)];
  assert.is(isStable(largestMode(changing), 2), false);
});

numbers("passes of one mode that disagree are not stable", () => {
  const noisy = [pass([105, 105], 100), pass([105, 105], 150), pass([105, 105], 200)];
  assert.is(isStable(largestMode(noisy), 3), false);
});
numbers.run();
