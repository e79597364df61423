/** Relays: walks over threads, the chains, and the arithmetic on times of an invented machine. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BATCHES, type Job } from "../../microbench/pairs/jobs.ts";
import { measurePass } from "../../microbench/pairs/pass.ts";
import { chainsOf, relaysOf } from "../../microbench/pairs/relays.ts";
import { PairWorkers } from "../../microbench/pairs/workers.ts";
import { combine } from "../../microbench/profile.ts";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { relayText } from "../../src/interface/cli/text/cost-text.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";

const test = suite("relays");

test("a message goes its walk over three threads on the CPUs that there are, by either kind of channel", async () => {
  const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
  const cpus = [0, 1, 2].map((pe) => usable[pe % usable.length]);
  await using pairWorkers = await PairWorkers.start(cpus);
  for (const channel of ["ump", "fastforward"] as const) {
    for (const walk of [
      [0, 1, 2, 1],
      [2, 0, 1, 0],
      [0, 1, 2],
      [1, 2],
    ]) {
      const time = await pairWorkers.walk(walk, { channel, count: 5 });
      assert.ok(time > 0 && time < 1e10, `${walk}: ${time} ns`);
    }
  }
  // the same threads measure pairs as before
  const [lead] = await pairWorkers.pair(2, 0, { kind: "stream", count: 100 });
  assert.ok(lead.kind === "value" && lead.value > 0);
});

test("a pass has chains and a ring from three PEs on", async () => {
  const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
  await using pairWorkers = await PairWorkers.start([0, 1, 2].map((pe) => usable[pe % usable.length]));
  const few = { channel: "ump", rounds: 2, messages: 2, blocks: 1 } as const;
  const three = await measurePass(pairWorkers, 3, few);
  assert.is(three.chains.length, 3);
  assert.ok([...three.chains, three.ring].every((time) => time > 0));
  const two = await measurePass(pairWorkers, 2, few);
  assert.equal([two.chains, two.ring], [[], 0]);
  assert.not("relay" in combine([two]));
});

test("chains: each PE is in the middle of one to four, of three PEs each", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), (pes) => {
      const chains = chainsOf(pes);
      for (const chain of chains) {
        assert.is(new Set(chain).size, 3);
        assert.ok(chain.every((pe) => pe >= 0 && pe < pes));
      }
      const own = Array.from({ length: pes }, () => 0);
      for (const [, b] of chains) own[b]++;
      assert.ok(own.every((count) => (pes < 3 ? count === 0 : count >= 1 && count <= 4)));
      assert.is(new Set(chains.map(([a, b, c]) => [Math.min(a, c), b, Math.max(a, c)].join())).size, chains.length);
    }),
  );
});

test("forwarding takes no less than nothing", () => {
  assert.equal(
    relaysOf(3, [390, 460, 400], () => 100),
    [0, 30, 0],
  );
});

/** Measures an invented machine: the times of its pairs and walks, each up to `noise` off. */
function invented(relay: readonly number[], noise: number, seed: number): PairWorkers {
  const random = randomNumbers(seed);
  const off = (time: number) => time * (1 + noise * (2 * random() - 1));
  const hop = (from: number, to: number) => 300 + 10 * Math.abs(from - to);
  const side = (mean: number) => ({ mean: off(mean), deviation: 1 });
  const workers: Pick<PairWorkers, "pair" | "walk"> = {
    pair: async (from, to, { kind }: Pick<Job, "kind">) => {
      const rtt = 2 * hop(from, to);
      const value = kind === "rtt" ? off(rtt) : 100;
      if (kind !== "pairwise")
        return [
          { kind: "value", value },
          { kind: "value", value },
        ];
      return [
        { kind, sides: BATCHES.map((batch) => ({ batch, send: side(60), rtt: side(rtt) })) },
        { kind, sides: BATCHES.map((batch) => ({ batch, receive: side(70) })) },
      ];
    },
    // each forwards, but for the first and who answers the PE before it
    walk: async (walk) =>
      off(
        walk.reduce((sum, pe, place) => {
          const [before, next] = [walk.at(place - 1) as number, walk[(place + 1) % walk.length]];
          return sum + hop(pe, next) + (place === 0 || next === before ? 0 : relay[pe]);
        }, 0),
      ),
  };
  return workers as PairWorkers;
}

test("the relays of an invented machine are found from its times, and its ring agrees", async () => {
  for (const [i, pes] of [3, 4, 8, 16].entries()) {
    const relay = Array.from({ length: pes }, (_, pe) => 150 + 20 * (pe % 5));
    const volume = { channel: "ump", rounds: 1, messages: 1, blocks: 1 } as const;
    const passes = await Promise.all(
      Array.from({ length: 7 }, (_, k) => measurePass(invented(relay, 0.01, 10 * i + k), pes, volume)),
    );
    const model = combine(passes);
    for (const [pe, time] of relay.entries()) {
      const found = (model.relay as number[])[pe];
      assert.ok(Math.abs(found / time - 1) < 0.1, `PE ${pe} of ${pes}: ${found}, ${time}`);
    }
    const text = relayText({ ...model, unit: "ns", pes: relay } as unknown as MachineModel);
    const [measured, predicted] = /round all: (\S+), by the model (\S+)\./.exec(text)?.slice(1).map(Number) ?? [];
    assert.ok(Math.abs(measured / predicted - 1) < 0.05, text);
  }
});

test("what a profile says of a model without relays", () => {
  const model = { pes: [0, 1], unit: "ns" } as unknown as MachineModel;
  assert.is(relayText(model), "Relay: not measured, which takes three PEs or more: forwarding counts as 0.");
});

test.run();
