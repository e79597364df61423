/** A block that was in use before is cleared where its PEs read before anybody has written. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SitePlan } from "../../../../src/links/transport/contract.ts";
import {
  BACK,
  DOWN,
  linkBytes,
  MARK,
  OVERSIZED,
  SENT,
  tallyAt,
  UP,
} from "../../../../src/links/transport/heap/layout.ts";
import { clearNear, nearBytes, nearLinks } from "../../../../src/links/transport/heap/link-offsets.ts";
import { CONVEYOR_WORDS } from "../../../../src/links/transport/underway.ts";
import { linksOf, ownTableBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import { makeMesh, makeRoute } from "../../../../src/route/geometry/make-route.ts";
import { friendsOf } from "../../../../src/route/geometry/route.ts";

const JUNK = -1;
const OFFSET = 1024;

const clear = suite("cleared blocks");

clear("counters, marks and link tables are zero, and nothing outside of the block is", () => {
  for (const route of [
    ...(
      [
        [1, 1, 1],
        [2, 2, 1],
        [6, 3, 2],
        [12, 2, 3],
      ] as const
    ).map(([pes, groupSize, hops]) => makeRoute(pes, groupSize, hops)),
    makeMesh(6, [2, 3]),
    makeMesh(30, [2, 3, 5]),
    makeMesh(24, [2, 3, 2, 2]),
  ]) {
    const { size: pes, hops } = route;
    const planOf = (rank: number): SitePlan => ({
      hops: friendsOf(route, rank),
      hopsOf: (other) => friendsOf(route, other),
      buffers: { bytes: 256, perLink: 2 },
      scratch: 2,
      stagingBytes: 512,
      tableBytes: ownTableBytes(route),
      routes: hops === 1 ? null : route.table,
      name: "",
      words: CONVEYOR_WORDS,
      terms: "",
    });
    const bytes = nearBytes(planOf(0), pes);
    const i32 = new Int32Array((OFFSET + bytes) / 4 + 32).fill(JUNK);
    clearNear(i32, planOf(pes - 1), pes, OFFSET);
    const at = (byte: number, word: number): number => i32[byte / 4 + word];
    assert.equal([at(OFFSET, 0), at(OFFSET, OVERSIZED), at(OFFSET, OVERSIZED + 1)], [0, 0, 0]);
    const members = Array.from({ length: pes }, (_, rank) => rank);
    const tree = { root: 0, children: { 0: members.slice(1) } };
    for (const rank of members) {
      for (const word of [UP, DOWN, MARK]) assert.is(at(OFFSET + tallyAt(rank), word), 0);
      const near = nearLinks({ members, rank, tree }, planOf(rank), OFFSET, (friend) => friend);
      for (const { out, in: into, peers } of near.hops) {
        for (const [link, peer] of peers.entries()) {
          if (peer < 0) continue;
          for (const byte of [out[link], into[link]]) {
            assert.equal([at(byte, SENT), at(byte, BACK)], [0, 0]);
          }
        }
      }
      const table = near.places.table / 4;
      assert.ok(i32.subarray(table, table + ownTableBytes(route) / 4).every((word) => word === 0));
    }
    assert.ok(i32.subarray(0, OFFSET / 4).every((word) => word === JUNK));
    assert.ok(i32.subarray((OFFSET + bytes) / 4).every((word) => word === JUNK));
  }
});

clear(
  "the links of a mesh: as many places as there are links, and what one PE sends over its link comes over the friend's",
  () => {
    for (const mesh of [
      [2, 3],
      [3, 5, 7],
      [7, 2, 2],
      [2, 2, 2, 2],
    ]) {
      const pes = mesh.reduce((all, one) => all * one, 1);
      const route = makeMesh(pes, mesh);
      const buffers = { bytes: 256, perLink: 2 };
      // all on one node, and on nodes of as many PEs as the least dimension has: links to others are none here
      for (const here of [pes, mesh[0] as number]) {
        const members = Array.from({ length: here }, (_, rank) => rank);
        const tree = { root: 0, children: { 0: members.slice(1) } };
        const planOf = (rank: number): SitePlan => ({
          ...{ hops: friendsOf(route, rank), hopsOf: (other) => friendsOf(route, other), buffers },
          ...{ scratch: 2, stagingBytes: 512, tableBytes: ownTableBytes(route), routes: route.table },
          ...{ name: "", words: CONVEYOR_WORDS, terms: "" },
        });
        const near = members.map((rank) =>
          nearLinks({ members, rank, tree }, planOf(rank), OFFSET, (friend) => (friend < here ? friend : -1)),
        );
        const places = new Set<number>();
        const perLink = linkBytes(buffers);
        for (const rank of members) {
          for (const [hop, { friends, self }] of friendsOf(route, rank).entries()) {
            const { out, peers } = near[rank].hops[hop];
            for (const [link, friend] of friends.entries()) {
              assert.is(peers[link], friend >= 0 && friend < here ? friend : -1);
              if (peers[link] < 0) continue;
              assert.is(near[friend].hops[hop].in[self], out[link]);
              places.add(out[link]);
              assert.ok(out[link] + perLink <= near[rank].places.scratch);
            }
          }
        }
        const links = here === pes ? linksOf(route) : here;
        assert.is(places.size, here * links);
        const all = [...places].sort((a, b) => a - b);
        for (const [i, place] of all.entries()) if (i > 0) assert.ok(place - all[i - 1] >= perLink);
        if (here < pes) continue;
        // no place is of no link
        assert.is(near[0].places.scratch - all[0], links * perLink);
      }
    }
  },
);

clear.run();
