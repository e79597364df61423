/** Nodes that map each other's heaps: which do, what they see, and what is refused. */
import { spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PAGE } from "../../../../src/ground/memory/new-heap.ts";
import { BY_MPI } from "../../../../src/links/transport/nodes.ts";
import { mapHeaps, mappingNodes, offerHeap, withdraw } from "../../../../src/links/world/nodes/mapped-heaps.ts";
import type { HeapOffer, Hello } from "../../../../src/links/world/nodes/said.ts";
import { UNKNOWN_COSTS } from "../../../../src/machine/model/node-costs.ts";
import { testUnless } from "../../../support/skip.ts";

const hello = (heap: HeapOffer | null, host = "a"): Hello => ({
  ...{ pes: 1, cpus: [0], host, checks: true, onLoss: "end" as const, channel: "ump" as const, heap },
  ...{ plan: "none", machine: "m" },
  measured: UNKNOWN_COSTS,
  costs: { alpha: 1, overhead: 1, near: 1, mpi: null },
});
const offer = (bytes: number): HeapOffer => ({ pid: 1, fd: 1, bytes, secret: "" });
const MIB = 2 ** 20;
const noFiles = offerHeap(MIB) === null ? "no files in memory here" : null;

const heaps = suite("mapped heaps");

heaps("nodes of one machine, whose heaps have room in one memory, and for their rings", () => {
  const four = [hello(offer(MIB)), hello(offer(MIB), "b"), hello(null), hello(offer(2 * MIB))];
  const starts = [0, 1, 2, 3, 4];
  assert.equal(mappingNodes(four, 0, starts), [0, 3]);
  assert.equal(mappingNodes(four, 3, starts), [0, 3]);
  assert.equal(mappingNodes(four, 1, starts), [], "alone on its machine");
  assert.equal(mappingNodes(four, 2, starts), [], "has none");
  const large = [2 ** 31, 2 ** 31, PAGE].map((bytes) => hello(offer(bytes)));
  assert.equal(mappingNodes(large.slice(0, 2), 0, [0, 1, 2]), [0, 1]);
  assert.equal(mappingNodes(large, 0, [0, 1, 2, 3]), [], "more than 4 GiB");
  const small = [hello(offer(MIB)), hello(offer(MIB))];
  assert.equal(mappingNodes(small, 1, [0, 2, 4]), [0, 1]);
  assert.equal(mappingNodes(small, 1, [0, 8, 16]), [], "rings would fill the heaps");
});

testUnless(heaps, noFiles, "each sees what the other one stores; the files may be closed then", () => {
  const offers = [offerHeap(MIB) as HeapOffer, offerHeap(2 * MIB - 1) as HeapOffer];
  assert.is(offers[1]?.bytes, 2 * MIB);
  const hellos = [...offers.map((one) => hello(one)), hello(null, "b")];
  const made = [0, 1].map((node) => mapHeaps(hellos, node, [0, 1]));
  for (const one of offers) withdraw(one);
  assert.equal(made[0]?.heaps, [0, MIB, BY_MPI]);
  assert.equal(made[1]?.heaps, [2 * MIB, 0, BY_MPI]);
  const [a, b] = made.map((one) => new Uint8Array(one?.memory.buffer as SharedArrayBuffer)) as [Uint8Array, Uint8Array];
  assert.is(a.length, 3 * MIB);
  a[1000] = 5;
  assert.is(b[2 * MIB + 1000], 5);
  b[2 * MIB - 1] = 6;
  assert.is(a[3 * MIB - 1], 6);
  assert.is(a[2 * MIB - 1], 0);
});

testUnless(heaps, noFiles, "a heap with another secret, of another process, or too short is refused", () => {
  const own = offerHeap(MIB) as HeapOffer;
  const real = offerHeap(MIB) as HeapOffer;
  const map = (other: HeapOffer) => mapHeaps([hello(own), hello(other)], 0, [0, 1]);
  const { secret } = real;
  assert.is.not(map(real), null);
  assert.is(map({ ...real, secret: `${secret.slice(1)}${secret[0] === "0" ? "1" : "0"}` }), null);
  assert.is(map({ ...real, bytes: 2 * MIB }), null);
  assert.is(map({ ...real, fd: 9999 }), null);
  const { pid } = spawnSync(process.execPath, ["-v"]);
  assert.is(map({ ...real, pid }), null, "has ended");
  withdraw(own);
  withdraw(real);
});

heaps("none is offered when that is switched off, or for a size that no heap has", () => {
  for (const bytes of [0, -1, 1.5, Number.NaN, 2 ** 33]) assert.is(offerHeap(bytes), null);
  process.env.TUNDISH_MAP_NODES = "off";
  try {
    assert.is(offerHeap(MIB), null);
  } finally {
    delete process.env.TUNDISH_MAP_NODES;
  }
});

heaps.run();
