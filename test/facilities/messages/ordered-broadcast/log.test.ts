/** The log of a member: cursors read what was appended, in order, whatever is moved or grows meanwhile. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  EXTENT,
  FROM,
  KIND,
  LOG_HEAD_WORDS,
  wordsOf,
} from "../../../../src/facilities/messages/ordered-broadcast/layout.ts";
import { type LogCursor, PartLog } from "../../../../src/facilities/messages/ordered-broadcast/log.ts";
import { rounds } from "../../../support/long.ts";
import { mix } from "../../conveyor/support/payloads.ts";

const test = suite("log of an ordered broadcast");
const first = Math.floor(Math.random() * 2 ** 30);

test("parts of all lengths, cursors that lag behind", () => {
  const words = new Int32Array(1000);
  for (let seed = first; seed < first + rounds(30, 2000); seed++) {
    const log = new PartLog();
    const cursors = [0, 1, 2].map(() => log.cursor());
    const bytesOf = (i: number) => mix(seed, i, 1) % ([4, 57, 4000][mix(seed, i, 2) % 3] as number);
    const lag = 1 + (mix(seed, 3) % 200);
    const read = (cursor: LogCursor) => {
      const i = cursor.count;
      const { i32 } = log;
      const bytes = bytesOf(i);
      const expected = [i % 7, i % 2, bytes * 2 + (i % 3 === 0 ? 1 : 0)];
      assert.equal(
        [FROM, KIND, EXTENT].map((word) => i32[cursor.at + word]),
        expected,
        `seed ${seed}, part ${i}`,
      );
      const length = wordsOf(bytes);
      for (let word = 0; word < length; word++)
        if (i32[cursor.at + LOG_HEAD_WORDS + word] !== i + word) assert.unreachable(`seed ${seed}, part ${i}`);
      log.pass(cursor);
    };
    for (let i = 0; i < 1500; i++) {
      const length = wordsOf(bytesOf(i));
      for (let word = 0; word < length; word++) words[word] = i + word;
      log.append(i % 7, i % 2, words, 0, bytesOf(i), i % 3 === 0);
      for (const [k, cursor] of cursors.entries()) {
        const least = k === 0 ? 0 : lag;
        while (log.appended - cursor.count > least) read(cursor);
      }
      if (i === 700) log.drop(cursors.pop() as LogCursor);
    }
    for (const cursor of cursors) while (cursor.count < log.appended) read(cursor);
    // what is read is dropped: it has room for what lags behind, and no more
    assert.ok(log.i32.length <= 8 * (lag + 2) * 1003, `seed ${seed}: ${log.i32.length} words`);
  }
});
test.run();
