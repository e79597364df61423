/** The log: what is appended is found again; snapshots; every cut and every flipped bit of its files; who may open it. */

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLog } from "../../../src/facilities/store/log/open.ts";
import type { LogOptions } from "../../../src/facilities/store/log/options.ts";
import {
  CorruptLogError,
  LogError,
  LogLockedError,
  OverflowError,
  StateError,
  UsageError,
} from "../../../src/ground/base/errors.ts";
import { LONG } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { errorOf } from "./support/error-of.ts";
import { expected, found, recordOf, recordsFrom, stateOf, withFolder } from "./support/folders.ts";

const test = suite("log");

const files = (folder: string) => readdirSync(folder).sort();
const segment = (first: number) => `log-${String(first).padStart(16, "0")}`;
const snapshot = (index: number) => `snapshot-${String(index).padStart(16, "0")}`;

/** What is found in a folder after a restart. */
function reopened(folder: string, options?: LogOptions): unknown {
  const log = openLog(folder, options);
  log.close();
  return found(log);
}

test("an empty log, in a folder that is made", () =>
  withFolder((folder) => {
    const deep = join(folder, "a", "b");
    const log = openLog(deep);
    assert.equal(found(log), expected(0, 1, 0));
    assert.is(log.lastIndex, 0);
    log.close();
    log.close();
    assert.equal(files(deep), []);
  }));

for (const fsync of ["always", "interval", "never"] as const) {
  test(`what was appended is found, fsync ${fsync}`, () =>
    withFolder((folder) => {
      const options = { fsync, segmentBytes: 100 };
      const log = openLog(folder, options);
      log.append([]);
      log.append(recordsFrom(1, 3));
      log.append([recordOf(4)]);
      log.close();
      const again = openLog(folder, options);
      assert.equal(found(again), expected(0, 1, 4));
      for (let i = 5; i < 30; i++) again.append([recordOf(i)]);
      again.close();
      assert.ok(files(folder).length > 3, "several segments");
      assert.equal(reopened(folder), expected(0, 1, 29));
    }));
}

test("a large record, and one that is as large as a segment", () =>
  withFolder((folder) => {
    const log = openLog(folder, { segmentBytes: 1000 });
    const command = new Uint8Array(300_000).fill(7);
    log.append([
      { index: 1, command },
      { index: 2, command: new Uint8Array(0) },
    ]);
    log.append([{ index: 3, command: new Uint8Array(1000) }]);
    log.close();
    const again = openLog(folder);
    assert.equal(
      again.recovered.records.map((record) => record.command.length),
      [300_000, 0, 1000],
    );
    assert.ok(again.recovered.records[0]?.command.every((byte) => byte === 7));
    again.close();
  }));

test("records come in order, without gaps", () =>
  withFolder((folder) => {
    const log = openLog(folder);
    log.append([recordOf(1)]);
    for (const wrong of [[recordOf(1)], [recordOf(3)], [recordOf(2), recordOf(4)]])
      assert.instance(
        errorOf(() => log.append(wrong)),
        UsageError,
      );
    log.append([recordOf(2)]);
    log.close();
    assert.instance(
      errorOf(() => log.append([recordOf(3)])),
      StateError,
    );
    assert.instance(
      errorOf(() => log.sync()),
      StateError,
    );
    assert.instance(
      errorOf(() => log.truncate(1, stateOf(1))),
      StateError,
    );
    assert.equal(reopened(folder), expected(0, 1, 2));
  }));

test("a snapshot replaces records, and the segments that it has all of", () =>
  withFolder((folder) => {
    const log = openLog(folder, { segmentBytes: 60 });
    for (let i = 1; i <= 12; i++) log.append([recordOf(i)]);
    const before = files(folder).length;
    log.truncate(7, stateOf(7));
    assert.ok(files(folder).length < before, files(folder).join());
    assert.ok(existsSync(join(folder, snapshot(7))));
    log.append([recordOf(13)]);
    log.close();
    assert.equal(reopened(folder), expected(7, 8, 13));
    const again = openLog(folder, { segmentBytes: 60 });
    again.truncate(13, stateOf(13));
    assert.equal(
      files(folder).filter((name) => !name.startsWith("lock")),
      [snapshot(13)],
    );
    again.append([recordOf(14)]);
    again.close();
    assert.equal(reopened(folder), expected(13, 14, 14));
  }));

