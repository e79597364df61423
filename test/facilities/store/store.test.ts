/** The store as programs call it: replicas and clients, blocking and not, limits, the end, restarts. */
import { cpSync, rmSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Members } from "../../../src/facilities/messages/members.ts";
import { openStore } from "../../../src/facilities/store/open.ts";
import type { StoreOptions } from "../../../src/facilities/store/options.ts";
import type { Store } from "../../../src/facilities/store/store.ts";
import {
  AbortedError,
  LogLockedError,
  OverflowError,
  RankLostError,
  StateError,
  TimeoutError,
  UsageError,
} from "../../../src/ground/base/errors.ts";
import { Network } from "../agree/support/network.ts";
import { errorOf } from "./support/error-of.ts";
import { withFolder } from "./support/folders.ts";
import { openStores } from "./support/stores.ts";

const test = suite("store");

const bytes = (...values: number[]) => Uint8Array.from(values);
const failure = (call: Promise<unknown>) =>
  call.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );
const closeAll = (stores: readonly Store[]) => Promise.all(stores.map((store) => store.closeAsync()));
/** Replicas 0, 1, 2 and clients 3, 4. */
const five = (options: StoreOptions = {}) => openStores(5, { replicas: [0, 1, 2], ...options });

for (const [who, rank] of [
  ["a replica", 1],
  ["a client", 3],
] as const) {
  test(`all calls, blocking, at ${who}`, () => {
    const { stores } = five();
    const store = stores[rank] as Store;
    assert.is(store.isReplica, rank < 3);
    assert.is(store.get("a"), undefined);
    assert.is(store.getLatest("a"), undefined);
    assert.is(store.set("a", "1"), undefined);
    assert.is(store.get("a"), "1", "own writes are seen");
    assert.is(store.compareAndSet("a", "2", "3"), false);
    assert.is(store.compareAndSet("a", bytes(49), "3"), false, "a string is not bytes");
    assert.is(store.compareAndSet("a", "1", bytes(1, 2)), true);
    assert.equal(store.get("a"), bytes(1, 2));
    assert.is(store.compareAndSet("a", bytes(1, 2), ""), true);
    assert.is(store.get("a"), "");
    assert.is(store.compareAndSet("b", undefined, "x"), true);
    assert.is(store.compareAndSet("b", undefined, "y"), false);
    assert.is(store.delete("a"), true);
    assert.is(store.delete("a"), false);
    assert.is(store.getLatest("a"), undefined);
    assert.is(stores[2]?.getLatest("b"), "x");
    assert.is(stores[4]?.getLatest("b"), "x");
  });

  test(`all calls, many at a time, at ${who}`, async () => {
    const { stores } = five();
    const store = stores[rank] as Store;
    const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
    await Promise.all(keys.map((key) => store.setAsync(key, bytes(key.length))));
    assert.equal(
      await Promise.all(keys.map((key) => store.getAsync(key))),
      keys.map((key) => bytes(key.length)),
    );
    const won = await Promise.all(keys.map((key) => store.compareAndSetAsync("one", undefined, key)));
    assert.is(won.filter(Boolean).length, 1);
    assert.is(await store.getLatestAsync("one"), keys[won.indexOf(true)]);
    assert.equal(await Promise.all([store.deleteAsync("one"), store.deleteAsync("one")]), [true, false]);
    await stores[2]?.syncAsync();
    assert.is(stores[2]?.size, 200);
    assert.equal([...(stores[2] as Store).keys()], keys);
  });
}

test("keys and size are those of a copy", () => {
  const { stores } = five();
  stores[0]?.set("b", "1");
  stores[0]?.set("a", "2");
  assert.equal([...(stores[0] as Store).keys()], ["b", "a"]);
  assert.is(stores[0]?.size, 2);
  for (const call of [() => stores[3]?.size, () => stores[3]?.keys()])
    assert.match((errorOf(call) as StateError).message, /PE 3 is no replica and has no copy/);
});

test("bytes that are got are a copy, and so are those that were set", () => {
  const { stores } = five();
  for (const store of [stores[0], stores[3]] as Store[]) {
    const value = bytes(1, 2);
    store.set("a", value);
    value[0] = 9;
    const got = store.get("a") as Uint8Array;
    assert.equal(got, bytes(1, 2));
    got[0] = 9;
    assert.equal(store.get("a"), bytes(1, 2));
    (store.getLatest("a") as Uint8Array)[0] = 9;
    assert.equal(store.getLatest("a"), bytes(1, 2));
  }
});

test("wrong arguments change nothing, at once or as a rejection", async () => {
  const { stores } = five({ keyBytes: 4, valueBytes: 4 });
  const store = stores[0] as Store;
  for (const [key, value, kind] of [
    ["abcde", "", OverflowError],
    ["a", "abcde", OverflowError],
    [1, "a", UsageError],
    ["a", 1, UsageError],
  ] as const) {
    assert.instance(
      errorOf(() => store.set(key as string, value as string)),
      kind,
    );
    assert.instance(await failure(store.setAsync(key as string, value as string)), kind);
    assert.instance(
      errorOf(() => store.compareAndSet(key as string, undefined, value as string)),
      kind,
    );
  }
  assert.instance(
    errorOf(() => store.get("abcde")),
    OverflowError,
  );
  assert.instance(
    errorOf(() => store.compareAndSet("a", null as unknown as string, "b")),
    UsageError,
  );
  assert.instance(
    errorOf(() => store.get("a", { timeout: -1 })),
    UsageError,
  );
  assert.instance(await failure(store.getAsync("a", { wait: 1 } as object)), UsageError);
  assert.is(store.size, 0);
});

