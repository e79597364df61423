/** Replicas with durable logs: all processes end at any time and start again; nothing that was applied anywhere is lost or applied twice. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../../src/ground/base/errors.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { Order } from "./support/counted.ts";
import { Group } from "./support/group.ts";
import { MemoryLog } from "./support/memory-log.ts";
import { Random } from "./support/network.ts";

const durable = suite("durable replicas");

function lives(seed: number): void {
  const random = new Random(seed);
  const size = random.pick([1, 2, 3, 3, 5]);
  const logs = Array.from({ length: size }, () => new MemoryLog());
  const order = new Order();
  const ballast = random.pick([0, 0, 300_000]);
  for (let life = 0; life < 4; life++) {
    const group = new Group({
      network: { size, seed: seed * 4 + life, delay: random.pick([0.2, 5]), late: random.pick([0, 0.02]) },
      replica: { snapshotEvery: random.pick([5, 40, 1000]), window: random.pick([4, 64]) },
      logs,
      order,
      ballast,
    });
    const before = order.commands.length;
    const steps = random.whole(0, 60);
    let losses = life === 3 ? 0 : random.whole(0, Math.floor((size - 1) / 2));
    for (let step = 0; step < steps; step++) {
      for (let i = random.whole(0, 2); i > 0; i--) group.propose(random.pick(group.living));
      if (random.chance(0.05)) group.network.stall(random.pick(group.living), 100 * random.next());
      // a replica that is lost before all have heard of each other prevents the start
      if (losses > 0 && random.chance(0.05) && group.order.commands.length > before && group.isWhole) {
        group.network.lose(random.pick(group.living));
        losses--;
      }
      group.network.run(group.network.now + 2 * random.next());
    }
    if (random.chance(0.5) || life === 3) {
      group.network.calm();
      assert.ok(group.finish(30_000), `life ${life}: does not go on`);
      if (life === 3) for (const machine of group.machines) assert.is(machine.count, order.commands.length);
    }
  }
}

durable("random lives", () => {
  const begin = (SEED % 1_000_000) * 1000;
  for (let seed = begin; seed < begin + rounds(150, 5000); seed++) {
    try {
      lives(seed);
    } catch (error) {
      throw new Error(`lives(${seed}): ${(error as Error).message}`, { cause: error });
    }
  }
});

durable("the longest log wins, whose ever it is; records come in batches", () => {
  for (const longest of [0, 1, 2]) {
    const logs = [0, 1, 2].map(() => new MemoryLog());
    const order = new Order();
    const first = new Group({ network: { size: 3, seed: 1 }, logs, order });
    first.network.run(50);
    for (let i = 0; i < 50; i++) first.propose(i % 3);
    assert.ok(first.finish(1000));
    assert.ok((logs[1]?.appends ?? 0) < 50);
    const empty = logs.map((log, rank) => (rank === longest ? log : new MemoryLog()));
    const second = new Group({ network: { size: 3, seed: 2 }, logs: empty, order });
    second.propose(0);
    assert.ok(second.finish(1000));
    assert.equal(
      second.machines.map(({ count }) => count),
      [51, 51, 51],
    );
    assert.ok(empty.every((log) => log.last === second.replicas[0]?.applied));
  }
});

durable("a replica is lost as soon as all know how long its log is: the others start without it", () => {
  let seed = 0;
  let finished = 0;
  for (const longest of [0, 1, 2]) {
    for (const lost of [0, 1, 2]) {
      for (let tenths = 2; tenths < 20; tenths++) {
        const logs = [0, 1, 2].map(() => new MemoryLog());
        const order = new Order();
        const first = new Group({ network: { size: 3, seed: ++seed }, logs, order });
        for (let i = 0; i < 20; i++) first.propose(i % 3);
        assert.ok(first.finish(1000));
        const second = new Group({
          network: { size: 3, seed, delay: 0.3, noticed: 0 },
          logs: logs.map((log, rank) => (rank === longest ? log : new MemoryLog())),
          order,
        });
        second.network.run(tenths / 10);
        second.network.lose(lost);
        const proposal = second.propose((lost + 1) % 3);
        // the lost one may have been the only one with the longest log
        const where = `${longest} ${lost} ${tenths}`;
        if (second.finish(2000)) finished++;
        else assert.ok(lost === longest && proposal.reply === null, where);
        assert.is(order.commands.length, proposal.reply === null ? 20 : 21, where);
      }
    }
  }
  assert.ok(finished > 100);
});

durable("a replica is lost before it has told how long its log is: nothing starts, and proposals fail", () => {
  const logs = [0, 1, 2].map(() => new MemoryLog());
  const group = new Group({ network: { size: 3, seed: 1 }, logs });
  group.network.lose(2);
  // nothing of it has arrived, or all of it
  const proposal = group.propose(0);
  group.network.run(2000);
  if (proposal.reply === null) assert.instance(proposal.error, RankLostError);
});

durable.run();
