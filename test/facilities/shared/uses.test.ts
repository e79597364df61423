/** Shared objects: what is refused, what messages say, structs and matrices. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sharedMatrix } from "../../../src/facilities/shared/data/matrix.ts";
import { sharedStructs } from "../../../src/facilities/shared/data/structs.ts";
import { condition } from "../../../src/facilities/shared/sync/condition-variable.ts";
import { latch } from "../../../src/facilities/shared/sync/latch.ts";
import { lock } from "../../../src/facilities/shared/sync/lock.ts";
import { once } from "../../../src/facilities/shared/sync/once.ts";
import { rwlock } from "../../../src/facilities/shared/sync/read-write-lock.ts";
import { semaphore } from "../../../src/facilities/shared/sync/semaphore.ts";
import { AbortedError, TimeoutError, UsageError } from "../../../src/ground/base/errors.ts";
import { bytes, f32, f64, i64, struct, u32 } from "../../../src/ground/item/item-type.ts";
import type { PE } from "../../../src/index.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

const test = suite("uses of shared objects");

/** Runs two virtual PEs. */
const two = async (main: (pe: PE) => unknown, nodes = 1): Promise<readonly unknown[]> =>
  (await simulateAsync({ pes: 2, nodes } as never, main)).results;

async function told(call: () => unknown, type: object): Promise<string> {
  try {
    await call();
  } catch (error) {
    assert.instance(error, type as never);
    return (error as Error).message;
  }
  return assert.unreachable("expected an error") as never;
}

test("misuse of a lock is told, and changes nothing", async () => {
  await two(async (pe) => {
    const a = lock(pe, { name: "accounts" });
    if (pe.rank === 0) {
      const held = await a.lockAsync();
      assert.match(await told(() => a.lockAsync(), UsageError), /holds the lock "accounts" already/);
      assert.match(await told(() => a.tryLock(), UsageError), /already/);
      assert.match(await told(() => a.leave(), UsageError), /leave: this PE holds the lock "accounts"/);
      await pe.barrierAsync();
      await pe.barrierAsync();
      held.unlock();
      assert.match(await told(() => held.unlock(), UsageError), /unlock: this PE does not hold.*nobody holds it/);
    } else {
      await pe.barrierAsync();
      assert.is(a.holder, 0);
      assert.is(a.tryLock(), null);
      assert.match(await told(() => a.lock(), UsageError), /await lockAsync\(\)/);
      assert.match(await told(() => a.unlock(), UsageError), /PE 0 holds it\. Only the PE that locks it unlocks it/);
      const waiting = a.lockAsync();
      assert.match(await told(() => a.lockAsync(), UsageError), /another call of this PE waits/);
      await pe.barrierAsync();
      const held = await waiting;
      held[Symbol.dispose]();
    }
    a.leave();
    a.leave();
    assert.match(await told(() => a.lockAsync(), UsageError), /has left the lock/);
    assert.match(await told(() => a.unlock(), UsageError), /has left the lock/);
    assert.match(await told(() => lock(pe, { nam: "x" } as never), UsageError), /did you mean 'name'/);
  });
});

test("a wait that ends names the holder and who else waits, and leaves the lock as it was", async () => {
  await simulateAsync({ pes: 3 }, async (pe) => {
    const a = lock(pe, { name: "a" });
    if (pe.rank === 0) await a.lockAsync();
    await pe.barrierAsync();
    if (pe.rank === 1) {
      const text = await told(() => a.lockAsync({ timeout: 1 }), TimeoutError);
      assert.match(text, /PE 1 waited for the lock "a".*It was in lock "a".*waits for PE 0.*PE 0 holds it/);
      const control = new AbortController();
      const waiting = a.lockAsync({ signal: control.signal });
      control.abort(new RangeError("enough"));
      await told(() => waiting, AbortedError);
    }
    await pe.barrierAsync();
    if (pe.rank === 0) a.unlock();
    await pe.barrierAsync();
    if (pe.rank === 2) assert.is.not(a.tryLock(), null);
  });
});

test("over nodes: an error that says what to do", async () => {
  await two(async (pe) => {
    const calls = [() => lock(pe), () => rwlock(pe), () => semaphore(pe, 1), () => once(pe), () => latch(pe, 1)];
    const data = [() => sharedStructs(pe, struct({ x: f64 }), 1), () => sharedMatrix(pe, f64, 1, 1)];
    for (const call of [...calls, ...data]) {
      assert.match(await told(call, UsageError), /PEs of one node.*pe\.split\(pe\.node\).*tundish\/containers/);
    }
  }, 2);
});

test("reader-writer locks, semaphores, latches, conditions: misuse", async () => {
  await two(async (pe) => {
    const a = rwlock(pe);
    if (pe.rank === 0) {
      await a.lockReadAsync();
      assert.match(await told(() => a.lockReadAsync(), UsageError), /reads under the reader-writer lock already/);
      assert.match(await told(() => a.lockWriteAsync(), UsageError), /would wait for itself/);
      assert.match(await told(() => a.leave(), UsageError), /leave/);
      a.unlockRead();
      assert.match(await told(() => a.unlockRead(), UsageError), /does not read/);
      await a.lockWriteAsync();
      assert.match(await told(() => a.lockReadAsync(), UsageError), /writes under/);
      assert.match(await told(() => a.tryLockWrite(), UsageError), /already/);
      a.unlockWrite();
      assert.match(await told(() => a.unlockWrite(), UsageError), /does not hold/);
    }
    await pe.barrierAsync();
    const s = semaphore(pe, 1);
    assert.match(await told(() => s.release(0), UsageError), /expected a whole number of permits/);
    s.leave();
    assert.match(await told(() => s.acquire(), UsageError), /^acquire: this PE has left the semaphore/);
    assert.match(await told(() => s.tryAcquire(), UsageError), /^tryAcquire: this PE has left/);
    assert.match(await told(() => semaphore(pe, -1), UsageError), /from 0 to/);
    const l = latch(pe, 2);
    l.countDown();
    await l.waitAsync();
    assert.match(await told(() => l.countDown(), UsageError), /0 counts of 2 are/);
    const c = condition(pe, lock(pe));
    assert.match(await told(() => c.waitAsync(), UsageError), /does not hold the lock/);
    assert.match(await told(() => condition(pe, 5 as never), UsageError), /expected a lock of lock\(pe\), got 5/);
  });
});