test("options that are refused", () => {
  for (const [options, text] of [
    [{ replicas: [] }, /replicas: expected different ranks, at least one/],
    [{ replicas: [0, 0] }, /different ranks/],
    [{ replicas: [3] }, /replicas.0: expected a whole number from 0 to 1, got 3/],
    [{ replicas: [0], nearestTo: () => 1 }, /nearestTo: expected a replica \(0\) for client 1, got 1/],
    [{ switchAfter: 0 }, /switchAfter/],
    [{ timeout: -1 }, /timeout/],
    [{ log: "" }, /log: expected the path of a folder/],
    [{ fsync: "sometimes", log: "/tmp/tundish-never" }, /fsync/],
    [{ fsync: "sometimes" }, /fsync: expected one of/],
    [{ fsyncInterval: 0 }, /fsyncInterval/],
    [{ agreement: { window: 0 }, replicas: [1] }, /window/],
    [{ keys: 3 }, /unknown option 'keys'/],
  ] as const) {
    const error = errorOf(() => openStores(2, options as unknown as StoreOptions)) as Error;
    assert.instance(error, UsageError);
    assert.match(error.message, text);
  }
});

test("options that are no object", () => {
  const { members } = new Network({ size: 2, seed: 1 });
  for (const options of [null, 5, { agreement: null }, { agreement: 5, replicas: [1] }])
    assert.instance(
      errorOf(() => openStore(members[0] as Members, options as never)),
      UsageError,
    );
});

test("a timeout, and an abort: the write may take effect, once", async () => {
  const { stores, network } = five();
  const store = stores[0] as Store;
  assert.instance(
    errorOf(() => store.set("a", "1", { timeout: 0 })),
    TimeoutError,
  );
  assert.match(
    ((await failure(store.setAsync("b", "1", { timeout: 0 }))) as Error).message,
    /set: no reply in 0 ms. A write may still take effect, once/,
  );
  const aborted = new AbortController();
  const call = failure(store.setAsync("c", "1", { signal: aborted.signal }));
  aborted.abort("why");
  const error = (await call) as AbortedError;
  assert.instance(error, AbortedError);
  assert.is(error.cause, "why");
  // what was aborted before is not begun
  assert.instance(await failure(store.setAsync("d", "1", { signal: aborted.signal })), AbortedError);
  network.run(network.now + 50);
  assert.equal([...store.keys()], ["a", "b", "c"]);
  const other = openStores(2, { timeout: 0 }).stores[0] as Store;
  assert.instance(
    errorOf(() => other.set("a", "1")),
    TimeoutError,
  );
});

test("a replica is lost: its client goes on with another one, and sees nothing older", () => {
  const { stores, network } = five({ nearestTo: () => 2 });
  const client = stores[3] as Store;
  client.set("a", "1");
  network.lose(2);
  assert.is(client.get("a"), "1");
  client.set("a", "2");
  assert.is(client.compareAndSet("a", "2", "3"), true);
  assert.is(stores[1]?.getLatest("a"), "3");
});

test("a replica is silent: its client asks another one, and each write takes effect once", async () => {
  const { stores, network } = five({ nearestTo: () => 2, switchAfter: 20 });
  const client = stores[3] as Store;
  client.set("a", "0");
  for (let round = 0; round < 10; round++) {
    network.stall(2, 60);
    const values = [0, 1, 2].map((i) => `${3 * round + i}`);
    const won = await Promise.all(values.map((value) => client.compareAndSetAsync("a", value, `${Number(value) + 1}`)));
    assert.equal(won, [true, true, true]);
  }
  assert.is(client.getLatest("a"), "30");
});

test("all replicas are lost", () => {
  const { stores, network } = five();
  stores[3]?.set("a", "1");
  for (const rank of [0, 1, 2]) network.lose(rank);
  assert.instance(
    errorOf(() => stores[3]?.set("a", "2")),
    RankLostError,
  );
});

test("a majority is lost: calls end with an error, reads of the copy go on", () => {
  const { stores, network } = openStores(4, { replicas: [0, 1, 2], agreement: { suspectAfter: 20 } });
  stores[2]?.set("a", "1");
  network.lose(0);
  network.lose(1);
  const error = errorOf(() => stores[2]?.set("a", "2", { timeout: 5000 })) as Error;
  assert.instance(error, StateError);
  assert.match(error.message, /nothing can be agreed on/);
  assert.match(
    (errorOf(() => stores[3]?.set("a", "2", { timeout: 5000 })) as Error).message,
    /nothing can be agreed on/,
  );
  assert.is(stores[2]?.get("a"), "1");
});

