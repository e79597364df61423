/** What only conveyors over nodes have to show. */

import { setTimeout as delay } from "node:timers/promises";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { conveyor, DONE, elasticConveyor } from "../../../src/conveyor.ts";
import { ALLOCATOR_USED, LINE } from "../../../src/ground/memory/heap-layout.ts";
import { bytes, type Group, type PE, u32 } from "../../../src/index.ts";
import { type Case, nameOf, playCase } from "../../facilities/conveyor/support/cases.ts";
import { fill, mix } from "../../facilities/conveyor/support/payloads.ts";
import { play } from "../../facilities/conveyor/support/scenario.ts";
import { scenarios } from "../../facilities/conveyor/support/scenarios.ts";
import { playOut, threadSeat } from "../../facilities/conveyor/support/seats.ts";
import { LONG, rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";

/** The first rank of each node. */
function firstRanks(pe: PE): number[] {
  const nodes = pe.allgather(pe.node) as number[];
  return [...new Set(nodes)].map((node) => nodes.indexOf(node));
}

/** Buffers that no library sends at once. */
function large(pe: PE): void {
  for (const [k, [itemBytes, bufferBytes, buffersPerLink]] of (
    [
      [5000, 60_000, 1],
      [4096, 2 ** 20, 2],
    ] as const
  ).entries()) {
    // each number of hops with one of the two, which is drawn
    const isPlayed = (hops: number) => (hops + drawn(2, "large") + k) % 2 === 1;
    for (const hops of ([1, 2, 3] as const).filter((hops) => LONG || isPlayed(hops))) {
      const c = conveyor(pe, bytes(itemBytes), { bufferBytes, buffersPerLink, hops }).begin();
      const next = new Int32Array(pe.size);
      const want = new Uint8Array(itemBytes);
      const out = new Uint8Array(itemBytes);
      const each = 150;
      for (let i = 0; c.advance(i === each * pe.size) !== DONE; ) {
        for (; i < each * pe.size; i++) {
          const [dest, k] = [i % pe.size, Math.floor(i / pe.size)];
          if (!c.push(dest, fill(out, mix(pe.rank, dest, k), false))) break;
        }
        while (c.pull()) {
          fill(want, mix(c.from, pe.rank, next[c.from]++), false);
          assert.is(Buffer.compare(c.item, want), 0);
        }
      }
      assert.ok(next.every((count) => count === each));
      c.reset();
      c.free();
    }
  }
}

/** Items of up to a megabyte among small ones, within a budget, in order. */
function oversized(pe: PE): void {
  const sizes = [0, 1, 300, 70_000, 12, 1_000_000, 4096, 5];
  for (const hops of [1, 2] as const) {
    const c = elasticConveyor(pe, { bufferBytes: 512, maxBytes: 300_000, hops });
    const want = new Uint8Array(1_000_000);
    for (let session = 0; session < 2; session++) {
      c.begin();
      const next = new Int32Array(pe.size);
      const all = sizes.length * pe.size;
      for (let i = 0; c.advance(i === all) !== DONE; ) {
        for (; i < all; i++) {
          const [dest, k] = [i % pe.size, Math.floor(i / pe.size)];
          const item = fill(new Uint8Array(sizes[k]), mix(pe.rank, dest, k), false);
          if (!c.push(dest, item)) break;
        }
        while (c.pull()) {
          const k = next[c.from]++;
          const item = fill(want.subarray(0, sizes[k]), mix(c.from, pe.rank, k), false);
          assert.is(Buffer.compare(c.bytes, item), 0);
        }
      }
      assert.ok(next.every((count) => count === sizes.length));
      c.reset();
    }
    c.free();
  }
}

/** One item from each PE to one of another node, which goes though nobody says that he is done. */
function alone(pe: PE): void {
  for (const hops of [1, 2, 3] as const) {
    const c = conveyor(pe, u32, { steady: true, hops }).begin();
    const [, remote] = firstRanks(pe);
    let came = 0;
    // PE 0 sends one, the other answers, and only then anybody is done
    if (pe.rank === 0) while (!c.push(remote, 7)) c.advance();
    for (let isDone = pe.rank !== 0 && pe.rank !== remote; c.advance(isDone) !== DONE; ) {
      if (!c.pull()) continue;
      came += c.item;
      if (pe.rank === remote) while (!c.push(0, 8)) c.advance();
      isDone = true;
    }
    assert.is(came, pe.rank === 0 ? 8 : pe.rank === remote ? 7 : 0);
    c.reset();
    c.free();
  }
}

function everyoneToAll(group: Group, hops: 1 | 2): void {
  const c = conveyor(group, u32, { bufferBytes: 128, hops }).begin();
  const next = new Int32Array(group.size);
  const all = 100 * group.size;
  for (let i = 0; c.advance(i === all) !== DONE; ) {
    for (; i < all && c.push(i % group.size, mix(group.rank, i)); i++);
    while (c.pull()) {
      assert.is(c.item, mix(c.from, next[c.from]++ * group.size + group.rank));
    }
  }
  assert.ok(next.every((count) => count === 100));
  c.reset();
  c.free();
}

/** Groups over nodes in any order, some PEs of each node only, and groups of a node beside them. */
function groups(pe: PE): void {
  const ranks = Array.from({ length: pe.size }, (_, rank) => rank);
  const turned = ranks.toSorted((a, b) => (a % 2) - (b % 2) || b - a);
  for (const hops of [1, 2] as const) {
    using all = pe.group(turned);
    everyoneToAll(all, hops);
    const first = firstRanks(pe);
    if (first.includes(pe.rank)) {
      using heads = pe.group(first.toReversed());
      everyoneToAll(heads, hops);
    }
    const own = ranks.slice(pe.rank - pe.nodeRank, pe.rank - pe.nodeRank + pe.nodeSize);
    using node = pe.group(own);
    everyoneToAll(node, hops);
  }
}

/** A PE of another node that takes its time is no reason to blame those that can be seen from here. */
async function slow(pe: PE): Promise<void> {
  const last = pe.size - 1;
  const c = conveyor(pe, u32).begin();
  let problems: readonly string[] = [];
  if (pe.rank === last) await delay(400);
  if (pe.rank !== last) c.push(last, 1);
  const started = performance.now();
  // not done before that one says so
  for (let isDone = pe.rank === last, sent = 0; c.advance(isDone && (pe.rank < last || sent > 0)) !== DONE; ) {
    if (pe.rank === last && sent === 0) {
      for (let dest = 0; dest < last; dest++) while (!c.push(dest, 1)) c.advance();
      sent = 1;
    }
    while (c.pull()) isDone = true;
    const waited = performance.now() - started;
    if (pe.node === 0 && waited > 250 && waited < 300) problems = [...problems, ...pe.diagnose(100).problems];
  }
  if (pe.node < pe.nodes - 1) assert.equal(problems, []);
  c.reset();
  c.free();
}

/** Conveyors one after the other, with what is chosen when little is said; the heap is as it was. */
function many(pe: PE): void {
  const words = new Int32Array(pe.alloc(Uint8Array, 8).buffer);
  const used = () => {
    pe.barrier();
    const now = Atomics.load(words, ALLOCATOR_USED) * LINE;
    pe.barrier();
    return now;
  };
  const before = used();
  for (let i = 0; i < 60; i++) {
    const maxBytes = [20_000, 100_000, 1_000_000][i % 3];
    const options = i % 2 === 0 ? { maxBytes } : { maxBytes, load: 10 ** (1 + (i % 5)) };
    const c = conveyor(pe, u32, options);
    const made = used() - before;
    assert.ok(made <= pe.nodeSize * maxBytes, `${made} bytes for ${pe.nodeSize} PEs with ${maxBytes}`);
    c.begin();
    const dest = (pe.rank + i) % pe.size;
    let came = 0;
    for (let sent = 0; c.advance(sent === 50) !== DONE; ) {
      for (; sent < 50 && c.push(dest, i); sent++);
      while (c.pull()) came += c.item === i ? 1 : 0;
    }
    assert.is(came, 50);
    // freed when complete, or dormant
    if (i % 4 < 2) c.reset();
    c.free();
    assert.is(used(), before);
  }
}

/** Oversized items to another node, of which the heap of 16 MiB has room for few. */
function full(pe: PE): void {
  const bytes = 3_000_000;
  const items = 12;
  using c = elasticConveyor(pe, { timeout: 30_000 });
  const item = new Uint8Array(bytes);
  let came = 0;
  c.begin();
  for (let sent = 0; c.advance(sent === items) !== DONE; ) {
    for (; sent < items; sent++) {
      item.fill(pe.rank + sent);
      if (!c.push((pe.rank + 2) % pe.size, item)) break;
    }
    for (; c.pull(); came++) {
      assert.is(c.bytes.length, bytes);
      for (const at of [0, bytes >> 1, bytes - 1]) assert.is(c.bytes[at], c.from + came);
    }
  }
  assert.is(came, items);
  c.reset();
}

/** What is drawn: conveyors of any kind, with several sessions in which items are pulled late, put back, and sent to a few. */
function random(pe: PE): void {
  const world = { pes: pe.size, groupSize: 1, nodes: pe.nodes };
  for (const front of ["rigid", "elastic", "bi", "elastic bi"] as const) {
    const drawn = fc.sample(scenarios(front, fc.constant(world)), { numRuns: rounds(3, 6), seed: 42 });
    for (const { options, ...more } of drawn) {
      const scenario = { ...more, options: { ...options, timeout: 20_000 } };
      try {
        playOut(play(threadSeat(pe), scenario));
      } catch (error) {
        throw new Error(`${JSON.stringify(scenario)}: ${(error as Error).stack}`, { cause: error });
      }
    }
  }
}

/** Meshes whose greatest dimension is between the nodes, and others, with what each kind of conveyor does over them. */
function meshes(pe: PE): void {
  const shapes = [
    [2, 4],
    [4, 2],
    [2, 2, 2],
    [2, 3],
    [3, 2],
    [2, 1, 3],
  ];
  const ofAll = shapes.filter((sizes) => sizes.reduce((all, one) => all * one, 1) === pe.size);
  for (const [number, mesh] of ofAll.entries()) {
    const cases: readonly Case[] = [
      { front: "rigid", options: { mesh, compress: true } },
      { front: "rigid", options: { mesh, steady: true, discipline: "token" } },
      { front: "elastic", options: { mesh, buffersPerLink: 1 } },
      { front: "bi", options: { mesh } },
    ];
    for (const [i, one] of cases.entries()) {
      // each shape and each conveyor twice in a plain run, or once
      if (!LONG && (i + number) % 2 === 1) continue;
      const limited = { ...one, options: { ...one.options, timeout: 30_000 } };
      const seed = mix(pe.size, i);
      try {
        playOut(playCase(threadSeat(pe), limited, { count: 60, sessions: rounds(1, 2) }, seed));
      } catch (error) {
        throw new Error(`${nameOf(one)}: ${(error as Error).stack}`, { cause: error });
      }
    }
  }
}

/** By name. */
export const own: Readonly<Record<string, (pe: PE) => unknown>> = {
  large,
  oversized,
  alone,
  groups,
  slow,
  many,
  full,
  meshes,
  random,
};
