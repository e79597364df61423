/** The load of a hop's links on the network: what is counted in part against a count of all. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makePlan } from "../../../src/plan/conveyor/make-plan.ts";
import { makeExchangePlan } from "../../../src/plan/exchange/make-exchange-plan.ts";
import { costModelOf } from "../../../src/plan/model/machine.ts";
import { type Friends, trafficOf } from "../../../src/plan/model/traffic.ts";
import type { SimulatedNetwork } from "../../../src/plan/network/network.ts";
import { near } from "../../running/simulate/support/traffic.ts";

const test = suite("traffic of a hop");

/** Rows of n PEs, and columns: the friends of a PE along each. */
const row = (n: number): Friends => ({ count: n, at: (place, link) => place - (place % n) + link });
const column = (pes: number, n: number): Friends => ({ count: pes / n, at: (place, link) => link * n + (place % n) });
const all = (pes: number): Friends => ({ count: pes, at: (_, link) => link });
const shift = (pes: number, by: number): Friends => ({ count: 1, at: (place) => (place + by) % pes });

/** Each link, one by one; halves by node number. */
function reference(pes: number, nodes: number, { count, at }: Friends) {
  const nodeOf = (place: number) => Math.floor(place / (pes / nodes));
  const [out, into] = [new Float64Array(nodes), new Float64Array(nodes)];
  let cut = 0;
  for (let place = 0; place < pes; place++) {
    for (let link = 0; link < count; link++) {
      const [from, to] = [nodeOf(place), nodeOf(at(place, link))];
      if (from === to) continue;
      out[from]++;
      into[to]++;
      if (from < nodes / 2 && to >= nodes / 2) cut++;
    }
  }
  return { out: Math.max(...out), into: Math.max(...into), cut };
}

test("rows that begin in the middle of a node: as the busiest node has it", () => {
  for (const [nodes, each, of] of [
    [128, 48, 64],
    [100, 60, 48],
    [256, 32, 48],
  ] as const) {
    const pes = nodes * each;
    const model = costModelOf(undefined, { itemBytes: 8, pes, nodes });
    const order = Int32Array.from({ length: pes }, (_, place) => place);
    const { out, into } = trafficOf(model, order, row(of));
    const counted = reference(pes, nodes, row(of));
    near(out, counted.out, 0.02);
    near(into, counted.into, 0.02);
  }
});

for (const [nodes, each] of [
  [8, 4],
  [256, 32],
  [1024, 32],
  [4096, 4],
] as const) {
  const pes = nodes * each;
  const model = costModelOf(undefined, { itemBytes: 8, pes, nodes });
  const order = Int32Array.from({ length: pes }, (_, place) => place);
  for (const [name, friends] of [
    ["a row that is a node", row(each)],
    ["a row that is half a node", row(each / 2)],
    ["a row of two nodes", row(2 * each)],
    ["a column", column(pes, each)],
    ["a column of half the rows", column(pes, 2 * each)],
    ["a shift", shift(pes, 3 * each + 1)],
    ...(pes < 2 ** 14 ? [["all", all(pes)] as const] : []),
  ] as const) {
    test(`${nodes} nodes of ${each} PEs: ${name}`, () => {
      const { out, into, cut } = trafficOf(model, order, friends);
      const counted = reference(pes, nodes, friends);
      near(out, counted.out, 0.02);
      near(into, counted.into, 0.02);
      // of pairs of neighbours few cross the middle, and those that do are not in the sample
      if (counted.cut > pes / 100) near(cut, counted.cut, 0.05);
    });
  }
}

test("what stays in its node does not load the network, however many PEs there are", () => {
  const network: SimulatedNetwork = { beta: 0, injection: { byte: 0.08 }, ejection: { byte: 0.08 } };
  const shape = { type: "tensor", hops: 3, groupSize: 32, bufferBytes: 16_384, buffersPerLink: 2 } as const;
  // each item leaves its node once
  const each = (nodes: number) =>
    makePlan(undefined, { nodes, pes: 32 * nodes, network, itemBytes: 8, load: 1e6, ...shape }).expected.network;
  near(each(2048), each(64), 0.1);
});

test("an exchange of as many nodes as there may be PEs of a node", () => {
  const { expected } = makeExchangePlan(undefined, { pes: 65_536, nodes: 65_536, bytes: 1e6 });
  assert.ok(expected.time > 0 && Number.isFinite(expected.time));
});

test.run();
