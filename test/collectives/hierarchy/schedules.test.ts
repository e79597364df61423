/** The schedules of all PEs of a group, run together on lists of ranks: who has what then, and that nobody waits for ever. */

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  BROADCAST_WITHIN,
  COPY_IN,
  COPY_OUT,
  MPI_BARRIER,
  MPI_BROADCAST,
  MPI_SUM,
  RECEIVE,
  REDUCE,
  REDUCE_BEFORE,
  REDUCE_WITHIN,
  type Schedule,
  SEND,
} from "../../../src/collectives/hierarchy/schedule.ts";
import { Schedules } from "../../../src/collectives/hierarchy/schedules.ts";
import { Subgroups } from "../../../src/collectives/hierarchy/subgroups.ts";

/** One PE: its schedule, and the ranks whose values are in what it has. */
interface Pe {
  readonly subgroups: Subgroups;
  readonly schedule: Schedule;
  at: number;
  value: readonly number[];
  /** What messages are sent from: a copy between COPY_IN and COPY_OUT. */
  copy: readonly number[] | null;
  /** The ranks that have come, as far as it can know. */
  readonly heard: Set<number>;
}

interface Message {
  readonly content: readonly number[];
  readonly heard: readonly number[];
}

const costs = { alpha: 2100, overhead: 300, near: 200, mpi: null };

/** Nodes with so many PEs each, and a group of all of them in this order. */
function groupOf(sizes: readonly number[], members: readonly number[]): Subgroups[] {
  const starts = [0];
  for (const size of sizes) starts.push((starts.at(-1) as number) + size);
  return members.map((member) => {
    const node = starts.findLastIndex((start) => start <= member);
    const here = members.filter((other) => starts.findLastIndex((start) => start <= other) === node);
    return new Subgroups({ node, starts }, members, here.indexOf(member));
  });
}

/**
 * Runs the schedules of all.
 * @param root the only one whose value means something; undefined for all
 * @returns what each has then
 */
function run(all: readonly Subgroups[], of: (schedules: Schedules) => Schedule, root?: number): (readonly number[])[] {
  const [plain, copied] = [false, true].map((copies) => runAll(all, of, copies).map(({ value }) => value)) as [
    (readonly number[])[],
    (readonly number[])[],
  ];
  for (const rank of root === undefined ? all.keys() : [root]) {
    assert.equal(plain[rank], copied[rank], "copies change nothing");
  }
  return plain;
}

/** @param copies whether what is sent and received lies apart from the value */
function runAll(all: readonly Subgroups[], of: (schedules: Schedules) => Schedule, copies: boolean): Pe[] {
  const sent = copies ? "copy" : "value";
  const pes = all.map((subgroups): Pe => {
    const { rank } = subgroups;
    const schedule = of(new Schedules(subgroups, costs, copies));
    return { subgroups, schedule, at: 0, value: [rank], copy: null, heard: new Set([rank]) };
  });
  const queues = new Map<string, Message[]>();
  const queue = (from: number, to: number) => {
    const key = `${from}>${to}`;
    const known = queues.get(key) ?? [];
    queues.set(key, known);
    return known;
  };
  const teamOf = ({ subgroups }: Pe): Pe[] =>
    (subgroups.all[subgroups.own]?.ranks ?? []).map((rank) => pes[rank] as Pe);
  const isAt = (pe: Pe, kind: number): boolean => pe.schedule[pe.at]?.kind === kind;
  /** Whether the PE got on by a step. */
  const step = (pe: Pe): boolean => {
    const { subgroups, schedule } = pe;
    const { kind, peer } = schedule[pe.at] as Schedule[number];
    if (kind === REDUCE_WITHIN || kind === BROADCAST_WITHIN) {
      const team = teamOf(pe);
      assert.ok(team.length > 1, "a step within a subgroup of one PE");
      if (!team.every((other) => isAt(other, kind))) return false;
      const leader = team[peer] as Pe;
      if (kind === REDUCE_WITHIN) {
        leader.value = team.flatMap(({ value }) => value);
        for (const { heard } of team) for (const rank of heard) leader.heard.add(rank);
      } else {
        for (const other of team) other.value = leader.value;
        for (const other of team) for (const rank of leader.heard) other.heard.add(rank);
      }
      for (const other of team) other.at++;
      return true;
    }
    if (kind === MPI_BARRIER || kind === MPI_BROADCAST || kind === MPI_SUM) {
      const leaders = pes.filter((other) => other.schedule.some((one) => one.kind === kind));
      assert.equal(
        leaders.map(({ subgroups: { own } }) => own).sort((a, b) => a - b),
        [...subgroups.all.keys()],
        "one of each subgroup",
      );
      if (!leaders.every((other) => isAt(other, kind))) return false;
      const contentOf = (other: Pe) => {
        assert.ok(other[sent] !== null || kind === MPI_BROADCAST, "a step before its copy");
        return other[sent] as readonly number[];
      };
      const root = leaders.find((other) => other.subgroups.own === peer);
      const value = kind === MPI_BROADCAST ? contentOf(root as Pe) : leaders.flatMap(contentOf);
      const heard = leaders.flatMap((other) => [...other.heard]);
      for (const other of leaders) {
        if (kind !== MPI_BARRIER) other[sent] = value;
        if (kind !== MPI_BROADCAST) for (const rank of heard) other.heard.add(rank);
        other.at++;
      }
      return true;
    }
    if (kind === COPY_IN) pe.copy = pe.value;
    else if (kind === COPY_OUT) pe.value = pe.copy as readonly number[];
    else if (kind === SEND) {
      assert.not(subgroups.of(peer) === subgroups.own, "a message within a node");
      assert.ok(pe[sent] !== null, "a message before its copy");
      queue(subgroups.rank, peer).push({ content: pe[sent] as readonly number[], heard: [...pe.heard] });
    } else {
      const message = queue(peer, subgroups.rank).shift();
      if (message === undefined) return false;
      const { content: other } = message;
      for (const rank of message.heard) pe.heard.add(rank);
      if (kind === RECEIVE) pe[sent] = other;
      else if (kind === REDUCE) pe[sent] = [...(pe[sent] as readonly number[]), ...other];
      else if (kind === REDUCE_BEFORE) pe[sent] = [...other, ...(pe[sent] as readonly number[])];
    }
    pe.at++;
    return true;
  };
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const pe of pes) while (pe.at < pe.schedule.length && step(pe)) isMoving = true;
  }
  for (const pe of pes) assert.is(pe.at, pe.schedule.length, `PE ${pe.subgroups.rank} waits for ever`);
  for (const [link, left] of queues) assert.is(left.length, 0, `${link}: nobody takes it`);
  return pes;
}

