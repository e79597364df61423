/**
 * Long gathers, whose copies the root and the PEs divide: all PEs in one thread, in random order; and on threads, where
 * a PE may block elsewhere after it has called the Async form.
 */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pack } from "../../../src/collectives/node/exposed-values.ts";
import { Gather } from "../../../src/collectives/node/gather.ts";
import { heapPlace } from "../../../src/collectives/node/result-array.ts";
import type { Team } from "../../../src/collectives/team/team.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { isComplete } from "../programs/divided-gather.program.ts";
import { teamsInOneThread } from "../support/teams.ts";

const gather = suite("divided gather");

const KIB = 1024;
/** Around what two PEs divide, and what is no whole number of chunks. */
const BYTES = [0, 8, 64 * KIB, 255 * KIB, 256 * KIB, 256 * KIB + 8, 400 * KIB - 16];

const PES = 3;

gather("in any order of steps all parts come, and a PE that does not go on holds up nobody", () => {
  const pes = teamsInOneThread(PES, 2 ** 23);
  const { heap } = pes[0] as Team;
  const longest = Math.max(...BYTES);
  const given = pes.map(() => heap.allocate(longest));
  const results = [heap.allocate(PES * longest), new Float64Array((PES * longest) / 8)] as const;
  let shared = 0;
  const one = fc.record({
    bytes: fc.tuple(...pes.map(() => fc.constantFrom(...BYTES))),
    root: fc.nat({ max: PES - 1 }),
    // who goes on after it has called; the root always does
    goesOn: fc.tuple(...pes.map(() => fc.boolean())),
    inHeap: fc.boolean(),
    isList: fc.boolean(),
    // the first PE as the root copies what it has itself until all others have come
    first: fc.shuffledSubarray([...pes.keys()], { minLength: PES }),
    turns: fc.array(fc.nat({ max: PES - 1 }), { minLength: 1, maxLength: 40 }),
  });
  let call = 0;
  const play = ({
    bytes,
    root,
    goesOn,
    inHeap,
    isList,
    first,
    turns,
  }: typeof one extends fc.Arbitrary<infer T> ? T : never) => {
    call++;
    const xs = pes.map((_, rank) => {
      const x = new Float64Array(heap.buffer, given[rank], (bytes[rank] as number) / 8);
      for (let i = 0; i < x.length; i++) x[i] = 1e6 * call + 1e5 * rank + i;
      return x;
    });
    const all = inHeap ? new Float64Array(heap.buffer, results[0], (PES * longest) / 8) : results[1];
    all.fill(-1);
    const starts = bytes.map((_, rank) => bytes.slice(0, rank).reduce((sum, one) => sum + one / 8, 0));
    const list = xs.map((x, rank) => all.subarray(starts[rank], (starts[rank] as number) + x.length));
    const tasks = pes.map((team, rank) => {
      const tag = team.enter(7, 0, root);
      team.note(7, 0, root);
      const into = isList ? list : all;
      const x = pack(team.payload, xs[rank]);
      if (rank !== root) return new Gather(team).begin(tag, x, root, undefined);
      return new Gather(team).begin(tag, x, root, into, heapPlace(team, x, into));
    });
    const over = new Map<number, unknown>();
    const step = (rank: number): void => {
      if (over.has(rank)) return;
      const { value, done } = (tasks[rank] as (typeof tasks)[0]).next();
      if (done) over.set(rank, value);
    };
    for (const rank of first) step(rank);
    // those that go on and the root, in the order of the turns, over and over
    for (let i = 0; !over.has(root); i++) {
      assert.ok(i < 1000, "the root never ends");
      const rank = i < 100 ? (turns[i % turns.length] as number) : root;
      if (rank === root || goesOn[rank]) step(rank);
    }
    const expected = xs.flatMap((x) => [...x]);
    assert.equal([...all.subarray(0, expected.length)], expected);
    assert.ok(
      all.subarray(expected.length).every((x) => x === -1),
      "nothing is written behind",
    );
    for (const rank of pes.keys()) while (!over.has(rank)) step(rank);
    for (const rank of pes.keys()) if (rank !== root) assert.is(over.get(rank), undefined);
    shared += pes.filter((team, rank) => rank !== root && (team.division?.to ?? 0) > 0).length;
  };
  fc.assert(fc.property(one, play), { numRuns: 60 });
  assert.ok(shared > 0, "some copies were divided");
});

for (const pes of [2, 4]) {
  gather(`${pes} PEs on threads`, async () => {
    const program = new URL("../programs/divided-gather.program.js", import.meta.url);
    assert.ok(isComplete(await launchPooled(program, { pes, heapBytes: 2 ** 24 })));
  });
}

gather.run();