test("a condition's wait that ends has its lock again, and a function of once that throws has not run", async () => {
  await two(async (pe) => {
    const a = lock(pe);
    const c = condition(pe, a);
    const o = once(pe);
    if (pe.rank === 0) {
      await a.lockAsync();
      await told(() => c.waitAsync(undefined, { timeout: 1 }), TimeoutError);
      assert.ok(a.isHeld);
      a.unlock();
      await told(() => o.runAsync(() => Promise.reject(new RangeError("no"))), RangeError);
      assert.not(o.isDone);
    }
    await pe.barrierAsync();
    const isMine = await o.runAsync(() => {});
    assert.is(await pe.allreduceAsync(isMine ? 1 : 0, "sum"), 1);
  });
});

test("structs: columns and the accessor are the same memory at all PEs", async () => {
  const type = struct({ id: u32, at: struct({ x: f64, y: f32 }), key: bytes(3), big: i64 });
  await two(async (pe) => {
    const all = sharedStructs(pe, type, 10, { name: "bodies" });
    if (pe.rank === 0) {
      const one = all.at(7);
      one.id = 5;
      one.at.x = 1.5;
      one.at.y = 0.25;
      one.key = Uint8Array.of(1, 2, 3);
      one.big = -9n;
      all.columns.id[8] = 6;
    }
    await pe.barrierAsync();
    assert.equal([...all.columns.id], [0, 0, 0, 0, 0, 0, 0, 5, 6, 0]);
    assert.is(all.columns.at.x[7], 1.5);
    assert.equal([...all.columns.key.slice(21, 24)], [1, 2, 3]);
    const { id, at, key, big } = all.at(7);
    assert.equal([id, at.x, at.y, [...key], big], [5, 1.5, 0.25, [1, 2, 3], -9n]);
    assert.is(all.at(8).id, 6);
    assert.match(await told(() => all.at(10), UsageError), /from 0 to 9 of the array of structs "bodies", got 10/);
    assert.match(await told(() => sharedStructs(pe, f64 as never, 1), UsageError), /expected a struct/);
    assert.match(await told(() => sharedStructs(pe, type, -1), UsageError), /structs from 0 to/);
    all.leave();
  });
});

test("matrices: rows are views of the same memory at all PEs", async () => {
  await two(async (pe) => {
    const grid = sharedMatrix(pe, f64, 4, 3);
    grid.row(pe.rank).fill(pe.rank + 1);
    await pe.barrierAsync();
    assert.equal([...grid.data], [1, 1, 1, 2, 2, 2, 0, 0, 0, 0, 0, 0]);
    assert.is(grid.row(1), grid.row(1));
    assert.match(await told(() => grid.row(4), UsageError), /from 0 to 3/);
    assert.match(await told(() => sharedMatrix(pe, bytes(3) as never, 1, 1), UsageError), /type of an element/);
    grid.leave();
  });
});

test("structs and matrices over arrays that are there: the same memory, which stays", async () => {
  const type = struct({ x: f64, at: struct({ key: bytes(2) }) });
  await two(async (pe) => {
    const x = await pe.allocSharedAsync(Float64Array, 4);
    const key = await pe.allocSharedAsync(Uint8Array, 8);
    const all = sharedStructs(pe, type, { x, at: { key } });
    assert.is(all.columns.x, x);
    assert.is(all.length, 4);
    const grid = sharedMatrix(pe, x, 2, 2);
    if (pe.rank === 0) {
      all.at(3).x = 1.5;
      all.at(3).at.key = Uint8Array.of(1, 2);
      grid.row(1)[0] = 2.5;
    }
    await pe.barrierAsync();
    assert.equal(
      [[...x], [...key]],
      [
        [0, 0, 2.5, 1.5],
        [0, 0, 0, 0, 0, 0, 1, 2],
      ],
    );
    assert.is(grid.data, x);
    all.leave();
    grid.leave();
    await pe.barrierAsync();
    assert.is(x[3], 1.5);
    const own = new Float64Array(4);
    const wrong: readonly (readonly [() => unknown, RegExp])[] = [
      [() => sharedStructs(pe, type, { x: own, at: { key } }), /arrays of pe\.allocShared.*Float64Array of length 4/],
      [() => sharedStructs(pe, type, { x, at: { key: key.subarray(1) } }), /columns\.at\.key.*at least 8.*length 7/],
      [
        () => sharedStructs(pe, type, { x: x.subarray(1), at: { key } }),
        /for 3 structs.*longer one as columns\.at\.key/,
      ],
      [() => sharedStructs(pe, type, { x } as never), /columns\.at\.key: expected a Uint8Array/],
      [() => sharedStructs(pe, type, null as never), /columns\.x: expected a Float64Array/],
      [() => sharedMatrix(pe, x, 3, 2), /3 x 2 elements, got a Float64Array of length 4/],
      [() => sharedMatrix(pe, own, 2, 2), /arrays of pe\.allocShared/],
    ];
    for (const [call, pattern] of wrong) assert.match(await told(call, UsageError), pattern);
  });
});

test.run();
