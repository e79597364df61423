/** What a PE reports of its waits, and what others read. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sleep } from "../../../src/ground/base/event-loop/timers.ts";
import { type Watcher, watcherOf } from "../../../src/ground/wait/watcher.ts";
import { readStatus } from "../../../src/links/diagnose/read.ts";
import { LINGER_MS, statusBytes, WAITS } from "../../../src/links/status/layout.ts";
import { WaitWriter } from "../../../src/links/status/waits.ts";

const area = () => {
  const buffer = new SharedArrayBuffer(statusBytes(1));
  const [i32, u8] = [new Int32Array(buffer), new Uint8Array(buffer)];
  const told = () => {
    const [pe] = readStatus({ i32, u8, offset: 0, size: 1, first: 0 }, { departed: () => false, isOpen: () => false });
    return pe?.waits.map(({ call }) => call);
  };
  return { waits: new WaitWriter(i32, u8, 0, 0), told };
};

/** One of many short waits of a call. */
const partOf = (call: string): Watcher => ({ ...watcherOf(call), since: 0 });

const test = suite("status, waits");

test("a wait is told until it is over", () => {
  const { waits, told } = area();
  const one = waits.begin(watcherOf("barrier"), [1], 30, true);
  assert.equal(told(), ["barrier"]);
  waits.over(one);
  assert.equal(told(), []);
});

test("a call of many short waits is told between two of them, and not long after the last one", async () => {
  const { waits, told } = area();
  for (let i = 0; i < 3; i++) {
    const part = waits.begin(partOf("receive"), [1], 30, true);
    assert.equal(told(), ["receive"]);
    waits.over(part);
    assert.equal(told(), ["receive"], "another part follows");
  }
  const other = waits.begin(watcherOf("barrier"), [1], 30, true);
  assert.equal(told(), ["receive", "barrier"]);
  waits.over(other);
  await sleep(2 * LINGER_MS);
  assert.equal(told(), []);
});

test("waits that linger leave their places to others", () => {
  const { waits, told } = area();
  for (let i = 0; i < WAITS; i++) waits.over(waits.begin(partOf(`receive ${i}`), [1], 30, false));
  const one = waits.begin(watcherOf("barrier"), [1], 30, true);
  assert.ok(one >= 0);
  assert.ok(told()?.includes("barrier"));
});

test.run();
