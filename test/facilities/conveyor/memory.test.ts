/** The memory of conveyors: as much as the options say, none for each item, and all of it given back. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { bytes, roundUp, u32 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import type { SitePlan } from "../../../src/links/transport/contract.ts";
import { routeBytes } from "../../../src/links/transport/heap/layout.ts";
import { nearBytes } from "../../../src/links/transport/heap/link-offsets.ts";
import { CONVEYOR_WORDS } from "../../../src/links/transport/underway.ts";
import {
  bytesOfPE,
  choose,
  ownTableBytes,
  stagingBytes,
  storedBytes,
} from "../../../src/route/geometry/conveyor-choice.ts";
import { tableBytes } from "../../../src/route/geometry/link-table.ts";
import { friendsOf } from "../../../src/route/geometry/route.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { LONG } from "../../support/long.ts";
import type { Part } from "./programs/memory.program.ts";
import { mix } from "./support/payloads.ts";
import { playVirtually } from "./support/seats.ts";

const program = sibling("./programs/memory.program.js", import.meta.url);

const memory = suite("memory of conveyors");

memory("4 threads: made and freed, no growth, a budget, oversized items, item by item", async () => {
  // where the peak is looked at nobody has taken more before
  const parts: readonly Part[] = ["no growth", "item by item", "made and freed", "budget", "oversized"];
  await launch(program, { pes: 4, args: parts, timeout: 120_000, heapBytes: 2 ** 26 });
});

memory("buffers of a PE are n + P/n for two hops, 2n and the planes for three, times those of a link", () => {
  for (const [pes, groupSize, hops, links] of [
    [16, 16, 1, [16]],
    [16, 4, 2, [4, 4]],
    [24, 4, 2, [4, 6]],
    [27, 3, 3, [3, 3, 3]],
    [32, 4, 3, [4, 2, 4]],
  ] as const) {
    for (const buffersPerLink of [1, 2, 4] as const) {
      const options = { buffersPerLink, bufferBytes: 128, ...(hops > 1 ? { hops, groupSize } : {}) };
      const { conveyors, peakBytes } = playVirtually({ pes, jitter: 3 }, function* (pe) {
        const c = pe.conveyor(u32, options);
        yield* c.begin();
        for (let i = 0, turn = 0; (yield* c.advance(i === 2000)) !== DONE; turn++) {
          for (; i < 2000 && c.push(mix(pe.rank, i) % pe.size, i); i++);
          // pulls seldom, so that all buffers are in use
          if (turn % 4 === 3) while (c.pull());
        }
        yield* c.reset();
        c.free();
      });
      const [{ hops: each }] = conveyors;
      assert.is(each.length, links.length);
      for (const [hop, { peakBuffers, peakBufferBytes }] of each.entries()) {
        assert.ok(peakBuffers <= links[hop] * buffersPerLink, `${peakBuffers} buffers at hop ${hop}`);
        assert.ok(peakBuffers >= links[hop], `${peakBuffers} buffers at hop ${hop}`);
        assert.is(peakBufferBytes, peakBuffers * storedBytes(128));
      }
      const ofLinks = links.reduce((sum, n) => sum + n * buffersPerLink, 0);
      const tables = roundUp(
        hops === 1 ? ownTableBytes({ size: pes, hops, groupSize }) : tableBytes(links.reduce((sum, n) => sum + n, 0)),
        128,
      );
      // the columns of each PE, and its last item; once for all the staging and the routes
      const most = pes * (storedBytes(128) * (2 + ofLinks) + tables) + 2 * storedBytes(128) + 12 * pes + 128;
      assert.ok(peakBytes <= most, `${peakBytes} of ${most} bytes`);
    }
  }
});

memory("links of a PE in a mesh are the sum of s_d - 1 and one to itself, and so are its buffers", () => {
  for (const mesh of [
    [2, 3],
    [3, 2, 2],
    [2, 3, 5],
    [2, 3, 4],
    [5, 3],
    [7, 2],
    [3, 5, 7],
    [2, 2, 2, 2],
    [2, 3, 1, 2, 2],
  ]) {
    const pes = mesh.reduce((all, one) => all * one, 1);
    const dims = mesh.filter((size) => size > 1).reverse();
    const links = dims.map((size, hop) => size - (hop < dims.length - 1 ? 1 : 0));
    assert.is(
      links.reduce((sum, n) => sum + n, 0),
      mesh.reduce((sum, size) => sum + size - 1, 1),
    );
    for (const buffersPerLink of [1, 2, 4] as const) {
      if (pes > 50 && buffersPerLink !== 2 && !LONG) continue;
      // so many that all buffers are in use
      const items = 200 * buffersPerLink;
      const { conveyors, peakBytes } = playVirtually({ pes, jitter: 3 }, function* (pe) {
        const c = pe.conveyor(bytes(32), { mesh, buffersPerLink, bufferBytes: 128 });
        const item = new Uint8Array(32);
        yield* c.begin();
        for (let i = 0, turn = 0; (yield* c.advance(i === items)) !== DONE; turn++) {
          for (; i < items && c.push(mix(pe.rank, i) % pe.size, item); i++);
          if (turn % 4 === 3) while (c.pull());
        }
        assert.is(c.stats().pushes, items);
        yield* c.reset();
        c.free();
      });
      const [{ hops: each }] = conveyors;
      for (const [hop, { peakBufferBytes, peakBuffers }] of each.entries()) {
        assert.is(peakBuffers, links[hop] * buffersPerLink, `hop ${hop} of ${mesh.join(" x ")}`);
        assert.is(peakBufferBytes, peakBuffers * storedBytes(128));
      }
      const ofLinks = links.reduce((sum, n) => sum + n * buffersPerLink, 0);
      const ways = 8 * pes + 16 * dims.reduce((sum, n) => sum + n, 0);
      const ranks = 8 * pes + 128;
      const most = pes * (storedBytes(128) * (2 + ofLinks) + roundUp(ways, 128)) + 2 * storedBytes(128) + ranks;
      assert.ok(peakBytes <= most, `${peakBytes} of ${most} bytes`);
    }
  }
});

memory("a conveyor in a mesh takes of a heap what docs/contract.md says", () => {
  for (const [mesh, compress] of [
    [[3, 5, 7], false],
    [[16, 17, 2], false],
    [[2, 2, 2, 2, 2, 2, 2, 2], false],
    [[2, 9], true],
  ] as const) {
    const pes = mesh.reduce((all: number, one) => all * one, 1);
    const sum = mesh.reduce((all: number, one) => all + one, 0);
    const links = sum - mesh.length + 1;
    const s = compress ? 4 : 2;
    for (const [buffersPerLink, bufferBytes] of [
      [1, 200],
      [2, 16_384],
      [2, 100_000],
    ] as const) {
      const { route, scratch } = choose({ mesh, compress, buffersPerLink, bufferBytes }, pes, 8);
      const stored = roundUp(bufferBytes, 128) + 128;
      const table = roundUp(16 * sum + 8 * pes, 128);
      const columns = 2 * Math.min(stored, 32_768);
      const bytes = links * (256 + buffersPerLink * stored) + s * stored + columns + table + 384;
      // what the choice keeps to a budget with is this, or more where buffers are large
      const planned = bytesOfPE(route, scratch, { bytes: stored, perLink: buffersPerLink }) - 384;
      assert.is(planned, bytes + 2 * stored - columns);
      // and a node, with the ranks of all
      const plan: SitePlan = {
        ...{ hops: friendsOf(route, 0), hopsOf: (rank) => friendsOf(route, rank) },
        ...{ buffers: { bytes: stored, perLink: buffersPerLink }, scratch: scratch - 2 },
        ...{
          stagingBytes: stagingBytes(bufferBytes, 8),
          tableBytes: ownTableBytes(route),
          routes: route.table,
          words: CONVEYOR_WORDS,
        },
        ...{ name: "", terms: "" },
      };
      assert.is(nearBytes(plan, pes), 128 + pes * bytes + routeBytes(route.table));
      assert.ok(route.table.byteLength >= 4 * pes && route.table.byteLength < 8 * pes);
    }
  }
});

memory("a push that finds no room takes none, however often", () => {
  playVirtually({ pes: 2 }, function* (pe) {
    const c = pe.conveyor(bytes(100), { bufferBytes: 200, buffersPerLink: 2, lossy: true });
    yield* c.begin();
    const item = new Uint8Array(100);
    let pushed = 0;
    for (let i = 0; i < 10_000; i++) if (c.push(1 - pe.rank, item)) pushed++;
    assert.is(pushed, 4);
    assert.is(c.stats().pushes, 4);
    while ((yield* c.advance(true)) !== DONE) while (c.pull());
  });
});

memory.run();