test("a snapshot of a state that came from elsewhere is ahead of the records", () =>
  withFolder((folder) => {
    const log = openLog(folder);
    log.append(recordsFrom(1, 3));
    log.truncate(40, stateOf(40));
    assert.is(log.lastIndex, 40);
    log.append(recordsFrom(41, 42));
    log.truncate(40, stateOf(40));
    assert.instance(
      errorOf(() => log.truncate(39, stateOf(39))),
      UsageError,
    );
    assert.instance(
      errorOf(() => log.truncate(0.5, stateOf(39))),
      UsageError,
    );
    log.close();
    assert.equal(reopened(folder), expected(40, 41, 42));
    // into an empty log
    const other = openLog(join(folder, "other"));
    other.truncate(9, stateOf(9));
    other.close();
    assert.equal(reopened(join(folder, "other")), expected(9, 10, 9));
  }));

test("a snapshot in the middle of a segment", () =>
  withFolder((folder) => {
    const log = openLog(folder);
    log.append(recordsFrom(1, 9));
    log.truncate(4, stateOf(4));
    log.close();
    assert.equal(reopened(folder), expected(4, 5, 9));
  }));

/** A folder with segments and a snapshot, copied for each case. */
function withCopies(records: number, segmentBytes: number, body: (folder: string, copy: () => string) => void) {
  withFolder((folder) => {
    const source = join(folder, "source");
    const log = openLog(source, { segmentBytes });
    for (let i = 1; i <= records; i++) log.append([recordOf(i)]);
    log.close();
    const target = join(folder, "copy");
    body(source, () => {
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target);
      for (const name of readdirSync(source)) copyFileSync(join(source, name), join(target, name));
      return target;
    });
  });
}

/** Bytes of a segment up to and with a record. */
const endOf = (first: number, index: number): number =>
  recordsFrom(first, index).reduce((at, { command }) => at + 20 + command.length, 20);

test("a segment that ends at any byte gives the records before it, and goes on", () => {
  withCopies(9, 1e6, (source, copy) => {
    const { length } = readFileSync(join(source, segment(1)));
    for (let cut = 0; cut < length; cut++) {
      const folder = copy();
      truncateSync(join(folder, segment(1)), cut);
      const log = openLog(folder);
      let last = 0;
      while (last < 9 && endOf(1, last + 1) <= cut) last++;
      assert.equal(found(log), expected(0, 1, last), `cut at ${cut}`);
      log.append([recordOf(last + 1)]);
      log.close();
      assert.equal(reopened(folder), expected(0, 1, last + 1), `cut at ${cut}, and on`);
    }
  });
});

test("garbage behind the last record is cut off", () => {
  withCopies(5, 1e6, (_, copy) => {
    for (const garbage of [Buffer.alloc(1), Buffer.alloc(500), Buffer.alloc(500, 255), Buffer.from("TUNDLOG1")]) {
      const folder = copy();
      appendFileSync(join(folder, segment(1)), garbage);
      assert.equal(reopened(folder), expected(0, 1, 5));
      assert.is(readFileSync(join(folder, segment(1))).length, endOf(1, 5));
    }
  });
});

test("a flipped bit: an error that names the place, or the records before it; never other data", () => {
  withCopies(8, 60, (source, copy) => {
    const log = openLog(source, { segmentBytes: 60 });
    log.truncate(2, stateOf(2));
    log.close();
    let errors = 0;
    const names = files(source);
    assert.ok(names.length > 3);
    for (const name of names) {
      const bytes = readFileSync(join(source, name));
      const bits = LONG ? 8 * bytes.length : bytes.length;
      for (let i = 0; i < bits; i++) {
        const bit = LONG ? i : 8 * i + drawn(8, name, i);
        const folder = copy();
        const changed = Buffer.from(bytes);
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        writeFileSync(join(folder, name), changed);
        const before = files(folder).map((file) => readFileSync(join(folder, file)).toString("hex"));
        try {
          assert.equal(reopened(folder), expected(2, 3, 7), `${name}, bit ${bit}`);
          assert.is(name, names.filter((one) => one.startsWith("log")).at(-1));
        } catch (error) {
          if (!(error instanceof CorruptLogError)) throw error;
          errors++;
          assert.is(error.file, join(folder, name));
          assert.ok(error.offset <= bit >> 3, `${error.offset}, ${bit >> 3}`);
          assert.match(error.message, /byte \d+|expected record/);
          const after = files(folder).map((file) => readFileSync(join(folder, file)).toString("hex"));
          assert.equal(after, before, "nothing changed");
        }
      }
    }
    assert.ok(errors > 100, `${errors}`);
  });
});

test("a bad record in front of one that shows that it was on the disk is an error", () => {
  withCopies(6, 1e6, (_, copy) => {
    const folder = copy();
    const file = join(folder, segment(1));
    const bytes = readFileSync(file);
    bytes[endOf(1, 3) + 20] = 99;
    writeFileSync(file, bytes);
    const error = errorOf(() => openLog(folder)) as CorruptLogError;
    assert.instance(error, CorruptLogError);
    assert.is(error.offset, endOf(1, 3));
    assert.match(error.message, /record 4 at byte \d+ is not as it was written/);
  });
});

