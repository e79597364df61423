/** The network by itself against closed forms: shared receivers, rates, bisection, links, queues, packets. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SimulatedNetwork } from "../../../src/plan/network/network.ts";
import { allToAll, near, playTraffic, type TestMessage } from "./support/traffic.ts";

const network = suite("network");

/** `senders` nodes after `to` send `count` messages each. */
function* incast(senders: number, to: number, bytes: number, count: number): Generator<TestMessage> {
  for (let i = 0; i < count; i++) for (let k = 1; k <= senders; k++) yield { from: to + k, to, bytes };
}

network("a message alone takes the sum of its parts, of several links the slowest", () => {
  const parts: SimulatedNetwork = {
    alpha: 1000,
    beta: 0.5,
    injection: { message: 100, byte: 1 },
    ejection: { message: 200, byte: 2 },
    bisection: 3,
    topology: { kind: "mesh", columns: 4, byte: 4 },
  };
  const { time } = playTraffic(parts, 16, [{ from: 0, to: 15, bytes: 100 }]);
  near(time, 100 + 100 + 400 + 1000 + 50 + 200 + 200, 1e-6);
});

network("63 to 1: the receiver takes one after another", () => {
  const { time, times, use } = playTraffic(
    { alpha: 1500, ejection: { message: 50, byte: 0.5 } },
    64,
    incast(63, 0, 1000, 20),
  );
  near(time, 63 * 20 * 550);
  assert.is(use.peakEjection, 63 * 20);
  near(use.ejection, 63 * 20 * 550, 1e-9);
  // all senders have the same share: in each twentieth, each has sent a message
  const last = times.slice(-63);
  assert.ok(Math.min(...last) > 0.9 * time);
});

network("63 to 1 with places for few: no more are underway or wait, and it takes as long", () => {
  for (const queue of [4, 16]) {
    const parts = { alpha: 100, ejection: { byte: 1 }, injection: { byte: 0.1 }, queue };
    const { time, use } = playTraffic(parts, 64, incast(63, 0, 1000, 20));
    near(time, 63 * 20 * 1000);
    assert.ok(use.peakEjection <= queue);
    assert.ok(use.blocked > 0.5 * 63 * time);
  }
});

network("a window: fewer places than the time underway needs limit the rate", () => {
  const parts = { alpha: 10_000, ejection: { byte: 1 }, injection: { byte: 1 }, queue: 2 };
  const messages = Array.from({ length: 400 }, () => ({ from: 0, to: 1, bytes: 1000 }));
  // a place is taken for 1000 + 10 000 + 1000
  near(playTraffic(parts, 2, messages).time, (400 / 2) * 12_000);
});

network("a receiver at half the rate of its sender", () => {
  const messages = Array.from({ length: 500 }, () => ({ from: 0, to: 1, bytes: 1000 }));
  const parts = { alpha: 1500, injection: { byte: 0.2 }, ejection: { byte: 0.4 } };
  near(playTraffic(parts, 2, messages).time, 500 * 400);
  assert.ok(playTraffic(parts, 2, messages).use.peakEjection > 200);
  const limited = playTraffic({ ...parts, queue: 10 }, 2, messages);
  near(limited.time, 500 * 400);
  assert.ok(limited.use.peakEjection <= 10);
});

network("all to all under the limits of injection, of ejection, and of the bisection", () => {
  const nodes = 32;
  const bytes = 1000;
  const each = (nodes - 1) * 2;
  const alpha = 1500;
  const play = (parts: SimulatedNetwork) => playTraffic({ alpha, ...parts }, nodes, allToAll(nodes, bytes, 2)).time;
  near(play({ injection: { message: 100, byte: 1 } }), each * 1100);
  near(play({ ejection: { message: 100, byte: 1 } }), each * 1100);
  // half of the nodes send to the other half, in each direction
  near(play({ bisection: 0.1 }), 2 * (nodes / 2) ** 2 * bytes * 0.1);
  // the slowest limits, and the others cost nothing
  near(play({ injection: { byte: 1 }, ejection: { byte: 2 }, bisection: 0.01 }), each * 2000);
});

