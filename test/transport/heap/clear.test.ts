/** A block that was in use before is cleared where its PEs read before anybody has written. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linksOf } from "../../../src/conveyor/geometry/choice.ts";
import { tableBytes } from "../../../src/conveyor/geometry/link-table.ts";
import { makeRoute } from "../../../src/conveyor/geometry/make-route.ts";
import { friendsOf } from "../../../src/conveyor/geometry/route.ts";
import type { SitePlan } from "../../../src/transport/contract.ts";
import { BACK, DOWN, MARK, OVERSIZED, SENT, tallyAt, UP } from "../../../src/transport/heap/layout.ts";
import { clearNear, nearBytes, nearLinks } from "../../../src/transport/heap/link-offsets.ts";
import { CONVEYOR_WORDS } from "../../../src/transport/underway.ts";

const JUNK = -1;
const OFFSET = 1024;

const clear = suite("cleared blocks");

clear("counters, marks and link tables are zero, and nothing outside of the block is", () => {
  for (const [pes, groupSize, hops] of [
    [1, 1, 1],
    [2, 2, 1],
    [6, 3, 2],
    [12, 2, 3],
  ] as const) {
    const route = makeRoute(pes, groupSize, hops);
    const planOf = (rank: number): SitePlan => ({
      hops: friendsOf(route, rank),
      hopsOf: (other) => friendsOf(route, other),
      buffers: { bytes: 256, perLink: 2 },
      scratch: 2,
      staging: 2,
      tableBytes: tableBytes(linksOf(route)),
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
      assert.ok(i32.subarray(table, table + tableBytes(linksOf(route)) / 4).every((word) => word === 0));
    }
    assert.ok(i32.subarray(0, OFFSET / 4).every((word) => word === JUNK));
    assert.ok(i32.subarray((OFFSET + bytes) / 4).every((word) => word === JUNK));
  }
});

clear.run();
