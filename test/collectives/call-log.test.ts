/** The call log: what a PE called, as others read it while it goes on. */
import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CallLog, callLogBytes, RECORDS } from "../../src/collectives/team/call-log.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";
import { LINE } from "../../src/ground/memory/heap-layout.ts";
import type { Job } from "./programs/call-log.worker.ts";

const callLog = suite("call log");
const made = (size: number) => new Int32Array(new SharedArrayBuffer(LINE + callLogBytes(size)));

callLog("a record is found by PE and number, until another takes its place", () => {
  const i32 = made(3);
  const own = new CallLog(i32, LINE, 1);
  const other = new CallLog(i32, LINE, 2);
  for (let sequence = 1; sequence <= RECORDS; sequence++) {
    own.note(sequence, 7, 0xffff_ffff, sequence - 2, 0);
  }
  for (let sequence = 1; sequence <= RECORDS; sequence++) {
    assert.equal(other.look(1, sequence), { word: 7, count: 0xffff_ffff, root: sequence - 2 });
  }
  assert.is(other.look(1, RECORDS + 1), undefined);
  assert.ok(other.isBehind(1, RECORDS + 1));
  own.note(RECORDS + 1, 8, 0, -1, 0);
  assert.is(other.look(1, 1), undefined);
  assert.equal(other.look(1, RECORDS + 1), { word: 8, count: 0, root: -1 });
  assert.not(other.isBehind(1, RECORDS + 1));
  assert.is(other.look(0, 1), undefined, "PE 0 has noted nothing");
});

callLog("PEs agree, or not, in what is on record", () => {
  const i32 = made(3);
  const [a, b, c] = [0, 1, 2].map((rank) => new CallLog(i32, LINE, rank));
  a.note(1, 5, 6, 0, 77);
  b.note(1, 5, 6, 0, 77);
  assert.ok(a.agree(0, 1, 3), "c has not come yet");
  assert.ok(a.inStep(0, 1, 3));
  c.note(1, 5, 6, 1, 88);
  assert.not(a.agree(0, 1, 3));
  assert.not(a.inStep(0, 1, 3));
  assert.ok(a.inStep(0, 1, 2));
});

callLog("PEs are in step when the last call that both have made has the same tag", () => {
  const i32 = made(2);
  const [a, b] = [0, 1].map((rank) => new CallLog(i32, LINE, rank));
  for (let sequence = 1; sequence <= 10; sequence++) a.note(sequence, 1, 0, -1, sequence * 3);
  assert.ok(a.inStep(0, 10, 2), "b has made no call");
  for (let sequence = 1; sequence <= 7; sequence++) b.note(sequence, 1, 0, -1, sequence * 3);
  assert.ok(a.inStep(0, 10, 2), "b is behind");
  assert.ok(b.inStep(1, 7, 2), "a is ahead");
  b.note(8, 2, 0, -1, 999);
  assert.not(a.inStep(0, 10, 2));
  assert.not(b.inStep(1, 8, 2));
  for (let sequence = 9; sequence <= 8 + RECORDS; sequence++) b.note(sequence, 1, 0, -1, 0);
  assert.ok(a.inStep(0, 8, 2), "b is so far ahead that nothing in common is left");
});

callLog("a record that is being written over counts as none", () => {
  const i32 = made(1);
  const whole = new CallLog(i32, LINE, 0);
  const before = i32.slice();
  whole.note(1, 11, 12, 13, 0);
  const first = i32.slice();
  whole.note(1 + RECORDS, 21, 22, 23, 0);
  const second = i32.slice();
  const words = [...second.keys()].filter((at) => second[at] !== first[at] || first[at] !== before[at]);
  assert.is(words.length, 5);
  // whatever part of the new record has come, in whatever order
  for (let mask = 1; mask < 2 ** words.length - 1; mask++) {
    i32.set(first);
    words.forEach((at, bit) => {
      if (mask & (1 << bit)) i32[at] = second[at];
    });
    assert.is(whole.look(0, 1), undefined, `first, mask ${mask}`);
    assert.is(whole.look(0, 1 + RECORDS), undefined, `second, mask ${mask}`);
  }
});

callLog("no record is ever read half, while its owner goes on", async () => {
  const i32 = made(1);
  const job: Job = { i32, offset: LINE, stop: 0 };
  const entry = sibling("./programs/call-log.worker.js", import.meta.url);
  const writer = spawnThread({ entry, workerData: job, name: "writer" });
  const reader = new CallLog(i32, LINE, 0);
  const started = performance.now();
  let found = 0;
  let newest = 1;
  try {
    while (found < 100_000 && performance.now() - started < 30_000) {
      // the oldest records are those that are being written over
      while (!reader.isBehind(0, newest + RECORDS)) newest += RECORDS;
      const sequence = newest + (found % RECORDS);
      const record = reader.look(0, sequence);
      if (record === undefined) {
        newest++;
        continue;
      }
      found++;
      assert.equal(record, { word: sequence ^ 0x55555555, count: sequence >>> 0, root: -sequence | 0 });
    }
  } finally {
    Atomics.store(i32, job.stop, 1);
    await once(writer, "exit");
  }
  assert.is(found, 100_000);
});

callLog.run();
