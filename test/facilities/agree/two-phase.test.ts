/** Two-phase commit in virtual time: atomicity under losses, stalls and late votes; and where it must wait. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TwoPhaseOptions } from "../../../src/facilities/agree/two-phase/participant.ts";
import type { Transaction } from "../../../src/facilities/agree/two-phase/transaction.ts";
import { TwoPhaseCommit } from "../../../src/facilities/agree/two-phase/two-phase-commit.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { Network, type NetworkOptions, Random } from "./support/network.ts";
import { randomTree } from "./support/random-run.ts";

/** Members that vote as the transaction's bytes tell: byte 0 and 1: its number; the others: who votes no. */
class Committers {
  readonly network: Network;
  readonly parties: readonly TwoPhaseCommit[];
  /** What each member has voted and decided, by transaction. */
  readonly votes: Map<number, boolean>[] = [];
  readonly decisions: Map<number, boolean>[] = [];
  readonly doubts: Map<number, Error>[] = [];
  readonly transactions: Map<number, Transaction> = new Map();

  constructor(network: NetworkOptions, options: TwoPhaseOptions = {}) {
    this.network = new Network(network);
    this.parties = this.network.members.map((member) => {
      const { rank } = member;
      const votes = new Map<number, boolean>();
      const decisions = new Map<number, boolean>();
      const doubts = new Map<number, Error>();
      this.votes.push(votes);
      this.decisions.push(decisions);
      this.doubts.push(doubts);
      const numberOf = (bytes: Uint8Array) => (bytes[0] as number) + 256 * (bytes[1] as number);
      const party = new TwoPhaseCommit(
        member,
        {
          vote: (bytes) => {
            assert.not.ok(votes.has(numberOf(bytes)), "asked to vote twice");
            const yes = !bytes.subarray(2).includes(rank);
            votes.set(numberOf(bytes), yes);
            return yes;
          },
          decide: (bytes, committed) => {
            assert.not.ok(decisions.has(numberOf(bytes)), "decided twice");
            assert.ok(votes.has(numberOf(bytes)), "decided without a vote");
            decisions.set(numberOf(bytes), committed);
          },
          doubt: (bytes, error) => doubts.set(numberOf(bytes), error),
        },
        options,
      );
      member.party = party;
      return party;
    });
  }

  propose(rank: number, number: number, no: readonly number[] = []): Transaction {
    const transaction = (this.parties[rank] as TwoPhaseCommit).propose(Uint8Array.of(number & 255, number >> 8, ...no));
    this.transactions.set(number, transaction);
    const member = this.network.members[rank];
    if (member !== undefined) member.next = this.network.now;
    return transaction;
  }

  run(ms: number): void {
    this.network.run(this.network.now + ms);
  }

  get living(): number[] {
    return this.network.members.map(({ rank }) => rank).filter((rank) => !this.network.isLost(rank));
  }

  /** What must hold whatever happened. @param size how many took part, if all did */
  check(): void {
    for (const [number, transaction] of this.transactions) {
      const decided = this.decisions.flatMap((decisions) => decisions.get(number) ?? []);
      assert.ok(new Set(decided).size <= 1, `transaction ${number}: ${decided}`);
      if (decided[0] === true)
        assert.ok(
          this.votes.every((votes) => votes.get(number) !== false),
          `${number}: against a no`,
        );
      if (transaction.outcome !== null && decided.length > 0)
        assert.is(transaction.outcome === "committed", decided[0]);
    }
  }
}

const commit = suite("two-phase commit");

for (const dissemination of ["sequential", "tree"] as const) {
  const options = (size: number): TwoPhaseOptions => ({
    dissemination,
    ...(dissemination === "tree" ? { treeFor: randomTree(new Random(5), size) } : {}),
  });

  for (const size of [1, 2, 3, 7]) {
    commit(`${dissemination}, ${size} members: all yes, one no`, () => {
      const group = new Committers({ size, seed: 3 }, options(size));
      for (let i = 0; i < 20; i++) group.propose(i % size, i, i % 3 === 0 ? [i % size] : []);
      group.run(200);
      for (let i = 0; i < 20; i++) {
        for (const decisions of group.decisions) assert.is(decisions.get(i), i % 3 !== 0);
        assert.is(group.transactions.get(i)?.outcome, i % 3 === 0 ? "aborted" : "committed");
      }
      assert.ok(group.parties.every((party) => !party.isBusy));
      group.check();
    });
  }

  commit(`${dissemination}: a participant is lost before it votes: abort; the next one goes without it`, () => {
    const group = new Committers({ size: 4, seed: 4 }, options(4));
    group.network.stall(2, 1000);
    const first = group.propose(0, 1);
    group.run(20);
    assert.is(first.done, false);
    group.network.lose(2);
    group.run(50);
    assert.is(first.outcome, "aborted");
    const second = group.propose(0, 2);
    group.run(50);
    assert.is(second.outcome, "committed");
    for (const rank of [0, 1, 3])
      assert.equal([...(group.decisions[rank] as Map<number, boolean>).values()], [false, true]);
  });

  commit(`${dissemination}: a participant is late: abort, and it learns so`, () => {
    const group = new Committers({ size: 4, seed: 5 }, { ...options(4), voteWithin: 100 });
    group.network.stall(3, 300);
    const transaction = group.propose(0, 1);
    group.run(200);
    assert.is(transaction.outcome, "aborted");
    group.run(1200);
    assert.is(group.decisions[3]?.get(1), false);
    assert.not.ok(group.parties[0]?.isBusy);
  });

  commit(`${dissemination}: the coordinator is lost after all have promised: in doubt`, () => {
    // all messages from the coordinator but PREPARE are late
    const group = new Committers({ size: 4, seed: 6, delay: 0.001 }, options(4));
    group.propose(0, 1);
    group.network.run(1000, () => group.votes.filter((votes) => votes.has(1)).length === 4);
    group.network.stall(0, 1000);
    group.run(20);
    group.network.lose(0);
    group.run(100);
    for (const rank of [1, 2, 3]) {
      assert.is(group.decisions[rank]?.has(1), false);
      assert.match(String(group.doubts[rank]?.get(1)), /coordinator 0 was lost/);
      assert.equal(group.parties[rank]?.inDoubt, [{ coordinator: 0, sequence: 1 }]);
    }
    const later = group.propose(1, 2);
    group.run(50);
    assert.is(later.outcome, "committed");
  });
}

