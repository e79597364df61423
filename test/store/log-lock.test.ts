/** Who may open a log: owners that live, are stopped, killed; in this PID namespace and in others; with koffi and without. */
import { once } from "node:events";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LogLockedError, TundishError } from "../../src/base/errors.ts";
import { nodeDisk } from "../../src/store/log/disk.ts";
import { openLog, openLogOn } from "../../src/store/log/open.ts";
import { errorOf } from "./support/error-of.ts";
import { FaultyDisk } from "./support/faulty-disk.ts";
import { recordsFrom, stateOf, withFolder } from "./support/folders.ts";
import { hasNamespaces, LogOwner, type Place } from "./support/log-owner.ts";

const test = suite("log, owners");
const STALE_MS = 1500;
const isLinux = process.platform === "linux";
const places: Place[] = hasNamespaces ? ["here", "apart", "blind"] : isLinux ? ["here"] : [];
const LOCKED = "ERR_TUNDISH_LOG_LOCKED";
const named = (hasKoffi: boolean) => (hasKoffi ? "with koffi" : "without koffi");

async function withOwners(owners: LogOwner[], body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } finally {
    for (const owner of owners) await owner.kill();
  }
}

if (isLinux && !hasNamespaces) test.skip("PID namespaces: not here", () => {});
for (const place of places) {
  for (const owned of [true, false]) {
    for (const opened of [true, false]) {
      if (place === "blind" && (owned || opened)) continue;
      const what = `an owner ${place}, ${named(owned)}, and another one, ${named(opened)}`;
      test(what, () =>
        withFolder(async (folder) => {
          const owner = new LogOwner(owned, place);
          const other = new LogOwner(opened);
          await withOwners([owner, other], async () => {
            const isOpen = await owner.open(folder);
            assert.is(isOpen.last, 0, isOpen.message);
            await owner.append();
            const refused = await other.open(folder);
            assert.is(refused.code, LOCKED, JSON.stringify(refused));
            assert.match(refused.message as string, /: the log is open in process \d+ of .*; .* remove \//);
            assert.is((await owner.append()).last, 2);
            owner.signal("SIGSTOP");
            const stopped = await other.open(folder, STALE_MS);
            owner.signal("SIGCONT");
            // nothing but the time tells of an owner that is elsewhere and has no lock
            if (place === "apart" && !owned) {
              assert.is(stopped.last, 2, stopped.message);
              assert.is((await other.append()).last, 3);
              const lost = await owner.append();
              assert.is(lost.code, LOCKED, JSON.stringify(lost));
              assert.match(
                lost.message as string,
                /append: the log .* was taken over .*: it is open in process/,
              );
              assert.is((await owner.append()).code, LOCKED);
              assert.is((await owner.close()).code, undefined);
              assert.is((await other.append()).last, 4);
              await other.close();
              await owner.open(folder);
            } else {
              assert.is(stopped.code, LOCKED, JSON.stringify(stopped));
              await owner.append();
              await owner.append();
            }
            await owner.start();
            await owner.kill();
            const after = await other.open(folder, STALE_MS);
            // a lock that nobody can look at
            if (place === "apart" && owned && !opened) assert.is(after.code, LOCKED);
            else {
              assert.is(after.last, 4, after.message);
              await other.append();
              await other.close();
              assert.equal(readdirSync(folder), ["log-0000000000000001"]);
            }
          });
        }),
      );
    }
  }
}

const code = (folder: string) => `const { parentPort } = require("node:worker_threads");
  import(${JSON.stringify(new URL("../../src/store/log/open.js", import.meta.url).href)}).then(({ openLog }) => {
    openLog(${JSON.stringify(folder)}).append([{ index: 1, command: new Uint8Array(1) }]);
    parentPort.postMessage("open");
    parentPort.once("message", () => process.exit());
  });`;

for (const hasKoffi of [true, false]) {
  for (const end of ["ends", "is terminated"]) {
    if (!isLinux) continue;
    test(`a thread that ${end} without closing a log leaves it to others, ${named(hasKoffi)}`, () =>
      withFolder(async (folder) => {
        const env = { ...process.env, TUNDISH_NATIVE: hasKoffi ? "" : "off" };
        const worker = new Worker(code(folder), { eval: true, env });
        await once(worker, "message");
        assert.instance(
          errorOf(() => openLog(folder)),
          LogLockedError,
        );
        const gone = once(worker, "exit");
        if (end === "ends") worker.postMessage("end");
        else await worker.terminate();
        await gone;
        openLog(folder).close();
      }));
  }
}

/** Of a thread that has ended: a name that is here, but for the time at which its thread began. */
function leaveDead(folder: string, name: string): void {
  writeFileSync(
    join(folder, name.replace(/^(lock\.\w+\.\d+\.\d+\.)(\d+)/, "$11").replace("kernel", "beat")),
    "",
  );
}

const marked = (first: number, last: number) =>
  recordsFrom(first, last).map(({ index }) => ({ index, command: Uint8Array.of(77, index) }));

if (isLinux) {
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
