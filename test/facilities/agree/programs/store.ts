/** A store on virtual PEs: replicas and clients with several calls at a time, while PEs crash and stall. */
import * as assert from "uvu/assert";
import type { PE } from "../../../../src/index.ts";
import { openStore, type Store, type StoreOptions } from "../../../../src/store.ts";
import { assertLinearizable } from "../support/linearizable.ts";
import { type StoreOp, type StoreResult, storeModel } from "../support/models.ts";
import { Random } from "../support/network.ts";
import { drawsOf, opened, runIn, settingOf, TimedHistory, workUntil } from "./setting.ts";

/** What came of it. */
export interface Outcome {
  readonly operations: number;
  readonly unknown: number;
  readonly crashes: number;
  readonly settled: boolean;
  readonly events: number;
}

const KEYS = ["a", "b"];
/** Is counted up, so that each PE must see it grow. */
const COUNT = "n";

export async function storeRun(seed: number, latestIsLocal = false): Promise<Outcome> {
  const random = new Random(seed);
  const setting = settingOf(random, seed, 3);
  const { members, suspectAfter, calm, crashes } = setting;
  const options: StoreOptions = {
    replicas: members,
    switchAfter: suspectAfter * random.pick([1, 5, 20]),
    agreement: {
      suspectAfter,
      window: random.pick([1, 3, 1024]),
      snapshotEvery: random.pick([1, 5, 65_536]),
      backlogBytes: random.pick([500, 2 ** 20]),
      dissemination: random.pick(["tree", "sequential"]),
    },
  };
  const timeout = random.pick([undefined, 5 * suspectAfter, 50 * suspectAfter]);
  const idle = random.pick([0, 0.1, 1]) * 1e6 * suspectAfter;
  const history = new TimedHistory<StoreOp, StoreResult>();
  const values: (string | null)[] = [null];
  const open = new Set<number>();
  const done = new Set<number>();
  const copies = new Map<number, string>();
  let settled = false;

  /** Calls, one after the other, until all are made or one shows that nothing goes on. */
  const call = async (pe: PE, store: Store, draws: Random, floor: { count: number }): Promise<void> => {
    const latest = async (key: string): Promise<string | null> => {
      const note = history.invoke(pe, { kind: "get", key });
      const value = latestIsLocal
        ? await store.getAsync(key, { timeout })
        : await store.getLatestAsync(key, { timeout });
      note((value as string | undefined) ?? null);
      return (value as string | undefined) ?? null;
    };
    const compare = async (key: string, expected: string | null, value: string): Promise<boolean> => {
      const note = history.invoke(pe, { kind: "cas", key, expected, value });
      const isDone = await store.compareAndSetAsync(key, expected ?? undefined, value, { timeout });
      note(isDone);
      return isDone;
    };
    const local = async (): Promise<number> => {
      const { count } = floor;
      const seen = Number((await store.getAsync(COUNT, { timeout })) ?? 0);
      assert.ok(seen >= count, `PE ${pe.rank} has seen ${count}, and then ${seen}`);
      floor.count = Math.max(floor.count, seen);
      return seen;
    };
    const key = draws.pick(KEYS);
    const value = `v${values.length}`;
    switch (draws.pick(["get", "get", "set", "set", "delete", "cas", "cas", "count", "local"])) {
      case "get":
        await latest(key);
        return;
      case "set": {
        values.push(value);
        const note = history.invoke(pe, { kind: "set", key, value });
        await store.setAsync(key, value, { timeout });
        note(null);
        return;
      }
      case "delete": {
        const note = history.invoke(pe, { kind: "delete", key });
        note(await store.deleteAsync(key, { timeout }));
        return;
      }
      case "cas":
        values.push(value);
        await compare(key, draws.pick(values.slice(-4, -1)) ?? null, value);
        return;
      case "local":
        await local();
        return;
      default: {
        const seen = draws.chance(0.5) ? await local() : Number((await latest(COUNT)) ?? 0);
        if (await compare(COUNT, seen === 0 ? null : `${seen}`, `${seen + 1}`))
          floor.count = Math.max(floor.count, seen + 1);
      }
    }
  };

  const { events } = await runIn(setting, async (pe) => {
    const store = opened(() => openStore(pe, options));
    open.add(pe.rank);
    workUntil(pe, setting);
    const draws = drawsOf(seed, pe.rank);
    const floor = { count: 0 };
    const caller = async () => {
      for (let left = draws.whole(2, 8); left > 0; left--) {
        if (draws.chance(0.3)) pe.work(2000 * draws.next());
        const until = pe.now + idle * draws.next();
        // a client looks only once a second unless something happens
        if (!store.isReplica && draws.chance(0.3)) pe.work(idle * draws.next());
        else if (store.isReplica && draws.chance(0.3)) await store.serveAsync(() => pe.now >= until);
        try {
          await call(pe, store, draws, floor);
        } catch (error) {
          // too late, or nothing can be committed any more
          const { name } = error as Error;
          if (!["TimeoutError", "StateError", "RankLostError"].includes(name)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: draws.whole(store.isReplica ? 0 : 1, 2) }, caller));
    done.add(pe.rank);
    if (store.isReplica) {
      // a client waits up to 32 times switchAfter for a replica that is silent
      const limit = calm + 1e6 * suspectAfter * 2000;
      const text = () => JSON.stringify([...store.keys()].sort().map((key) => [key, store.get(key)]));
      await store.serveAsync(() => {
        copies.set(pe.rank, text());
        const living = [...open].filter((rank) => !pe.lost.includes(rank));
        const own = living.filter((rank) => members.includes(rank)).map((rank) => copies.get(rank));
        settled ||= pe.now > calm && living.every((rank) => done.has(rank)) && new Set(own).size === 1;
        return settled || pe.now > limit;
      });
    }
    await store.closeAsync();
  });
  assertLinearizable(storeModel, history.operations, `seed ${seed}`);
  if (!settled && open.size === setting.pes)
    throw new Error(`seed ${seed}: copies differ: ${JSON.stringify([[...copies], [...open], [...done]])}`);
  const { length } = history.operations;
  return { operations: length, unknown: history.unknown, crashes: crashes.size, settled, events };
}
