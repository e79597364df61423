/** What the calls of replicas and of two-phase commit take, and how they end. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Replica } from "../../../src/facilities/agree/replica.ts";
import type { StateMachine } from "../../../src/facilities/agree/state-machine.ts";
import { TwoPhaseCommit } from "../../../src/facilities/agree/two-phase/two-phase-commit.ts";
import type { Members } from "../../../src/facilities/messages/members.ts";
import { AbortedError, TimeoutError, UsageError } from "../../../src/ground/base/errors.ts";
import { Network } from "./support/network.ts";

const test = suite("calls of agreement");

/** Keeps all commands. */
class Kept implements StateMachine {
  readonly commands: number[][] = [];
  apply(command: Uint8Array): Uint8Array {
    this.commands.push([...command]);
    return new Uint8Array(1);
  }
  snapshot(): Uint8Array {
    return new Uint8Array(0);
  }
  restore(): void {}
}

const alone = (): Members => new Network({ size: 1, seed: 1 }).members[0] as Members;
function one(machine: StateMachine = new Kept()): Replica {
  return new Replica(alone(), machine);
}
function committer(seen: number[][] = []): TwoPhaseCommit {
  const vote = (bytes: Uint8Array) => seen.push([...bytes]) > 0;
  return new TwoPhaseCommit(alone(), { vote, decide() {} });
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );
const isUsage = (error: unknown): boolean => error instanceof UsageError;
/** What is given against the types. */
const wrong = (value: unknown): never => value as never;

const VIEWS: readonly (readonly [string, ArrayBufferView, number[]])[] = [
  ["Uint16Array", Uint16Array.of(300, 1), [44, 1, 1, 0]],
  ["DataView", new DataView(Uint8Array.of(1, 2, 3).buffer, 1), [2, 3]],
  ["Buffer", Buffer.from([7, 8]), [7, 8]],
];
for (const [name, view, bytes] of VIEWS) {
  test(`the bytes of a ${name} are proposed, copied`, () => {
    const kept = new Kept();
    const replica = one(kept);
    const seen: number[][] = [];
    const commit = committer(seen);
    const proposal = replica.propose(view);
    const transaction = commit.propose(view);
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).fill(9);
    replica.wait(proposal);
    commit.wait(transaction);
    assert.equal([kept.commands, seen], [[bytes], [bytes]]);
  });
}

test("what is no view is refused, and nothing is changed", async () => {
  const kept = new Kept();
  const replica = one(kept);
  const seen: number[][] = [];
  const commit = committer(seen);
  for (const value of ["text", [1, 2], undefined, null, 5, new ArrayBuffer(2)]) {
    assert.throws(() => replica.propose(wrong(value)), isUsage);
    assert.throws(() => replica.proposeAndWait(wrong(value)), isUsage);
    assert.instance(await failure(replica.proposeAsync(wrong(value))), UsageError);
    assert.throws(() => commit.propose(wrong(value)), isUsage);
  }
  assert.ok(replica.isIdle && !commit.isBusy);
  replica.syncAndWait();
  assert.equal([kept.commands, seen], [[], []]);
});

test("limits of a wait that are none are refused before anything is proposed", async () => {
  const replica = one();
  const commit = committer();
  const command = new Uint8Array(1);
  for (const limits of [
    { timeout: Number.NaN },
    { timeout: "x" },
    { timeout: -1 },
    { signal: {} },
    { timeOut: 1 },
    5,
    null,
  ].map(wrong)) {
    for (const call of [
      () => replica.proposeAndWait(command, limits),
      () => replica.syncAndWait(limits),
      () => replica.serve(() => true, limits),
      () => commit.serve(() => true, limits),
    ])
      assert.throws(call, isUsage);
    for (const call of [
      replica.proposeAsync(command, limits),
      replica.syncAsync(limits),
      replica.serveAsync(() => true, limits),
      commit.serveAsync(() => true, limits),
    ])
      assert.instance(await failure(call), UsageError);
  }
  assert.ok(replica.isIdle);
  const transaction = commit.propose(command);
  assert.throws(() => commit.wait(transaction, wrong({ timeout: "x" })), isUsage);
  assert.instance(await failure(commit.waitAsync(transaction, wrong({ signal: 1 }))), UsageError);
});

const KINDS: readonly (readonly [string, () => Pick<Replica, "serve" | "serveAsync" | "close" | "advance">])[] = [
  ["a replica", one],
  ["a member of two-phase commits", () => committer()],
];
for (const [name, make] of KINDS) {
  test(`${name} serves: a condition that throws ends its call alone`, async () => {
    const party = make();
    const other = party.serveAsync(() => false);
    const error = await failure(
      party.serveAsync(() => {
        throw new Error("the condition's");
      }),
    );
    assert.match((error as Error).message, /^the condition's$/);
    let asked = 0;
    await party.serveAsync(() => ++asked > 3);
    party.advance();
    party.close();
    await other;
  });

  test(`${name} serves until a timeout, or a signal`, async () => {
    const party = make();
    assert.throws(
      () => party.serve(() => false, { timeout: 0 }),
      (error: unknown) => error instanceof TimeoutError,
    );
    assert.instance(await failure(party.serveAsync(() => false, { timeout: 20 })), TimeoutError);
    const controller = new AbortController();
    const served = failure(party.serveAsync(() => false, { signal: controller.signal }));
    controller.abort();
    assert.instance(await served, AbortedError);
    assert.throws(() => party.serve(wrong(5)), isUsage);
    assert.instance(await failure(party.serveAsync(wrong(5))), UsageError);
  });
}

test.run();
