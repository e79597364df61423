/** What replicas and two-phase commit are made of, what of the program ends them, and what is freed then. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Replica } from "../../../src/facilities/agree/replica.ts";
import { TwoPhaseCommit } from "../../../src/facilities/agree/two-phase/two-phase-commit.ts";
import type { Members } from "../../../src/facilities/messages/members.ts";
import { StateError, UsageError } from "../../../src/ground/base/errors.ts";
import { Network } from "./support/network.ts";

const test = suite("ends of agreement");

const empty = new Uint8Array(0);
const machine = { apply: () => empty, snapshot: () => empty, restore() {} };
const participant = { vote: () => true, decide() {} };
const log = {
  recovered: { snapshotIndex: 0, snapshot: null, records: [] },
  ...{ append() {}, truncate() {}, close() {} },
};
/** What is given against the types. */
const wrong = (value: unknown): never => value as never;
const isUsage = (error: unknown): boolean => error instanceof UsageError;
const isState = (error: unknown): boolean => error instanceof StateError;

/** Members of whom one is alone; how often they were freed. */
function alone(): { readonly members: Members; readonly freed: () => number } {
  let count = 0;
  const [member] = new Network({ size: 1, seed: 1 }).members;
  const members = Object.assign(member as Members, { free: () => void count++ });
  return { members, freed: () => count };
}

test("parts that lack functions, and options that are none", () => {
  const { members, freed } = alone();
  for (const value of [undefined, null, 5, {}, { ...machine, apply: 1 }])
    assert.throws(() => new Replica(members, wrong(value)), isUsage);
  for (const value of [null, 5, { log: {} }, { log: null }, { log: { ...log, truncate: 1 } }])
    assert.throws(() => new Replica(members, machine, wrong(value)), isUsage);
  for (const value of [undefined, null, () => true, { vote: () => true }])
    assert.throws(() => new TwoPhaseCommit(members, wrong(value)), isUsage);
  for (const value of [null, 5]) {
    assert.throws(() => new TwoPhaseCommit(members, participant, wrong(value)), isUsage);
  }
  assert.is(freed(), 0);
  new Replica(members, machine, { log }).close();
});

test("a reply that is no bytes", () => {
  for (const reply of [undefined, "text", [1], Uint16Array.of(1)]) {
    const { members, freed } = alone();
    const replica = new Replica(members, { ...machine, apply: () => wrong(reply) });
    replica.propose(empty);
    assert.throws(
      () => replica.advance(),
      (error: unknown) => isUsage(error) && /command 1, got/.test((error as Error).message),
    );
    assert.throws(() => replica.advance(), isState);
    assert.is(freed(), 1);
  }
});

test("a vote that is neither true nor false", () => {
  for (const vote of [Promise.resolve(true), "yes", 1, undefined]) {
    const { members, freed } = alone();
    let decided = false;
    const commit = new TwoPhaseCommit(members, {
      vote: () => wrong(vote),
      decide: () => {
        decided = true;
      },
    });
    const transaction = commit.propose(empty);
    assert.throws(
      () => commit.wait(transaction),
      (error: unknown) => isUsage(error) && /^vote: expected/.test((error as Error).message),
    );
    assert.instance(transaction.error, UsageError);
    assert.ok(!decided);
    assert.throws(() => commit.advance(), isState);
    assert.is(freed(), 1);
  }
});

test("apply, vote and decide may propose, but not advance", () => {
  const applied: number[] = [];
  const replica: Replica = new Replica(alone().members, {
    ...machine,
    apply: (command) => {
      applied.push(command.length);
      replica.propose(new Uint8Array(applied.length));
      if (applied.length === 3) replica.advance();
      return empty;
    },
  });
  replica.propose(empty);
  assert.throws(() => {
    for (;;) replica.advance();
  }, /its state machine called it/);
  assert.equal(applied, [0, 1, 2]);
  const commit: TwoPhaseCommit = new TwoPhaseCommit(alone().members, {
    ...participant,
    decide: () => void commit.advance(),
  });
  commit.propose(empty);
  assert.throws(() => commit.advance(), /its participant called it/);
});

test("members and log are given up once, at the end", () => {
  for (const end of ["close", Symbol.dispose] as const) {
    const [first, second, third] = [alone(), alone(), alone()];
    let closed = 0;
    const options = { log: { ...log, close: () => void closed++ } };
    const replica = new Replica(first.members, machine, options);
    const commit = new TwoPhaseCommit(second.members, participant);
    // one that is closed while it advances
    const inside: Replica = new Replica(
      third.members,
      {
        ...machine,
        apply: () => {
          inside.close();
          assert.equal([closed, third.freed()], [0, 0]);
          return empty;
        },
      },
      options,
    );
    inside.propose(empty);
    inside.advance();
    assert.equal([closed, third.freed()], [1, 1]);
    for (let i = 0; i < 2; i++) {
      for (const one of [replica, commit, inside]) one[end]();
      assert.equal([closed, first.freed(), second.freed(), third.freed()], [2, 1, 1, 1]);
    }
  }
});

test.run();
