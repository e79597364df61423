/** Where agreement ends: what is blocked says so, and is not wrong; and how waits end. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Replica } from "../../../src/facilities/agree/replica.ts";
import { AbortedError, RankLostError, StateError, TimeoutError, UsageError } from "../../../src/ground/base/errors.ts";
import { Counted, commandOf, Order } from "./support/counted.ts";
import { Group } from "./support/group.ts";
import { Network } from "./support/network.ts";

const isA =
  (type: typeof StateError | typeof TimeoutError | typeof UsageError) =>
  (error: unknown): boolean =>
    error instanceof type;

const limits = suite("limits of agreement");

const LOSSES: readonly (readonly [string, number, readonly number[]])[] = [
  ["the leader and the acceptor at once", 5, [0, 1]],
  ["the leader, and with others the majority", 5, [0, 2, 3]],
  ["the acceptor, and with others the majority", 5, [1, 2, 3]],
  ["one of two", 2, [0]],
  ["all others of three", 3, [1, 2]],
];
for (const [name, size, lost] of LOSSES) {
  limits(`lost: ${name}: proposals fail, and what is lost is named`, () => {
    const group = new Group({ network: { size, seed: 1 } });
    for (let i = 0; i < 20; i++) group.propose(i % size);
    group.network.run(1.5);
    for (const rank of lost) group.network.lose(rank);
    const proposals = group.living.map((rank) => group.propose(rank));
    group.network.run(5000);
    for (const { reply, error } of proposals) {
      assert.is(reply, null);
      assert.instance(error, RankLostError);
      assert.ok(lost.includes((error as RankLostError).rank));
    }
    for (const rank of group.living) assert.instance(group.replicas[rank]?.blocked, RankLostError);
  });
}

limits("a majority lost, but neither leader nor acceptor: it goes on, until one of them is", () => {
  const group = new Group({ network: { size: 5, seed: 1 } });
  for (const rank of [2, 3, 4]) group.network.lose(rank);
  group.propose(0);
  group.propose(1);
  assert.ok(group.finish(1000));
  assert.is(group.replicas[0]?.blocked, null);
});

limits("without a majority, the acceptor is suspected, and comes back: they go on", () => {
  const group = new Group({ network: { size: 5, seed: 1 } });
  for (const rank of [2, 3, 4]) group.network.lose(rank);
  group.network.run(20);
  group.network.stall(1, 300);
  group.propose(0);
  group.network.run(200);
  group.propose(0);
  assert.is(group.order.commands.length, 0);
  assert.ok(group.finish(5000));
  assert.is(group.replicas[0]?.epoch, 1);
});

limits("leader and acceptor are stalled: nothing is decided without them, and all goes on after", () => {
  const group = new Group({ network: { size: 5, seed: 1 } });
  group.network.run(5);
  group.network.stall(0, 2000);
  group.network.stall(1, 2000);
  const proposal = group.propose(2);
  group.network.run(1500);
  assert.is(proposal.done, false);
  assert.ok(group.finish(5000));
});

limits("waits end by timeout, abort and close", async () => {
  const group = new Group({ network: { size: 3, seed: 1 } });
  const replica = group.replicas[2] as Replica;
  for (const rank of [0, 1]) group.network.stall(rank, 10_000);
  const error = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (reason) => reason,
    );
  group.order.proposed.add("2:1").add("2:2").add("2:3");
  assert.instance(await error(replica.proposeAsync(commandOf(2, 1), { timeout: 30 })), TimeoutError);
  const controller = new AbortController();
  const aborted = error(replica.proposeAsync(commandOf(2, 2), { signal: controller.signal }));
  controller.abort(new Error("enough"));
  assert.instance(await aborted, AbortedError);
  assert.throws(() => replica.wait(replica.propose(commandOf(2, 3)), { timeout: 0 }), isA(TimeoutError));
  const served = replica.serveAsync(() => false);
  const closed = error(replica.syncAsync());
  replica.close();
  (group.network.members[2] as { party: unknown }).party = null;
  assert.instance(await closed, StateError);
  await served;
  assert.throws(() => replica.propose(commandOf(2, 4)), isA(StateError));
});

limits("a command that was given up is applied, once, before later ones", async () => {
  const group = new Group({ network: { size: 3, seed: 1 } });
  const replica = group.replicas[2] as Replica;
  group.order.proposed.add("2:1").add("2:2");
  group.network.stall(0, 20);
  await replica.proposeAsync(commandOf(2, 1), { timeout: 5 }).then(
    () => assert.unreachable(),
    (error) => assert.instance(error, TimeoutError),
  );
  await replica.proposeAsync(commandOf(2, 2), { timeout: 5000 });
  await replica.syncAsync();
  assert.equal(group.order.commands, ["2:1", "2:2"]);
});

limits("a machine that throws ends its replica", () => {
  const { members } = new Network({ size: 1, seed: 1 });
  const machine = new Counted(new Order(), 0);
  const replica = new Replica(members[0] as (typeof members)[0], machine);
  const proposal = replica.propose(commandOf(0, 1));
  assert.throws(() => replica.advance(), /nobody has proposed/);
  assert.match((proposal.error as Error).message, /nobody has proposed/);
  assert.throws(() => replica.advance(), isA(StateError));
});

limits("options", () => {
  const { members } = new Network({ size: 3, seed: 1 });
  const make = (options: object) => () =>
    new Replica(members[0] as (typeof members)[0], new Counted(new Order(), 0), options);
  for (const options of [
    { leader: 3 },
    { leader: 1, acceptor: 1 },
    { dissemination: "tree" },
    { window: 0 },
    { treeFor: () => [[1], [], []] },
    { treeFor: () => [[1, 2], [2], []] },
    { every: 1 },
  ]) {
    assert.throws(make(options), isA(UsageError), JSON.stringify(options));
  }
});

limits.run();
