/** In which order the log calls the disk, and what it leaves of a write that fails. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Disk, nodeDisk } from "../../../src/facilities/store/log/disk.ts";
import { openLog, openLogOn } from "../../../src/facilities/store/log/open.ts";
import { LogError } from "../../../src/ground/base/errors.ts";
import { errorOf } from "./support/error-of.ts";
import { FaultyDisk } from "./support/faulty-disk.ts";
import { expected, found, recordOf, recordsFrom, stateOf, withFolder } from "./support/folders.ts";

const test = suite("log, order");

/** A disk that tells each call and its file: "a part" for one that has no name of its own yet. */
function spied(): { disk: Disk; calls: string[] } {
  const calls: string[] = [];
  const files = new Map<number, string>();
  const nameOf = (at: unknown) => {
    const path = typeof at === "number" ? (files.get(at) as string) : String(at);
    return path.endsWith(".tmp") ? "a part" : basename(path).replace(/^(log|snapshot)-0+/, "$1-");
  };
  const disk = new Proxy(nodeDisk, {
    get(target, name: keyof Disk) {
      return (...args: [string, string]) => {
        calls.push(name === "rename" ? `${name} to ${nameOf(args[1])}` : `${name} ${nameOf(args[0])}`);
        const result = (target[name] as (...args: unknown[]) => unknown)(...args);
        if (name === "create" || name === "open") files.set(result as number, args[0]);
        if (name === "rename") {
          for (const [fd, file] of files) if (file === args[0]) files.set(fd, args[1]);
        }
        return result;
      };
    },
  });
  return { disk, calls };
}

test("a segment is on the disk, and its name is, before its first record", () =>
  withFolder((folder) => {
    const { disk, calls } = spied();
    const log = openLogOn(disk, folder, { segmentBytes: 60 });
    assert.ok(calls.includes(`syncFolder ${basename(dirname(folder))}`), "the folder's own name");
    const begins = (first: number) => [
      "remove a part",
      "create a part",
      "write a part",
      "sync a part",
      `rename to log-${first}`,
      `syncFolder ${basename(folder)}`,
    ];
    const writes = (first: number) => [`write log-${first}`, `sync log-${first}`];
    calls.length = 0;
    log.append([recordOf(1)]);
    assert.equal(calls.splice(0), [...begins(1), ...writes(1)]);
    log.append([recordOf(2)]);
    assert.equal(calls.splice(0), writes(1));
    log.append([recordOf(3)]);
    assert.equal(calls.splice(0), [...begins(3), "close log-1", ...writes(3)]);
    log.close();
  }));

test("a snapshot is on the disk, and its name is, before what it replaces goes", () =>
  withFolder((folder) => {
    const { disk, calls } = spied();
    const log = openLogOn(disk, folder, { segmentBytes: 1 });
    for (let i = 1; i <= 3; i++) log.append([recordOf(i)]);
    calls.length = 0;
    const written = (index: number) => [
      "remove a part",
      "create a part",
      "write a part",
      "sync a part",
      "close a part",
      `rename to snapshot-${index}`,
      `syncFolder ${basename(folder)}`,
    ];
    log.truncate(2, stateOf(2));
    assert.equal(calls.splice(0), [...written(2), "remove log-1", "remove log-2"]);
    log.truncate(3, stateOf(3));
    assert.equal(calls.splice(0), [...written(3), "close log-3", "remove log-3", "remove snapshot-2"]);
    log.close();
  }));

test("a write that fails is cut off at once, also the first of a segment", () => {
  for (const records of [0, 1, 5]) {
    for (const isOn of [false, true]) {
      withFolder((folder) => {
        const disk = new FaultyDisk();
        const log = openLogOn(disk, folder);
        if (records > 0) log.append(recordsFrom(1, records));
        const sizes = () =>
          readdirSync(folder)
            .filter((name) => name.startsWith("log"))
            .map((name) => [name, readFileSync(join(folder, name)).length]);
        if (records === 0) {
          // the segment's own beginning
          disk.failAt = disk.calls + 2;
          assert.instance(
            errorOf(() => log.append(recordsFrom(1, 3))),
            LogError,
          );
          assert.is(disk.failed, "write");
          assert.equal(sizes(), []);
          disk.failAt = disk.calls + 6;
        } else disk.failAt = disk.calls;
        const before = sizes();
        const error = errorOf(() => log.append(recordsFrom(records + 1, records + 40)));
        assert.instance(error, LogError);
        assert.match((error as Error).message, /no space left on device, write\. Nothing was appended\. /);
        assert.equal(sizes(), records === 0 ? [["log-0000000000000001", 20]] : before);
        // a shorter one after it, or none
        if (isOn) log.append([recordOf(records + 1)]);
        log.close();
        const again = openLog(folder);
        again.close();
        assert.equal(found(again), expected(0, 1, records + (isOn ? 1 : 0)));
      });
    }
  }
});

test.run();
