/** The rule for packets and their pace: its formula, where it is of use, and what a plan makes of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makeExchangePlan } from "../../../src/plan/exchange/make-exchange-plan.ts";
import { pacedFor, packetBytesFor } from "../../../src/plan/exchange/pace.ts";
import { costModelOf } from "../../../src/plan/model/machine.ts";
import type { SimulatedNetwork } from "../../../src/plan/network/network.ts";

const test = suite("packets and their pace");

const KIB = 1024;
/** Receivers are slow: 1000 ns for a message, 8 ns for a byte. */
const SLOW: SimulatedNetwork = {
  ...{ alpha: 1500, beta: 0, queue: 4, packetBytes: 8 * KIB },
  ...{ injection: { byte: 1 }, ejection: { message: 1000, byte: 8 } },
};
const PES = 8;
const LOAD = { bytes: 16 * (PES - 1) * 16 * KIB, blockBytes: 16 * KIB };

const paced = (network: SimulatedNetwork, load: object = {}, packetBytes?: number) =>
  pacedFor(
    costModelOf(undefined, { itemBytes: 64, pes: PES, nodes: PES, network }),
    { ...LOAD, ...load },
    2,
    packetBytes,
  );

test("the pace is that of the busiest part for packets of this size, their heads and returned buffers", () => {
  const expected = (bytes: number) =>
    ((0.9 * (bytes + 32)) / (1000 * Math.ceil((bytes + 32) / 8192) + 8 * (bytes + 32) + 1000 + 8 * 8)) * 1e9;
  for (const bytes of [512, KIB, 4 * KIB, 16 * KIB]) {
    const { packetBytes, pace } = paced(SLOW, {}, bytes) ?? { packetBytes: 0, pace: 0 };
    assert.is(packetBytes, bytes);
    assert.ok(Math.abs(pace / expected(bytes) - 1) < 0.01, `${bytes}: ${pace}, expected ${expected(bytes)}`);
  }
});

test("the fewest equal packets of a block, each one message", () => {
  assert.equal([1, 100, 32_736].map(packetBytesFor), [1, 100, 32_736]);
  assert.equal([32_737, 65_536, 3 * 32_736].map(packetBytesFor), [16_369, 21_846, 32_736]);
  assert.is(paced(SLOW)?.packetBytes, 16 * KIB);
  assert.is(paced(SLOW, { blockBytes: 64 * KIB })?.packetBytes, 21_846);
});

test("links that are slower than receivers count, and get less load", () => {
  const mesh = (byte: number) => paced({ ...SLOW, topology: { kind: "mesh", byte } })?.pace ?? 0;
  assert.ok(mesh(1) > 0.9 * (paced(SLOW)?.pace ?? 0));
  assert.ok(mesh(16) < 0.6 * mesh(1), `${mesh(16)} and ${mesh(1)}`);
});

test("none where it is of no use", () => {
  assert.ok(paced(SLOW) !== null);
  const { queue, ...unlimited } = SLOW;
  assert.equal([queue, paced(unlimited)], [4, null]);
  assert.is(paced({ ...SLOW, interleaved: true }), null, "packets for other nodes do not wait");
  assert.is(paced(SLOW, { bytes: 2 * (PES - 1) * 16 * KIB }), null, "all fits into the buffers");
  assert.is(paced(SLOW, { destinations: 1 }), null, "a sender for each receiver");
  assert.ok(paced(SLOW, { destinations: 4 }) !== null);
  const mesh = { ...SLOW, topology: { kind: "mesh", byte: 1 } } as const;
  assert.is(paced(mesh, { destinations: 4 }), null, "which links they share is not known");
});

test("a plan chooses both, and says why with numbers that agree", () => {
  // barriers take long, and a block has more packets than may be underway
  const network = { ...SLOW, alpha: 60_000 };
  const load = { ...LOAD, blockBytes: 64 * KIB };
  const plan = makeExchangePlan(undefined, { pes: PES, nodes: PES, network, ...load });
  const { discipline, packetBytes, pace } = plan.options;
  assert.equal({ discipline, packetBytes, pace }, { discipline: "interleaved", ...paced(network, load) });
  assert.match(plan.explain(), /interleaved, turns of at most 64 KiB, packets of 21\.3 KiB, at most 10\d\.\d MiB\/s/);
  const [, apart, busy] = /a packet every (\S+) us, .* busy for (\S+) us of it/.exec(plan.explain()) ?? [];
  assert.ok(Math.abs(Number(busy) / Number(apart) - 0.9) < 0.01, `${busy} of ${apart}`);
  assert.match(plan.explain(), /\n {2}a PE at its pace \S+ ms/);
});

test("forced packets get their own pace, and a forced pace no packets", () => {
  const of = (forced: object) =>
    makeExchangePlan(undefined, { pes: PES, nodes: PES, network: SLOW, ...LOAD, discipline: "interleaved", ...forced })
      .options;
  assert.equal(
    [of({ packetBytes: 4096 }).packetBytes, of({ packetBytes: 4096 }).pace],
    [4096, paced(SLOW, {}, 4096)?.pace],
  );
  assert.equal([of({ pace: 5e7 }).packetBytes, of({ pace: 5e7 }).pace], [undefined, 5e7]);
  assert.is(of({ discipline: "token" }).pace, undefined);
});

test("a pace faster than the busiest part keeps nobody apart", () => {
  const crowdAt = (pace: number | undefined) =>
    makeExchangePlan(undefined, {
      pes: PES,
      nodes: PES,
      network: SLOW,
      ...LOAD,
      discipline: "interleaved",
      pace,
    }).expected.crowd;
  assert.ok(crowdAt(9e7) < 0.2 * crowdAt(1e9), `${crowdAt(9e7)} and ${crowdAt(1e9)}`);
});

test.run();
