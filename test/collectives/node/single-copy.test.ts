/**
 * The single-copy broadcast by itself: all PEs in one thread, one of them always the last to go on. Nobody is done before
 * he may be: a root is done when all have read, so what it does with its array then is seen by nobody.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { regionOf } from "../../../src/collectives/node/region.ts";
import { SingleCopy } from "../../../src/collectives/node/single-copy.ts";
import { SEGMENT_BYTES } from "../../../src/collectives/team/team-block.ts";
import { teamsInOneThread } from "../support/teams.ts";

const PES = 3;
const ranks = Array.from({ length: PES }, (_, rank) => rank);

/** A team, all its PEs in this thread, with an array in the heap and one elsewhere for each. */
const group = (bytes: number) =>
  teamsInOneThread(PES, 2 ** 22).map((team) => ({
    team,
    broadcast: new SingleCopy(team),
    shared: new Uint8Array(team.heap.buffer, team.heap.allocate(bytes), bytes),
    own: new Uint8Array(bytes),
  }));

const LENGTHS = [0, 100, 10_000, 2 * SEGMENT_BYTES + 1, 4 * SEGMENT_BYTES + 640];

const copies = suite("single copy");

for (const bytes of LENGTHS) {
  copies(`${bytes} bytes: whoever is last, all get what the root had, and nobody is done too early`, () => {
    const pes = group(bytes);
    let call = 0;
    // which PEs have their arrays in the heap, bit by bit
    for (let places = 0; places < 2 ** PES; places++) {
      for (const root of ranks) {
        for (const last of ranks) {
          call++;
          const what = `call ${call}: places ${places}, root ${root}, last ${last}`;
          const content = Uint8Array.from({ length: bytes }, (_, i) => Math.imul(i + call, 0x9e3779b1) >>> 24);
          const same = (x: Uint8Array) => assert.is(Buffer.compare(x, content), 0, what);
          const arrays = pes.map(({ shared, own }, rank) => ((places >> rank) & 1 ? shared : own));
          const done = new Set<number>();
          const begun = new Set<number>();
          const goOn = (rank: number): boolean => {
            if (done.has(rank)) return false;
            const { team, broadcast } = pes[rank];
            if (!begun.has(rank)) {
              begun.add(rank);
              if (rank === root) arrays[rank].set(content);
              else arrays[rank].fill(0);
              const tag = team.enter(7, bytes, root);
              team.note(7, bytes, root);
              broadcast.begin(tag, regionOf(team, arrays[rank], "u8"), root);
            }
            const phase = team.board.phase;
            const wait = broadcast.advance();
            if (wait !== null) return team.board.phase !== phase;
            done.add(rank);
            same(arrays[rank]);
            if (rank === root) arrays[rank].fill(0xff);
            return true;
          };
          for (let step = 0; done.size < PES; step++) {
            assert.ok(step < 100, `${what}: it never ends`);
            while (ranks.some((rank) => rank !== last && goOn(rank)));
            // without whom nobody can go on: a root waits for all, and all for the root
            if (!begun.has(last)) assert.not(done.has(root), what);
            goOn(last);
          }
          for (const rank of ranks) if (rank !== root) same(arrays[rank]);
        }
      }
    }
    const phases = new Set(pes.map(({ team }) => team.board.phase));
    assert.is(phases.size, 1);
  });
}

copies.run();