test("a client is lost", async () => {
  const { stores, network } = five();
  stores[3]?.set("a", "1");
  void stores[3]?.setAsync("a", "2").catch(() => {});
  network.lose(3);
  stores[4]?.set("b", "1");
  await closeAll(stores.filter((_, rank) => rank !== 3));
});

test("close waits for all others, and ends what is under way", async () => {
  const { stores } = five();
  const late = stores[4] as Store;
  const first = stores.slice(0, 4).map((store) => store.closeAsync());
  await late.setAsync("a", "1");
  const open = failure(late.getLatestAsync("a"));
  const last = late.closeAsync();
  assert.match(((await open) as Error).message, /closed meanwhile/);
  await Promise.all([...first, last]);
  for (const store of stores) {
    assert.ok(store.isClosed);
    assert.instance(
      errorOf(() => store.get("a")),
      StateError,
    );
    assert.instance(
      errorOf(() => store.advance()),
      StateError,
    );
    assert.instance(await failure(store.setAsync("a", "1")), StateError);
    store.close();
    await store.closeAsync();
  }
});

test("serve until something is in the copy", async () => {
  const { stores } = five();
  const [replica, client] = [stores[1], stores[3]] as [Store, Store];
  const isThere = () => replica.get("done") === "yes";
  const served = replica.serveAsync(isThere);
  await client.setAsync("done", "yes");
  await served;
  replica.serve(isThere);
  assert.instance(
    errorOf(() => client.serve(() => false, { timeout: 5 })),
    TimeoutError,
  );
  assert.instance(await failure(client.serveAsync(() => false, { timeout: 5 })), TimeoutError);
});

test("who is late says which replica was silent, if it is known", () => {
  const { stores, network } = five({ switchAfter: 1e6 });
  const message = (rank: number) => (errorOf(() => stores[rank]?.set("a", "1", { timeout: 200 })) as Error).message;
  for (const rank of [0, 1, 2, 4]) network.stall(rank, 1e6);
  assert.match(message(3), /PE 0 was silent: it may be in a call that does not serve the store/);
  network.stall(3, 1e6);
  assert.match(message(2), /PE 0, 1 were silent: they may be/);
  const alone = errorOf(() => stores[2]?.serve(() => false, { timeout: 0 })) as Error;
  assert.match(alone.message, /such as a barrier/);
  const { stores: fresh } = five();
  const early = errorOf(() => fresh[2]?.serve(() => false, { timeout: 0 })) as Error;
  assert.match(early.message, /Another replica may be in a call/);
});

test("conditions of serve are functions", async () => {
  const { stores } = five();
  for (const store of [stores[0], stores[3]] as Store[]) {
    assert.instance(
      errorOf(() => store.serve(5 as never)),
      UsageError,
    );
    assert.instance(await failure(store.serveAsync(5 as never)), UsageError);
    const failed = failure(
      store.serveAsync(() => {
        throw new Error("the condition's");
      }),
    );
    await store.setAsync("a", "1");
    assert.match(((await failed) as Error).message, /^the condition's$/);
    await store.setAsync("a", "2");
  }
});

test("dispose is close, and the members are freed once", async () => {
  const { stores, freed } = five();
  const others = stores.slice(1).map((store) => store[Symbol.asyncDispose]());
  stores[0]?.[Symbol.dispose]();
  await Promise.all(others);
  stores[0]?.close();
  stores[3]?.close();
  assert.ok(stores.every((store) => store.isClosed));
  assert.equal([...freed].sort(), [0, 1, 2, 3, 4]);
});

test("close with a timeout ends without the others", () => {
  const { stores } = five();
  assert.instance(
    errorOf(() => stores[0]?.close({ timeout: 20 })),
    TimeoutError,
  );
  assert.ok(stores[0]?.isClosed);
});

test("with logs, a store goes on after a restart of all", () =>
  withFolder(async (folder) => {
    const open = () =>
      openStores(4, { replicas: [0, 1, 2], fsync: "never", agreement: { snapshotEvery: 5 } }, (rank) =>
        rank < 3 ? { log: `${folder}/${rank}` } : {},
      );
    let wanted = 0;
    for (let round = 0; round < 4; round++) {
      const { stores } = open();
      const [replica, client] = [stores[1], stores[3]] as [Store, Store];
      assert.is(Number(client.getLatest("count") ?? 0), wanted);
      for (let i = 0; i < 7; i++) {
        const store = i % 2 === 0 ? replica : client;
        const before = store.getLatest("count") as string | undefined;
        assert.ok(store.compareAndSet("count", before, `${Number(before ?? 0) + 1}`));
        wanted++;
      }
      assert.instance(errorOf(open), LogLockedError);
      await closeAll(stores);
      if (round !== 1) continue;
      // all go on from a copy of one
      for (const rank of [0, 2]) {
        rmSync(`${folder}/${rank}`, { recursive: true });
        cpSync(`${folder}/1`, `${folder}/${rank}`, { recursive: true });
      }
    }
  }));

test.run();