network("full: each pair of nodes has its own link", () => {
  const parts: SimulatedNetwork = { alpha: 100, topology: { kind: "full", byte: 1 } };
  near(playTraffic(parts, 8, allToAll(8, 1000, 30)).time, 30 * 1000);
  const { time, use } = playTraffic(parts, 8, incast(7, 0, 1000, 30));
  near(time, 30 * 1000);
  near(use.link, 30 * 1000, 1e-9);
});

network("a mesh: messages between neighbours share nothing, all to all its middle links", () => {
  const topology = { kind: "mesh", columns: 8, byte: 1 } as const;
  const neighbours = Array.from({ length: 8 * 7 }, (_, i) => {
    const from = 8 * Math.floor(i / 7) + (i % 7);
    return { from, to: from + 1, bytes: 1000 };
  });
  near(playTraffic({ alpha: 1, topology }, 64, neighbours).time, 1000, 0.01);
  // in each row the 4 nodes of one half send to the 32 of the other over one link
  const all = playTraffic({ alpha: 100, topology }, 64, allToAll(64, 1000, 2));
  near(all.use.link, 2 * 4 * 32 * 1000, 1e-9);
  near(all.time, 2 * 4 * 32 * 1000);
  // the same by the cut: eight links side by side
  const cut = playTraffic(
    { alpha: 100, topology: { ...topology, byte: 0 }, bisection: 1 / 8 },
    64,
    allToAll(64, 1000, 2),
  );
  near(cut.time, 2 * 32 * 32 * (1000 / 8));
});

network("a mesh is cut across its longer side, and is as square as possible", () => {
  const crossing = (parts: SimulatedNetwork, from: number, to: number) =>
    playTraffic({ ...parts, bisection: 1 }, 12, [{ from, to, bytes: 1000 }]).time > 999;
  const high = { topology: { kind: "mesh", columns: 2, byte: 0 } } as const;
  assert.equal([crossing(high, 0, 1), crossing(high, 4, 5), crossing(high, 4, 6)], [false, false, true]);
  const square = { topology: { kind: "mesh", byte: 0 } } as const;
  // 3 rows of 4
  assert.equal([crossing(square, 1, 2), crossing(square, 1, 9)], [true, false]);
  const { use } = playTraffic({ topology: { kind: "mesh", byte: 1 } }, 7, allToAll(7, 1));
  // a row of 7: 3 nodes send to 4 over the middle
  assert.is(use.link, 12);
});

network("a mesh routes along the row first: who shares a link", () => {
  const topology = { kind: "mesh", columns: 3, byte: 1 } as const;
  const both = (a: [number, number], b: [number, number]) =>
    playTraffic({ topology }, 9, [
      { from: a[0], to: a[1], bytes: 1000 },
      { from: b[0], to: b[1], bytes: 1000 },
    ]).time;
  // 0 1 2 / 3 4 5 / 6 7 8
  near(both([0, 8], [1, 2]), 2000, 0.01);
  near(both([0, 8], [5, 8]), 2000, 0.01);
  near(both([0, 8], [3, 5]), 1000, 0.01);
  near(both([0, 2], [2, 0]), 1000, 0.01);
  near(both([8, 0], [7, 6]), 2000, 0.01);
  near(both([8, 0], [3, 0]), 2000, 0.01);
});

network("a fat tree: each level limits what goes through it", () => {
  const nodes = 64;
  const bytes = 1000;
  const tree = (...byte: number[]): SimulatedNetwork => ({
    alpha: 100,
    topology: {
      kind: "fat-tree",
      levels: [{ children: 4, byte: byte[0] }, { children: 4, byte: byte[1] }, { byte: byte[2] }],
    },
  });
  const all = (...byte: number[]) => playTraffic(tree(...byte), nodes, allToAll(nodes, bytes, 2)).time;
  near(all(1, 0, 0), 2 * 63 * bytes);
  near(all(0, 1, 0), 2 * 4 * 60 * bytes);
  near(all(0, 0, 1), 2 * 16 * 48 * bytes);
  // full bisection: each level has the links of the nodes below
  near(all(1, 1 / 4, 1 / 16), 2 * 63 * bytes);
  // messages within 4 nodes do not meet the others
  const local = Array.from({ length: nodes }, (_, from) => ({ from, to: from ^ 1, bytes }));
  near(playTraffic(tree(1, 100, 100), nodes, local).time, bytes + 100, 0.01);
  const cut = playTraffic({ ...tree(0, 0, 0), bisection: 1 }, nodes, allToAll(nodes, bytes)).time;
  near(cut, 32 * 32 * bytes);
  // 16 nodes are below one switch of the highest level; the halves are two subtrees of 4 each
  const few = playTraffic({ ...tree(0, 0, 0), bisection: 1 }, 16, allToAll(16, bytes)).time;
  near(few, 8 * 8 * bytes);
});