/** Sizes of nodes, an order of all their PEs, and a root. */
const groups = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 11 }).chain((sizes) => {
  const size = sizes.reduce((sum, one) => sum + one, 0);
  const ranks = [...Array(size).keys()];
  return fc.record({
    sizes: fc.constant(sizes),
    members: fc.oneof(fc.constant(ranks), fc.shuffledSubarray(ranks, { minLength: size, maxLength: size })),
    root: fc.nat({ max: size - 1 }),
  });
});

const sorted = (ranks: readonly number[] | undefined) => ranks?.toSorted((a, b) => a - b);

const schedules = suite("schedules over nodes");

schedules("an allreduce brings the value of each to all, once, and the same order to all", () => {
  fc.assert(
    fc.property(groups, ({ sizes, members }) => {
      const all = groupOf(sizes, members);
      const values = run(all, ({ allreduce }) => allreduce);
      assert.equal(sorted(values[0]), [...members.keys()]);
      for (const value of values) assert.equal(value, values[0]);
    }),
  );
});

schedules("an allreduce of a power of two of nodes combines in the order of the ranks", () => {
  const ranks = [...Array(8).keys()];
  const values = run(groupOf([2, 2, 2, 2], ranks), ({ allreduce }) => allreduce);
  for (const value of values) assert.equal(value, ranks);
});

schedules("the same by the MPI library", () => {
  fc.assert(
    fc.property(groups, ({ sizes, members, root }) => {
      const all = groupOf(sizes, members);
      const sums = run(all, ({ mpiSum }) => mpiSum);
      assert.equal(sorted(sums[0]), [...members.keys()]);
      for (const value of sums) assert.equal(value, sums[0]);
      for (const value of run(all, (made) => made.mpiBroadcast(root))) assert.equal(value, [root]);
      for (const { heard } of runAll(all, ({ mpiBarrier }) => mpiBarrier, false)) {
        assert.equal(sorted([...heard]), [...members.keys()]);
      }
    }),
  );
});

schedules("a broadcast brings the root's value to all", () => {
  fc.assert(
    fc.property(groups, ({ sizes, members, root }) => {
      for (const value of run(groupOf(sizes, members), (made) => made.broadcast(root))) {
        assert.equal(value, [root]);
      }
    }),
  );
});

schedules("a reduce brings the value of each to the root, once", () => {
  fc.assert(
    fc.property(groups, ({ sizes, members, root }) => {
      const values = run(groupOf(sizes, members), (made) => made.reduce(root), root);
      assert.equal(sorted(values[root]), [...members.keys()]);
    }),
  );
});

schedules("nobody is through a barrier before all have come", () => {
  fc.assert(
    fc.property(groups, ({ sizes, members }) => {
      const all = groupOf(sizes, members);
      for (const { heard } of runAll(all, ({ barrier }) => barrier, false)) {
        assert.equal(sorted([...heard]), [...members.keys()]);
      }
    }),
  );
});

schedules("each schedule is made once", () => {
  const [first] = groupOf([2, 1], [0, 1, 2]);
  const made = new Schedules(first as Subgroups, costs, false);
  assert.is(made.broadcast(2), made.broadcast(2));
  assert.is(made.reduce(1), made.reduce(1));
});
schedules.run();
