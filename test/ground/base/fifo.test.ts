/** The queue: against an array, over the lengths at which its arrays begin and end. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fifo } from "../../../src/ground/base/fifo.ts";

const test = suite("fifo");

/** Adds (positive) and removes (negative), and now and then forgets all (0). */
const steps = fc.array(fc.integer({ min: -3000, max: 3000 }), { maxLength: 20 });

test("what is added first leaves first", () => {
  fc.assert(
    fc.property(steps, (counts) => {
      const queue = new Fifo<number>();
      let first = 0;
      let end = 0;
      for (const count of counts) {
        if (count === 0) {
          queue.clear();
          first = end;
        }
        for (let i = 0; i < count; i++) queue.add(end++);
        for (let i = 0; i > count && first < end; i--) {
          assert.is(queue.first, first++);
          queue.leave();
        }
        assert.is(queue.length, end - first);
        assert.is(queue.first, first < end ? first : undefined);
      }
    }),
  );
});

test.run();