test("a bad record in a batch that was not on the disk is the end, also if the batch goes on", () =>
  withFolder((folder) => {
    const log = openLog(folder, { fsync: "never" });
    log.append(recordsFrom(1, 3));
    log.append(recordsFrom(4, 6));
    log.close();
    const file = join(folder, segment(1));
    const bytes = readFileSync(file);
    bytes[endOf(1, 3) + 20] = 99;
    writeFileSync(file, bytes);
    assert.equal(reopened(folder), expected(0, 1, 3));
  }));

test("a missing file is an error", () => {
  withCopies(9, 60, (source, copy) => {
    const names = files(source);
    for (const [at, name] of names.entries()) {
      const folder = copy();
      rmSync(join(folder, name));
      // the last segment alone cannot be missed
      if (at === names.length - 1) reopened(folder);
      else
        assert.instance(
          errorOf(() => openLog(folder)),
          CorruptLogError,
          name,
        );
    }
  });
});

test("what a crash in a snapshot leaves", () => {
  withCopies(9, 60, (source, copy) => {
    const other = join(source, "..", "other");
    const log = openLog(other, { segmentBytes: 60 });
    for (let i = 1; i <= 9; i++) log.append([recordOf(i)]);
    log.truncate(5, stateOf(5));
    log.close();
    // under its own name with all segments, and in part under its first name
    const folder = copy();
    copyFileSync(join(other, snapshot(5)), join(folder, snapshot(5)));
    writeFileSync(join(folder, `${snapshot(6)}.tmp`), "half");
    assert.equal(reopened(folder), expected(5, 6, 9));
    assert.equal(files(folder), files(other), "old files are gone");
    // and the one before is still there
    copyFileSync(join(other, snapshot(5)), join(folder, snapshot(4)));
    assert.equal(reopened(folder), expected(5, 6, 9));
    assert.not(existsSync(join(folder, snapshot(4))));
  });
});

test("one owner at a time", () =>
  withFolder((folder) => {
    const log = openLog(folder);
    const error = errorOf(() => openLog(folder)) as LogLockedError;
    assert.instance(error, LogLockedError);
    assert.is(error.folder, folder);
    assert.match(error.message, new RegExp(`open in process ${process.pid} of `));
    log.append([recordOf(1)]);
    log.close();
    assert.equal(reopened(folder), expected(0, 1, 1));
    // by another path
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    try {
      const open = openLog(link);
      assert.match((errorOf(() => openLog(folder)) as Error).message, /open in process/);
      open.close();
    } finally {
      rmSync(link);
    }
    assert.equal(files(folder), [segment(1)]);
    // of another machine, and of somebody who does not say who it is
    for (const [name, told] of [
      ["lock.kernel.12.34.5.boot-6.token.elsewhere", /process 12 of elsewhere.*remove .*lock\.kernel\.12/],
      ["lock.1.1.0.elsewhere", /a process that .* does not name.*remove .*lock\.1\.1/],
    ] as const) {
      writeFileSync(join(folder, name), "");
      assert.match((errorOf(() => openLog(folder)) as Error).message, told);
      assert.equal(
        files(folder).filter((name) => name.startsWith("lock")),
        [name],
      );
      rmSync(join(folder, name));
    }
  }));

test("a folder that cannot be used", () =>
  withFolder((folder) => {
    const file = join(folder, "file");
    writeFileSync(file, "x");
    for (const path of [file, join(file, "below"), "/proc/none/log"]) {
      const error = errorOf(() => openLog(path)) as LogError;
      assert.instance(error, LogError, path);
      assert.is(error.file, path);
      assert.ok(error.cause);
    }
  }));

test("misuse", () =>
  withFolder((folder) => {
    for (const options of [
      { fsync: "sometimes" },
      { fsyncInterval: 0 },
      { segmentBytes: 0 },
      { segments: 1 },
      null,
    ] as LogOptions[])
      assert.instance(
        errorOf(() => openLog(folder, options)),
        UsageError,
      );
    assert.instance(
      errorOf(() => openLog("")),
      UsageError,
    );
    assert.equal(files(folder), []);
    const log = openLog(folder);
    const large = { length: 2 ** 30 } as Uint8Array;
    assert.instance(
      errorOf(() => log.append([{ index: 1, command: large }])),
      OverflowError,
    );
    const huge = { length: 2 ** 31 } as Uint8Array;
    assert.instance(
      errorOf(() => log.truncate(1, huge)),
      OverflowError,
    );
    log.close();
  }));

test.run();
