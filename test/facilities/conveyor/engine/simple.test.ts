/** The bulk-synchronous conveyor over two hops: rows, then columns; buffers that are full, and few links. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { type SimulationResult, simulate } from "../../../../src/running/simulate/simulate.ts";
import { mix } from "../support/payloads.ts";

const PES = 16;

interface Came {
  readonly got: readonly number[];
  readonly votes: number;
  readonly told: string;
}

/** Every PE sends so many items to random PEs. Gives what came from each. */
function run(options: ConveyorOptions, items: number): SimulationResult<Came> {
  return simulate({ pes: PES, nodes: 4, seed: 2, jitter: 1 }, function* (pe) {
    const c = pe.conveyor(u32, options);
    const got = new Array<number>(PES).fill(0);
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === items); ) {
      while (i < items && c.push(mix(pe.rank, i) % PES, i)) i++;
      while (c.pull()) got[c.from]++;
    }
    yield* c.reset();
    return { got, votes: c.stats().votes, told: c.explain() };
  });
}

const simple = suite("simple conveyors");

simple("two hops: first within the node, then between nodes, with fewer buffers than one hop", () => {
  const items = 300;
  const two = run({ type: "simple", hops: 2, bufferBytes: 256 }, items);
  const one = run({ type: "simple", bufferBytes: 256 }, items);
  const [row, column] = two.conveyors[0]?.hops ?? [];
  assert.is(two.conveyors[0]?.hops.length, 2);
  assert.is(row?.remoteMessages, 0, "rows are nodes");
  assert.ok((column?.remoteMessages ?? 0) > 0);
  assert.equal([row?.items, column?.items], [PES * items, PES * items], "each item is sent twice");
  assert.ok(
    (column?.remoteMessages ?? 0) < 0.6 * (one.conveyors[0]?.hops[0]?.remoteMessages ?? 0),
    `${column?.remoteMessages} and ${one.conveyors[0]?.hops[0]?.remoteMessages} messages between nodes`,
  );
  assert.equal(
    two.results.map(({ got }) => got),
    one.results.map(({ got }) => got),
  );
  for (const { told } of two.results)
    assert.match(told, /^simple, 2 hops in groups of 4, [\s\S]*links: in a random order$/);
});

simple("an empty session over two hops takes four votes, over one hop three", () => {
  // the begin; and of each hop one for the last exchange, one that all was taken, which is the next hop's first
  const votes = (options: ConveyorOptions) => new Set(run(options, 0).results.map((one) => one.votes));
  assert.equal([...votes({ type: "simple" })], [3]);
  assert.equal([...votes({ type: "simple", hops: 2 })], [4]);
});

simple("three hops are refused, and two of a trivial one", () => {
  assert.throws(
    () => run({ type: "simple", hops: 3 }, 0),
    /hops: a simple conveyor has one or two hops, got 3\. Leave it out, or take type: "tensor"/,
  );
  assert.throws(() => run({ type: "trivial", hops: 2 }, 0), /hops: a trivial conveyor has one hop, got 2/);
});

simple("a plan for a load is made for two hops when they are asked for", () => {
  const { told } = run({ type: "simple", hops: 2, load: 100 }, 100).results[0] as Came;
  assert.match(told, /\nsimple, 2 hops in groups of \d+, .*\n/);
});

simple.run();
