/** The log on a disk that fails in each call, one after the other, and on a machine that goes down. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FileLog } from "../../../src/facilities/store/log/file-log.ts";
import { openLog, openLogOn } from "../../../src/facilities/store/log/open.ts";
import type { LogOptions } from "../../../src/facilities/store/log/options.ts";
import { LogError } from "../../../src/ground/base/errors.ts";
import { rounds } from "../../support/long.ts";
import { drawn, SEED } from "../../support/sample.ts";
import { errorOf } from "./support/error-of.ts";
import { FaultyDisk, LossyDisk } from "./support/faulty-disk.ts";
import { expected, found, recordOf, recordsFrom, stateOf, withFolder } from "./support/folders.ts";

const test = suite("log, faults");
const options: LogOptions = { segmentBytes: 60 };

/** What is known of a log from outside. */
interface Known {
  last: number;
  snapshot: number;
}

/** Appends, cuts, appends; what the log has acknowledged is in `known`. */
function work(log: FileLog, known: Known): void {
  const append = (count: number) => {
    log.append(recordsFrom(known.last + 1, known.last + count));
    known.last += count;
  };
  const truncate = (index: number) => {
    log.truncate(index, stateOf(index));
    known.snapshot = index;
    known.last = Math.max(known.last, index);
  };
  append(1);
  append(4);
  append(2);
  truncate(6);
  append(3);
  truncate(10);
  append(1);
  truncate(20);
  append(2);
}

/** Whether the folder has what is known, or what the call did that failed. */
function check(folder: string, known: Known, what: string): void {
  const log = openLog(folder);
  const { snapshotIndex } = log.recovered;
  const last = log.lastIndex;
  log.close();
  assert.ok(last >= known.last && snapshotIndex >= known.snapshot, `${what}: ${last}, ${snapshotIndex}`);
  assert.equal(found(log), expected(snapshotIndex, snapshotIndex + 1, last), what);
}

for (const stays of [false, true]) {
  test(`each call of the disk fails, ${stays ? "and goes on failing" : "once"}`, () => {
    const whole = new FaultyDisk();
    withFolder((folder) => work(openLogOn(whole, folder, options), { last: 0, snapshot: 0 }));
    assert.ok(whole.calls > 60, `${whole.calls}`);
    const seen = new Set<string>();
    for (let failAt = 0; failAt < whole.calls; failAt++) {
      withFolder((folder) => {
        const disk = Object.assign(new FaultyDisk(), { failAt, stays });
        const known = { last: 0, snapshot: 0 };
        const what = () => `call ${failAt}, ${disk.failed}`;
        let log: FileLog;
        try {
          log = openLogOn(disk, folder, options);
        } catch (error) {
          assert.instance(error, LogError, what());
          assert.match((error as Error).message, /ENOSPC/);
          const left = stays ? [] : readdirSync(folder);
          assert.equal(left, [], what());
          return;
        }
        try {
          work(log, known);
        } catch (error) {
          seen.add(disk.failed as string);
          assert.instance(error, LogError, what());
          assert.match(
            (error as Error).message,
            /ENOSPC: no space left on device, \w+\. (Nothing was appended|The log is as before|What the disk has is not known)/,
          );
          assert.match(`${(error as LogError).file}`, folder);
          // the log says whether it goes on
          if (/What the disk has is not known/.test((error as Error).message)) {
            const next = errorOf(() => log.append([recordOf(known.last + 1)]));
            assert.instance(next, LogError);
            assert.match((next as Error).message, /an earlier call has failed/);
            assert.is((next as Error).cause, error);
          } else if (!stays) {
            assert.is(log.lastIndex, known.last, what());
            log.append([recordOf(known.last + 1)]);
            known.last++;
            log.truncate(known.last, stateOf(known.last));
            known.snapshot = known.last;
          }
        }
        disk.failAt = Number.POSITIVE_INFINITY;
        disk.failed = null;
        try {
          log.close();
        } catch (error) {
          assert.instance(error, LogError);
        }
        check(folder, known, what());
      });
    }
    for (const call of ["create", "write", "sync", "syncFolder", "rename"]) assert.ok(seen.has(call), call);
  });
}

