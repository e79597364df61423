/** A log that is taken over while its owner, which lives, is stopped: at any call of the disk. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nodeDisk } from "../../../src/facilities/store/log/disk.ts";
import { openLog, openLogOn } from "../../../src/facilities/store/log/open.ts";
import { LogLockedError, TundishError } from "../../../src/ground/base/errors.ts";
import { errorOf } from "./support/error-of.ts";
import { FaultyDisk } from "./support/faulty-disk.ts";
import { recordsFrom, stateOf, withFolder } from "./support/folders.ts";

const test = suite("log, taken over");

/** Of a thread that has ended: a name that is here, but for the time at which its thread began. */
function leaveDead(folder: string, name: string): void {
  writeFileSync(join(folder, name.replace(/^(lock\.\w+\.\d+\.\d+\.)(\d+)/, "$11").replace("kernel", "beat")), "");
}

const marked = (first: number, last: number) =>
  recordsFrom(first, last).map(({ index }) => ({ index, command: Uint8Array.of(77, index) }));

if (process.platform === "linux") {
  test("a log that was taken over between two calls writes nothing any more", () =>
    withFolder((folder) => {
      const disk = new FaultyDisk();
      const log = openLogOn(disk, folder);
      log.append(recordsFrom(1, 2));
      const [lock = ""] = readdirSync(folder).filter((name) => name.startsWith("lock"));
      rmSync(join(folder, lock));
      const { calls } = disk;
      assert.instance(
        errorOf(() => log.append(recordsFrom(3, 3))),
        LogLockedError,
      );
      assert.is(disk.calls, calls);
      log.close();
    }));

  test("a log that is stopped before any call of the disk, and taken over: it harms nothing", () => {
    const options = { segmentBytes: 60 };
    const work = (disk: FaultyDisk, folder: string, told: (last: number) => void) => {
      const log = openLogOn(disk, folder, options);
      try {
        let last = log.lastIndex;
        for (const count of [1, 4, 2, 3]) {
          log.append(recordsFrom(last + 1, last + count));
          last += count;
          told(last);
          if (count === 2) log.truncate(last - 1, stateOf(last - 1));
        }
        log.truncate(last, stateOf(last));
        log.append(recordsFrom(last + 1, last + 1));
        told(last + 1);
      } finally {
        log.close();
      }
    };
    const whole = new FaultyDisk();
    withFolder((folder) => work(whole, folder, () => {}));
    assert.ok(whole.calls > 50, `${whole.calls}`);
    let lost = 0;
    for (let at = 0; at < whole.calls; at++) {
      withFolder((folder) => {
        const disk = new FaultyDisk();
        let acknowledged = 0;
        let content: unknown;
        disk.before = () => {
          if (disk.calls !== at) return;
          const [lock] = readdirSync(folder).filter((name) => name.startsWith("lock"));
          if (lock === undefined) return;
          rmSync(join(folder, lock));
          leaveDead(folder, lock);
          const other = openLog(folder, options);
          const { lastIndex } = other;
          assert.ok(lastIndex >= acknowledged, `call ${at}: ${lastIndex}, ${acknowledged}`);
          other.append(marked(lastIndex + 1, lastIndex + 3));
          other.truncate(lastIndex + 1, stateOf(lastIndex + 1));
          other.append(marked(lastIndex + 4, lastIndex + 9));
          other.close();
          content = contentOf(folder);
        };
        try {
          work(disk, folder, (last) => {
            assert.is(content, undefined, `call ${at}: ${last} is acknowledged`);
            acknowledged = last;
          });
          if (content !== undefined) assert.unreachable(`call ${at}: the log has not noticed it`);
        } catch (error) {
          if (!(error instanceof TundishError)) throw error;
          assert.instance(error, LogLockedError, `call ${at}`);
          lost++;
        }
        if (content !== undefined) assert.equal(contentOf(folder), content, `call ${at}`);
      });
    }
    assert.ok(lost > 50, `${lost}`);
  });
}

function contentOf(folder: string): unknown {
  const log = openLogOn(nodeDisk, folder);
  log.close();
  const { snapshotIndex, records } = log.recovered;
  return [snapshotIndex, records.map(({ index, command }) => [index, ...command])];
}

test.run();
