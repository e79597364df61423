/** Replicas that were away: they get what they miss from the log, or as a snapshot. And trees whose inner members are lost. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Group } from "./support/group.ts";

const catchUp = suite("catching up");

const WAYS: readonly (readonly [string, number, number, boolean])[] = [
  ["the log", 65_536, 0, false],
  ["a snapshot", 10, 0, true],
  ["a snapshot in parts", 10, 1_000_000, true],
];
for (const [name, snapshotEvery, ballast, restores] of WAYS) {
  for (const away of [0, 1, 2]) {
    catchUp(`by ${name}: replica ${away} was away for long`, () => {
      const group = new Group({
        network: { size: 3, seed: 1, room: 1000 },
        replica: { snapshotEvery, backlogBytes: 1000 },
        ballast,
      });
      for (const rank of [0, 1, 2]) group.propose(rank);
      assert.ok(group.finish(1000));
      const before = group.replicas[away]?.applied as number;
      // with commands of its own under way
      for (let i = 0; i < 5; i++) group.propose(away);
      group.network.run(group.network.now + 0.1);
      group.network.stall(away, 3000);
      for (let i = 0; i < 300; i++) {
        for (const rank of [0, 1, 2]) if (rank !== away) group.propose(rank);
        group.network.run(group.network.now + 5);
      }
      assert.is(group.replicas[away]?.applied, before);
      assert.ok(group.finish(10_000));
      assert.is(group.machines[away]?.count, group.order.commands.length);
      assert.is((group.machines[away]?.restored ?? 0) > 0, restores);
    });
  }
}

catchUp("more is committed than has room on the way: whoever was not sent it gets it as soon as there is room", () => {
  const group = new Group({
    network: { size: 3, seed: 1, room: 100 },
    replica: { suspectAfter: 100_000, backlogBytes: 200, batchBytes: 1 },
  });
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 50; i++) for (const rank of [0, 1, 2]) group.propose(rank);
    assert.ok(group.finish(500), `round ${round}`);
  }
});

catchUp("an inner member of the tree is lost: those below it miss nothing for long", () => {
  // 1 -> 0 -> 2 -> 3 -> 4
  const chain = (root: number) => {
    const children: number[][] = [[], [], [], [], []];
    const order = [root, ...[0, 2, 3, 4, 1].filter((member) => member !== root)];
    for (let i = 1; i < 5; i++) children[order[i - 1] as number]?.push(order[i] as number);
    return children;
  };
  for (let seed = 0; seed < 50; seed++) {
    const group = new Group({
      network: { size: 5, seed, delay: 0.5, noticed: 1 },
      replica: { suspectAfter: 10_000, treeFor: chain },
    });
    for (let i = 0; i < 20; i++) group.propose(0);
    group.network.run(1 + (seed % 10) / 5);
    group.network.lose(2);
    assert.ok(group.finish(20), `seed ${seed}`);
    assert.is(group.replicas[0]?.epoch, 1);
  }
});

catchUp.run();