test("a process that dies in each call leaves what it has acknowledged", () => {
  const whole = new FaultyDisk();
  withFolder((folder) => work(openLogOn(whole, folder, options), { last: 0, snapshot: 0 }));
  class Dead extends Error {}
  for (let dieAt = 0; dieAt < whole.calls; dieAt++) {
    withFolder((folder) => {
      const disk = new FaultyDisk();
      let isDead = false;
      const known = { last: 0, snapshot: 0 };
      const mortal = new Proxy(disk, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            isDead ||= disk.calls === dieAt;
            // nothing of what it would do after this happens
            if (isDead) throw new Dead();
            return value.apply(target, args);
          };
        },
      });
      try {
        work(openLogOn(mortal, folder, options), known);
      } catch {}
      assert.ok(isDead);
      for (const name of readdirSync(folder)) if (name.startsWith("lock")) disk.remove(join(folder, name));
      check(folder, known, `dies at ${dieAt}`);
    });
  }
});

const isLinux = process.platform === "linux";
for (const fsync of ["always", "interval", "never"] as const) {
  if (!isLinux) continue;
  test(`a machine that goes down, fsync ${fsync}`, () => {
    let lost = 0;
    for (let round = 0; round < rounds(100, 5000); round++) {
      withFolder((folder) => {
        const disk = new LossyDisk();
        const log = openLogOn(disk, folder, { fsync, fsyncInterval: 1e6, segmentBytes: 2000 });
        let last = 0;
        let synced = 0;
        for (let i = 0; i < 10; i++) {
          const count = 1 + drawn(20, "count", round, i);
          log.append(recordsFrom(last + 1, last + count));
          last += count;
          if (fsync === "always") synced = last;
          else if (drawn(4, "sync", round, i) === 0) {
            log.sync();
            synced = last;
          }
        }
        const newest = readdirSync(folder)
          .filter((name) => name.startsWith("log"))
          .sort()
          .at(-1) as string;
        disk.goDown(join(folder, newest), 64, (block) => drawn(2, "block", round, block) === 0);
        for (const name of readdirSync(folder)) if (name.startsWith("lock")) disk.remove(join(folder, name));
        const what = `round ${round}, TUNDISH_TEST_SEED=${SEED}`;
        const again = openLog(folder);
        const there = again.lastIndex;
        assert.equal(found(again), expected(0, 1, there), what);
        assert.ok(there >= synced && there <= last, `${what}: ${synced} <= ${there} <= ${last}`);
        if (there < last) lost++;
        again.append([recordOf(there + 1)]);
        again.close();
      });
    }
    assert.is(lost > 0, fsync !== "always", `${lost}`);
  });
}

test("by interval: a timer brings the rest to the disk, and an append does when it is late", async () => {
  await withFolder(async (folder) => {
    const disk = new FaultyDisk();
    let syncs = 0;
    disk.sync = () => syncs++;
    const log = openLogOn(disk, folder, { fsync: "interval", fsyncInterval: 20 });
    log.append([recordOf(1)]);
    const before = syncs;
    log.append([recordOf(2)]);
    const started = performance.now();
    while (syncs === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok(performance.now() - started < 20_000);
    }
    const blocked = performance.now();
    while (performance.now() - blocked < 25);
    const then = syncs;
    log.append([recordOf(3)]);
    assert.is(syncs, then + 1);
    log.append([recordOf(4)]);
    disk.sync = () => {
      throw new Error("EIO");
    };
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.match((errorOf(() => log.append([recordOf(5)])) as Error).message, /EIO/);
    log.close();
  });
});

test.run();