network("head-of-line: what is behind a message without a place waits, unless interleaved or with places", () => {
  const until = 1e6;
  // node 1 takes nothing until then; the third message for it finds no place, and the one for 2 is behind it
  const messages = [1, 1, 1, 2].map((to) => ({ from: 0, to, bytes: 100 }));
  const parts: SimulatedNetwork = { alpha: 500, injection: { byte: 1 }, ejection: { byte: 1 }, queue: 2 };
  const toTwo = (more: SimulatedNetwork) =>
    playTraffic({ ...parts, ...more }, 3, messages, { stalls: { 1: until } }).times[3];
  // a place at 1e6 + 100, then the injections of both, alpha, and its ejection
  near(toTwo({}), until + 100 + 100 + 100 + 500 + 100, 1e-6);
  near(toTwo({ queue: undefined }), 4 * 100 + 500 + 100, 1e-4);
  near(toTwo({ queue: 3 }), 4 * 100 + 500 + 100, 1e-4);
  // in turns: to 1, to 2
  near(toTwo({ interleaved: true }), 2 * 100 + 500 + 100, 1e-4);
});

network("a stopped receiver: what waits is bounded at its node, and nothing is lost when it goes on", () => {
  for (const more of [{}, { interleaved: true }, { packetBytes: 300 }, { packetBytes: 300, interleaved: true }]) {
    const parts = { alpha: 500, injection: { byte: 0.1 }, ejection: { byte: 0.2 }, queue: 8, ...more };
    const { time, use } = playTraffic(parts, 16, allToAll(16, 1000, 10), { stalls: { 3: 5e6 } });
    assert.ok(use.peakEjection <= 8 && time > 5e6);
    near(time, 5e6 + 150 * 200, "interleaved" in more ? 0.05 : 0.2);
  }
});

network("packets: a message arrives with its last one, and each costs a message", () => {
  const messages = [{ from: 0, to: 1, bytes: 1000 }];
  const parts = { alpha: 500, injection: { message: 10, byte: 1 }, ejection: { message: 20, byte: 1 } };
  near(playTraffic(parts, 2, messages).time, 1010 + 500 + 1020, 1e-6);
  const split = playTraffic({ ...parts, packetBytes: 100 }, 2, messages);
  assert.equal([split.use.packets, split.use.messages, split.use.bytes], [10, 1, 1000]);
  // ejected while the next are injected
  near(split.time, 110 + 500 + 10 * 120, 1e-6);
  const odd = playTraffic({ packetBytes: 300 }, 2, [...messages, { from: 0, to: 1, bytes: 0 }]);
  assert.is(odd.use.packets, 5);
});

network("interleaved packets let a short message pass a long one for another node", () => {
  const messages = [
    { from: 0, to: 1, bytes: 100_000 },
    { from: 0, to: 2, bytes: 1000 },
  ];
  const parts = { injection: { byte: 1 }, packetBytes: 1000 };
  near(playTraffic(parts, 3, messages).times[1], 101_000, 1e-3);
  near(playTraffic({ ...parts, interleaved: true }, 3, messages).times[1], 2000, 1e-2);
});

