/**
 * A message of another call where nothing comes after it that would show the same: no later call, and no wait.
 * Both PEs are in this thread.
 */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Barrier } from "../../src/collectives/node/barrier.ts";
import { TreeReduce } from "../../src/collectives/node/tree-reduce.ts";
import { BARRIER, BROADCAST_NUMBER, REDUCE_NUMBER } from "../../src/collectives/team/call-words.ts";
import { HeapMedium } from "../../src/collectives/team/heap-medium.ts";
import { Payload } from "../../src/collectives/team/payload.ts";
import { Team } from "../../src/collectives/team/team.ts";
import { teamBytes } from "../../src/collectives/team/team-block.ts";
import { MismatchError } from "../../src/ground/base/errors.ts";
import { dataCalls } from "../../src/pe/late-calls.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { Room } from "../ground/wait/room.ts";
import { chain, disseminating } from "./support/plans.ts";

/** The two PEs of a world. */
function teams(plan: Trees): [Team, Team] {
  const room = new Room(2);
  const { heap, wakers, termination } = room;
  const offset = heap.allocate(teamBytes(plan, 2));
  const team = (rank: number): Team => {
    const waiter = room.waiter(rank, { looks: 1, spins: 0, yields: 1, sliceMs: 1 });
    waiter.timeout = 5000;
    const holder = {
      rank,
      heap,
      wakers,
      termination,
      waiter,
      payload: () => new Payload(heap),
      medium: new HeapMedium({ heap, wakers, waiter, channel: "ump", late: dataCalls }),
      checks: true,
      channel: "ump" as const,
    };
    return new Team(holder, { members: [0, 1], plan, offset });
  };
  return [team(0), team(1)];
}

/** Begins a call: its tag. */
function enter(team: Team, word: number, count: number, root: number): number {
  const tag = team.enter(word, count, root);
  team.note(word, count, root);
  return tag;
}

function checkMismatch(work: () => unknown, told: RegExp): void {
  assert.throws(work, (error: unknown) => error instanceof MismatchError && told.test(error.message));
}

const last = suite("the last call");

for (const [kind, plan] of Object.entries({ tree: chain(2), dissemination: disseminating(2) })) {
  for (const form of ["blocking", "later"] as const) {
    last(`a barrier after a broadcast meets one without it: ${kind}, ${form}`, () => {
      const [a, b] = teams(plan);
      enter(b, BROADCAST_NUMBER, 1, 1); // its root waits for nobody
      const other = new Barrier(b);
      other.begin(enter(b, BARRIER, 0, -1));
      assert.ok(other.advance() !== null, "PE 1 has come, and waits for PE 0");
      const barrier = new Barrier(a);
      const told = /PE 0 called barrier; PE 1 called broadcast of a number at root 1/;
      if (form === "blocking") {
        const tag = a.enter(BARRIER, 0, -1);
        checkMismatch(() => barrier.run(tag), told);
      } else {
        barrier.begin(enter(a, BARRIER, 0, -1));
        checkMismatch(() => barrier.advance(), told);
      }
    });
  }
}

for (const form of ["blocking", "later"] as const) {
  last(`a reduce of numbers by two ops: ${form}`, () => {
    const [a, b] = teams(chain(2));
    new TreeReduce(b).number(enter(b, REDUCE_NUMBER.max, 1, 0), 3, Math.max, 0);
    const tag = enter(a, REDUCE_NUMBER.sum, 1, 0);
    const reduce = new TreeReduce(a);
    const told = /PE 0 called reduce sum of a number at root 0 \(tree\); PE 1 called reduce max of a number/;
    if (form === "blocking") {
      checkMismatch(() => reduce.number(tag, 4, (x, y) => x + y, 0), told);
    } else {
      reduce.beginNumber(tag, 4, (x, y) => x + y, 0);
      checkMismatch(() => reduce.advance(), told);
    }
  });
}
last.run();
