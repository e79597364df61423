/** How many rounds a simple conveyor is expected to take, against throwing items into bins. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FIT } from "../../src/plan/fit.ts";
import { predict } from "../../src/plan/predict.ts";
import { NO_TRAFFIC } from "../../src/plan/traffic.ts";
import type { Candidate, CostModel } from "../../src/plan/types.ts";
import { randomNumbers } from "../../trees/model/random.ts";

const predictions = suite("predictions");

const PES = 16;
const model: CostModel = {
  pes: PES,
  nodes: 1,
  nodeOf: new Int32Array(PES),
  nodeSize: PES,
  send: null,
  receive: null,
  levels: [],
  network: { alpha: 0, beta: 0, receiver: 0, pieces: [], congestion: null },
  costs: { push: 1, pull: 1, advance: 1, byte: 0 },
};
const ITEM_BYTES = 8;
const [send, receive] = [70, 30];
/** Up and down a tree of 16 PEs, two messages of 50 ns at each step. */
const VOTE = 2 * 4 * 2 * 50;

/** Items of a PE for each of its links between two exchanges, as the prediction has it. */
function itemsOfRound(capacity: number): number {
  const candidate: Candidate = {
    type: "simple",
    hops: 1,
    groupSize: 1,
    bufferBytes: capacity * ITEM_BYTES,
    buffersPerLink: 1,
  };
  const hops = [{ links: PES, send, receive, remote: 0, away: 0, worst: 1, traffic: NO_TRAFFIC }];
  const waiting = (items: number): number => {
    const { time, work } = predict(model, { itemBytes: ITEM_BYTES, load: items * PES }, candidate, hops);
    return time - FIT.even * work;
  };
  // what there is beside the rounds falls out
  const rounds = (waiting(2000) - waiting(1000)) / (FIT.rounds * VOTE + send + receive);
  return 1000 / rounds;
}

/** The same, tried out: items for any of the links of all PEs, until the first of them is full. */
function triedOut(capacity: number): number {
  const random = randomNumbers(7);
  const links = PES * PES;
  const trials = 200;
  let thrown = 0;
  for (let trial = 0; trial < trials; trial++) {
    const items = new Uint32Array(links);
    let most = 0;
    for (; most < capacity; thrown++) most = Math.max(most, ++items[Math.floor(random() * links)]);
  }
  return thrown / trials / links;
}

for (const [capacity, error] of [
  [8, 0.1],
  [40, 0.04],
] as const) {
  predictions(`rounds of a simple conveyor, buffers of ${capacity} items`, () => {
    const [predicted, found] = [itemsOfRound(capacity), triedOut(capacity)];
    assert.ok(
      Math.abs(predicted / found - 1) < error,
      `${predicted} items for a link in a round, not ${found}`,
    );
  });
}

predictions.run();