network("random seeds and jitter: nothing is lost, links keep their order, and a seed gives the same run", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const pick = <T>(...values: T[]): T =>
      values[(seed * 7 + values.length * 13 + Math.floor(seed / 5)) % values.length];
    const parts: SimulatedNetwork = {
      alpha: pick(0, 500),
      beta: pick(0, 1),
      injection: pick(undefined, { byte: 1 }, { message: 30 }),
      ejection: pick({ byte: 1 }, { message: 50 }, undefined),
      queue: pick(1, 2, undefined, 7),
      packetBytes: pick(undefined, 64),
      interleaved: pick(true, false, undefined),
      processor: pick(undefined, true),
      control: pick(true, undefined, true, false),
      bisection: pick(0, 0.5, undefined),
      topology: pick(
        undefined,
        { kind: "full", byte: 1 },
        { kind: "mesh", byte: 1 },
        { kind: "fat-tree", levels: [{ children: 2, byte: 1 }, { byte: 0.3 }] },
      ),
    };
    // something is given
    const given = { ...parts, bisection: parts.bisection ?? 0 };
    const messages = [...allToAll(6, 100, 3)].map((one, i) => ({
      ...one,
      bytes: (i * 37) % 300,
      at: (i % 5) * 10,
      // those of a pair are all of one kind
      isControl: (one.from + one.to) % 3 === 0,
    }));
    messages.sort((a, b) => a.at - b.at);
    const surroundings = { seed, jitter: seed % 3, stalls: seed % 4 === 0 ? { 2: 5000 } : {} };
    const one = playTraffic(given, 6, messages, surroundings);
    assert.equal(playTraffic(given, 6, messages, surroundings), one);
    const latest = new Map<string, number>();
    for (const [i, { from, to }] of messages.entries()) {
      assert.ok(one.times[i] >= (latest.get(`${from} ${to}`) ?? 0), `seed ${seed}: order of ${from} to ${to}`);
      latest.set(`${from} ${to}`, one.times[i]);
    }
  }
});

network("one processor: what comes out goes before what goes in, and both take its time", () => {
  const parts = { injection: { byte: 1 }, ejection: { byte: 2 }, packetBytes: 100 };
  // node 0 sends 10 packets from the start; one for it comes in the middle of the second of them
  const messages = [
    { from: 0, to: 1, bytes: 1000 },
    { from: 2, to: 0, bytes: 100, at: 50 },
  ];
  const [alone, beside] = [false, true].map((processor) => playTraffic({ ...parts, processor }, 3, messages).times);
  near(alone[1], 50 + 100 + 200, 1e-4);
  // the third packet waits for it
  near(beside[1], 200 + 200, 1e-4);
  near(alone[0], 100 + 10 * 200, 1e-4);
  near(beside[0], alone[0], 0.01);
  // all to all: the time of both together, if one does not wait for the other
  const all = [...allToAll(8, 100, 20)];
  const { time } = playTraffic({ ...parts, processor: true }, 8, all);
  near(time, 20 * 7 * 100 * (1 + 2), 0.15);
  near(playTraffic(parts, 8, all).time, 20 * 7 * 100 * 2, 0.15);
});

network("control messages pass others at both nodes, and need no place; without the option they wait", () => {
  const parts: SimulatedNetwork = {
    alpha: 10,
    injection: { byte: 1 },
    ejection: { byte: 5 },
    queue: 2,
    packetBytes: 100,
  };
  const messages = [
    { from: 0, to: 1, bytes: 1000 },
    { from: 0, to: 1, bytes: 10, isControl: true },
    { from: 0, to: 1, bytes: 10, isControl: true, at: 1 },
  ].map((one, i) => ({ ...one, link: i === 0 ? 0 : 1 }));
  const waits = playTraffic(parts, 2, messages).times;
  assert.ok(waits[1] > 4000);
  const passes = playTraffic({ ...parts, control: true }, 2, messages).times;
  // behind one packet at most at each of both
  assert.ok(passes[1] < 100 + 10 + 10 + 500 + 50 && passes[2] > passes[1], `${passes}`);
  near(passes[0], waits[0], 0.05);
});

network("a control message passes what waits for a PE that stalls", () => {
  const messages = [
    { from: 0, to: 1, pe: 2, bytes: 100 },
    { from: 0, to: 1, pe: 1, bytes: 10, at: 500, isControl: true, link: 2 },
  ];
  const at = (control: boolean) =>
    playTraffic({ control, injection: { byte: 1 }, ejection: { byte: 1 } }, 2, messages, { stalls: { 2: 9000 } }).times;
  near(at(true)[1], 500 + 10 + 10, 1e-3);
  near(at(true)[0], 9000 + 100, 1e-3);
  assert.ok((at(false)[1] as number) > 9000);
});

network.run();
