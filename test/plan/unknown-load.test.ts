/** Conveyors without a load on measured machines: near the best for any load, by the model; and what is told of that. */
import { readdirSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { u32 } from "../../src/index.ts";
import { readMachine } from "../../src/machine/model/model.ts";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { ASSUMED_LOADS, planUnknown } from "../../src/plan/conveyor/unknown-load.ts";
import { costModelOf } from "../../src/plan/model/machine.ts";
import { choose, oneNode } from "../../src/route/geometry/conveyor-choice.ts";
import { simulate } from "../../src/simulate.ts";
import { LONG } from "../support/long.ts";
import { fixture } from "../support/paths.ts";

const test = suite("conveyors of an unknown load");

const LARGE = "c2c-amd-epyc-7r13-48-core-processor.json";
const machine = (name: string) => readMachine(fixture("machines", name));

/** The mean of several ratios. */
const mean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, one) => sum + Math.log(one), 0) / ratios.length);

test("on machines with domains: near the best for each load, and never further from it than the defaults", async () => {
  const losses: number[] = [];
  for (const [at, name] of readdirSync(fixture("machines")).entries()) {
    if (!name.endsWith(".json")) continue;
    const known = await machine(name);
    for (const itemBytes of LONG ? [8, 64] : [at % 2 === 0 ? 8 : 64]) {
      const model = costModelOf(known, { itemBytes });
      const { levels, pes } = model;
      if (levels.length === 0 || pes < 32) continue;
      const timeOf = (load: number, forced = {}) => makePlan(known, { itemBytes, load, ...forced }).expected.time;
      const least = ASSUMED_LOADS.map((load) => timeOf(load));
      const lossOf = (choice: object) =>
        mean(ASSUMED_LOADS.map((load, i) => timeOf(load, choice) / (least[i] as number)));
      const planned = planUnknown(model, { itemBytes });
      const { route, bufferBytes, buffersPerLink } = choose({}, pes, itemBytes, {
        levels,
        nodeLayout: oneNode(levels),
      });
      const { hops, groupSize } = route;
      const usual = { type: "tensor", hops, ...(hops > 1 && { groupSize }), bufferBytes, buffersPerLink };
      const loss = lossOf(planned?.options ?? {});
      assert.ok(loss <= 1.02 * lossOf(usual), `${name}, ${itemBytes} B: ${loss}, and ${lossOf(usual)} by the defaults`);
      losses.push(loss);
    }
  }
  losses.sort((a, b) => a - b);
  const [middle, worst] = [losses[losses.length >> 1], losses.at(-1)] as [number, number];
  assert.ok(losses.length >= 30 && middle < 1.15 && worst < 1.4, `${losses.length} cases, ${middle}, ${worst}`);
});

test("what was assumed is told, and what a known load would change", async () => {
  const model = costModelOf(await machine(LARGE), { itemBytes: 8 });
  const text = planUnknown(model, { itemBytes: 8 })?.explain() ?? "";
  assert.match(
    text,
    /^no load given, so as for sessions of 1e3, 1e4, 1e5 and 1e6 items of 8 B from each of 192 PEs on 1 node:/,
  );
  assert.match(text, /^tensor, 2 hops in groups of \d+, .* a PE \(the best of \d+\)$/m);
  assert.match(text, /^ {2}groups of \d+: the \d+ domains that the model shows$/m);
  assert.match(text, /^ {2}1e3 items: .* with \{ load: 1000 \} \d\.\d % less, by tensor, 3 hops/m);
});

test("the others keep what is given, and a budget", async () => {
  const model = costModelOf(await machine(LARGE), { itemBytes: 8 });
  const given = planUnknown(model, { itemBytes: 8 }, { bufferBytes: 512, buffersPerLink: 4 });
  assert.equal([given?.options.bufferBytes, given?.options.buffersPerLink], [512, 4]);
  const tight = planUnknown(model, { itemBytes: 8, maxBytes: 100_000 });
  const wide = planUnknown(model, { itemBytes: 8, maxBytes: 10_000_000 });
  assert.ok((tight?.options.bufferBytes ?? 0) < (wide?.options.bufferBytes ?? 0));
  assert.is(planUnknown(model, { itemBytes: 8, maxBytes: 1000 }), null);
});

const told = (known: Parameters<typeof makePlan>[0], pes: number, options: object): string => {
  const { results } = simulate({ pes, ...(known && { machine: known }) }, function* (pe) {
    const c = pe.conveyor(u32, options);
    yield* c.begin();
    while (yield* c.advance(true));
    yield* c.reset();
    return c.explain();
  });
  return results[0] as string;
};

test("a program's conveyor takes it on a machine with domains, unless its ways are given", async () => {
  const large = await machine(LARGE);
  assert.match(told(large, 192, {}), /^no load given.*\ntensor, 2 hops in groups of/);
  for (const given of [{ hops: 1 }, { type: "simple" }, { groupSize: 4, hops: 2 }] as const)
    assert.not.match(told(large, 192, given), /no load given/);
  assert.match(told(large, 192, { load: 1e6 }), /^1000000 items of 4 B/);
  assert.match(told(undefined, 16, {}), /^tensor, 1 hop, .*: the defaults/);
});

test.run();
