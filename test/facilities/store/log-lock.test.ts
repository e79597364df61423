/**
 * Who may open a log: owners that live, are stopped, killed; in this PID namespace and in others; with koffi and
 * without.
 */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLog } from "../../../src/facilities/store/log/open.ts";
import { LogLockedError } from "../../../src/ground/base/errors.ts";
import { skip } from "../../support/skip.ts";
import { errorOf } from "./support/error-of.ts";
import { withFolder } from "./support/folders.ts";
import { hasNamespaces, LogOwner, type Place } from "./support/log-owner.ts";

const test = suite("log, owners");
/** Of an owner that is stopped or gone: it gives no sign of life however long one waits, ms. */
const STALE_MS = 300;
const isLinux = process.platform === "linux";
const places: Place[] = hasNamespaces ? ["here", "apart", "blind"] : isLinux ? ["here"] : [];
const LOCKED = "ERR_TUNDISH_LOG_LOCKED";
const named = (hasKoffi: boolean) => (hasKoffi ? "with koffi" : "without koffi");

interface Case {
  readonly what: string;
  readonly place: Place;
  readonly owned: boolean;
  readonly opened: boolean;
}

const cases: readonly Case[] = places.flatMap((place) =>
  [true, false].flatMap((owned) =>
    [true, false]
      .filter((opened) => place !== "blind" || !(owned || opened))
      .map((opened) => {
        const what = `an owner ${place}, ${named(owned)}, and another one, ${named(opened)}`;
        return { what, place, owned, opened };
      }),
  ),
);
/** Who opens the logs of others. All processes start at the same time, as that is what takes long on a busy machine. */
const others = new Map([true, false].map((hasKoffi) => [hasKoffi, new LogOwner(hasKoffi)]));
const owners = new Map(cases.map((one) => [one, new LogOwner(one.owned, one.place)]));
test.after(async () => {
  for (const one of [...owners.values(), ...others.values()]) await one.kill();
});

if (isLinux && !hasNamespaces) skip("owners in other PID namespaces", "this user gets none");
for (const [one, owner] of owners) {
  const { what, place, owned, opened } = one;
  const other = others.get(opened) as LogOwner;
  test(what, () =>
    withFolder(async (folder) => {
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
        assert.match(lost.message as string, /append: the log .* was taken over .*: it is open in process/);
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
      const { pid } = await owner.start();
      await owner.kill();
      const after = await other.open(folder, STALE_MS);
      // in a namespace it has ended with its owner
      if (place === "here") process.kill(pid as number, "SIGKILL");
      // a lock that nobody can look at
      if (place === "apart" && owned && !opened) assert.is(after.code, LOCKED);
      else {
        assert.is(after.last, 4, after.message);
        await other.append();
        await other.close();
        assert.equal(readdirSync(folder), ["log-0000000000000001"]);
      }
    }),
  );
}

const code = (folder: string) => `const { parentPort } = require("node:worker_threads");
  import(${JSON.stringify(new URL("../../../src/facilities/store/log/open.js", import.meta.url).href)}).then(({ openLog }) => {
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

test.run();
