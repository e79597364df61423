/** Votes over nodes: a barrier in hardware, a fixed time, or messages that wait behind others. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../../src/ground/base/errors.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import { votingOver } from "../../../src/plan/model/servers.ts";
import type { SimulatedNetwork } from "../../../src/plan/network/network.ts";
import { networkOf } from "../../../src/plan/network/network-settings.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { near } from "./support/traffic.ts";

/** Sessions of a simple conveyor without an item: nothing but votes. @returns ns of virtual time for each, and how many */
function* voting(pe: SimulatedPE): Generator<void, { readonly time: number; readonly count: number }, void> {
  const c = pe.conveyor(u32, { type: "simple" });
  const began = pe.now;
  let count = 0;
  for (let session = 0; session < 20; session++) {
    yield* c.begin();
    while ((yield* c.advance(true)) !== DONE);
    count += c.stats().votes;
    yield* c.reset();
  }
  return { time: (pe.now - began) / count, count };
}

/** Time of a vote of one PE on each node, ns. */
function voteOf(nodes: number, network: SimulatedNetwork, more: Partial<SimulationOptions> = {}): number {
  const { results } = simulate({ pes: nodes, nodes, network, costs: { advance: 0, byte: 0 }, ...more }, voting);
  return Math.max(...results.map(({ time }) => time));
}

const expected = (nodes: number, network: SimulatedNetwork): number =>
  votingOver(networkOf(network, nodes, undefined), nodes);

const CONGESTED = {
  ...{ alpha: 1000, beta: 0.5, receiver: 100 },
  ...{ injection: { message: 20, byte: 3 }, ejection: { message: 40, byte: 5 } },
};

const votes = suite("votes over nodes");

votes("they take a barrier in hardware, or up and down a tree", () => {
  const line = { alpha: 1000, receiver: 100 };
  assert.is(expected(8, line), 6 * 1100);
  assert.is(expected(8, { ...line, barrier: 0 }), 0);
  assert.is(expected(8, { ...CONGESTED, barrier: 5000 }), 5000);
  assert.is(expected(1, { ...line, barrier: 5 }), 0);
  // 8 bytes; 50 ns at either PE
  assert.is(expected(8, CONGESTED), 6 * (50 + 20 + 8 * 3 + 1000 + 8 * 0.5 + 40 + 8 * 5 + 50));
  for (const network of [line, { ...line, barrier: 20_000 }, { ...CONGESTED, barrier: 20_000 }]) {
    near(voteOf(8, network), expected(8, network), 0.05);
  }
});

votes("in a network that can be congested and has no barrier they are messages up and down a tree", () => {
  for (const nodes of [2, 4, 8, 64]) near(voteOf(nodes, CONGESTED), expected(nodes, CONGESTED), 0.05);
  // the path of a tree that is not full may be shorter
  for (const nodes of [3, 5, 6, 7, 11]) assert.ok(voteOf(nodes, CONGESTED) <= 1.05 * expected(nodes, CONGESTED));
  const { network, results } = simulate({ pes: 12, nodes: 4, network: CONGESTED }, voting);
  const messages = results[0].count * 2 * 3;
  assert.is(network?.messages, messages);
  assert.is(network?.bytes, 8 * messages);
});

votes("they wait behind data, those of a barrier in hardware do not", () => {
  // node 1 sends 100 kB to node 0, then all vote
  const timeOf = (network: SimulatedNetwork, bytes: number) => {
    const { results } = simulate({ pes: 4, nodes: 4, network }, function* (pe) {
      const [data, vote] = [pe.conveyor(u32, { bufferBytes: 131_072 }), pe.conveyor(u32, { type: "simple" })];
      yield* data.begin();
      if (pe.rank === 1) for (let i = 0; i < bytes / 4; i++) data.push(0, i);
      let ended = false;
      const turn = function* () {
        if (!ended) ended = (yield* data.advance(true)) === DONE;
        while (data.pull());
      };
      yield* turn();
      const began = pe.now;
      yield* vote.begin();
      const voted = pe.now - began;
      while (!ended) yield* turn();
      yield* data.reset();
      while ((yield* vote.advance(true)) !== DONE);
      yield* vote.reset();
      return voted;
    });
    return Math.max(...results);
  };
  const [bytes, network] = [100_000, { ...CONGESTED, beta: 0 }];
  // out of node 1, and into node 0
  assert.ok(timeOf(network, bytes) > bytes * (3 + 5), "not behind the data");
  const hardware = { ...network, barrier: 2000 };
  assert.ok(timeOf(hardware, bytes) < timeOf(hardware, 0) + bytes, "behind the data");
});

votes("they are the same for the same seed, and end when a PE stalls or crashes", () => {
  const options = { pes: 12, nodes: 6, network: { ...CONGESTED, queue: 1 }, jitter: 2 };
  const fault = { pe: 4, at: 3000, lasting: 1e6 };
  for (const seed of [1, 2, 3]) {
    const run = () => simulate({ ...options, seed, faults: [{ ...fault, kind: "stall" }] }, voting);
    const first = run();
    assert.equal(run(), first);
    assert.ok(first.time > 1e6);
    assert.throws(
      () => simulate({ ...options, seed, faults: [{ ...fault, kind: "crash" }] }, voting),
      (error: unknown) => error instanceof RankLostError && error.rank === 4,
    );
  }
});

votes.run();