commit("a decision that not all have confirmed lets the coordinator sleep", () => {
  const group = new Committers({ size: 3, seed: 9 }, { voteWithin: 20 });
  const transaction = group.propose(0, 1, [1]);
  group.network.stall(2, 400);
  group.run(100);
  assert.is(transaction.outcome, "aborted");
  const [coordinator] = group.parties;
  assert.ok(coordinator?.isBusy);
  assert.ok((coordinator?.idleFor ?? 0) > 100, `${coordinator?.idleFor}`);
});

commit("the coordinator is lost, and somebody has not voted: abort", () => {
  const group = new Committers({ size: 4, seed: 8, delay: 0.1 });
  group.network.stall(2, 300);
  group.propose(0, 1);
  group.run(20);
  group.network.lose(0);
  group.run(1000);
  for (const rank of [1, 3]) assert.is(group.decisions[rank]?.get(1), false);
  assert.is.not(group.decisions[2]?.get(1), true);
});

commit("random histories", () => {
  const begin = (SEED % 1_000_000) * 1000;
  const sum = { committed: 0, aborted: 0, doubts: 0, lost: 0 };
  const count = rounds(800, 50_000);
  for (let seed = begin; seed < begin + count; seed++) {
    try {
      randomCommits(seed, sum);
    } catch (error) {
      throw new Error(`randomCommits(${seed}): ${(error as Error).message}`, { cause: error });
    }
  }
  assert.ok(
    sum.committed > count && sum.aborted > count && sum.doubts > count / 100 && sum.lost > count / 2,
    JSON.stringify(sum),
  );
});

function randomCommits(seed: number, sum: Record<"committed" | "aborted" | "doubts" | "lost", number>): void {
  const random = new Random(seed);
  const size = random.whole(2, 7);
  const network = {
    size,
    seed,
    delay: random.pick([0.2, 2]),
    late: random.pick([0, 0.05]),
    noticed: random.pick([0, 1, 30]),
  };
  const treeFor = randomTree(random, size);
  const group = new Committers(network, {
    voteWithin: random.pick([20, 5000]),
    window: random.pick([1, 4, 256]),
    ...(random.chance(0.6) ? { treeFor } : {}),
  });
  const count = random.whole(5, 40);
  const losses = random.whole(0, size - 1);
  for (let i = 0; i < count; i++) {
    const { living } = group;
    group.propose(random.pick(living), i, random.chance(0.2) ? [random.whole(0, size - 1)] : []);
    if (random.chance(0.1)) group.network.stall(random.pick(living), 60 * random.next());
    group.run(random.pick([0.1, 1, 4]) * random.next());
    if (size - living.length < losses && random.chance(0.1)) group.network.lose(random.pick(living));
  }
  group.run(12_000);
  group.check();
  for (const [number, transaction] of group.transactions) {
    const decided = group.living.flatMap((rank) => group.decisions[rank]?.get(number) ?? []);
    const voted = group.living.filter((rank) => group.votes[rank]?.has(number));
    const doubted = group.living.filter((rank) => group.doubts[rank]?.has(number));
    if (decided.length !== voted.length && doubted.length + decided.length < voted.length) {
      throw new Error(`${number}: ${decided.length} of ${voted.length} have decided, ${doubted.length} in doubt`);
    }
    if (transaction.outcome === "committed") sum.committed++;
    else if (transaction.outcome === "aborted") sum.aborted++;
    if (doubted.length > 0) sum.doubts++;
  }
  for (const rank of group.living) assert.not.ok(group.parties[rank]?.isBusy, `member ${rank} is busy`);
  sum.lost += size - group.living.length;
}

commit.run();
