/** All replicas are killed at a random moment, and start again from their logs: what was answered is there, and nothing that nobody wrote. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Pending } from "../../../src/facilities/agree/waits.ts";
import type { StoreEngine } from "../../../src/facilities/store/engine.ts";
import { openEngine } from "../../../src/facilities/store/open.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { Network, Random } from "../agree/support/network.ts";
import { withFolder } from "./support/folders.ts";
import { randomDelays } from "./support/schedule.ts";

const test = suite("store, restarts");

const REPLICAS = [0, 1, 2];

interface Written {
  readonly key: string;
  readonly pending: Pending<boolean>;
}

/** Opens all, reads what is there, writes more, and leaves them as they are at some moment. */
function life(folder: string, random: Random, round: number, acknowledged: Set<string>, begun: Set<string>): void {
  const network = new Network({ size: 4, seed: random.whole(1, 2 ** 30), ...randomDelays(random) });
  const agreement = {
    suspectAfter: 50,
    snapshotEvery: random.pick([3, 10, 65_536]),
    window: 16,
  };
  const engines = network.members.map((members) => {
    const own = members.rank < 3 ? { log: join(folder, `${members.rank}`), fsync: "never" as const } : {};
    const { engine } = openEngine(
      members,
      { replicas: REPLICAS, agreement, ...own },
      {
        newSession: () => random.whole(1, 2 ** 40),
      },
    );
    members.party = engine;
    return engine;
  });
  const [first, , , client] = engines as [StoreEngine, StoreEngine, StoreEngine, StoreEngine];
  const synced = first.sync();
  network.run(network.now + 60_000, () => synced.isDone);
  assert.ok(synced.isDone, "it goes on");
  const there = new Set(first.values?.keys());
  for (const key of acknowledged) assert.ok(there.has(key), `${key} was acknowledged`);
  for (const key of there) assert.ok(begun.has(key), `${key} was never written`);

  const writes: Written[] = [];
  for (let i = random.whole(5, 40); i > 0; i--) {
    const key = `${round}.${i}`;
    begun.add(key);
    const engine = random.pick([first, client, engines[random.whole(0, 2)] as StoreEngine]);
    writes.push({ key, pending: engine.write({ kind: "set", key, value: key }) });
    network.run(network.now + random.next());
  }
  if (random.chance(0.3)) network.lose(random.whole(1, 2));
  network.run(network.now + random.pick([0, 1, 5, 200]) * random.next());
  for (const { key, pending } of writes) {
    if (!pending.isDone) continue;
    assert.ok(pending.take());
    acknowledged.add(key);
  }
  // nobody closes anything: only the locks go, which those of another process would be taken over
  for (const rank of REPLICAS) {
    const own = join(folder, `${rank}`);
    for (const name of readdirSync(own)) if (name.startsWith("lock")) rmSync(join(own, name));
  }
}

test("random lives", () => {
  for (let i = 0; i < rounds(8, 200); i++) {
    const seed = (SEED + i) % 2 ** 31;
    const random = new Random(seed);
    withFolder((folder) => {
      const [acknowledged, begun] = [new Set<string>(), new Set<string>()];
      try {
        for (let round = 0; round < 6; round++) life(folder, random, round, acknowledged, begun);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
      assert.ok(acknowledged.size > 0);
    });
  }
});

test.run();
