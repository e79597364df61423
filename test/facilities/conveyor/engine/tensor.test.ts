/** The tensor engine alone: what it says of its progress. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Tensor, type TensorParts } from "../../../../src/facilities/conveyor/engine/tensor.ts";

const tensor = suite("tensor engine");

tensor("a PE that is complete does not wait, though nothing else has moved", () => {
  let isSettled = false;
  const outbox = { sendFull: () => false };
  const nothing = { serve() {}, finish: () => false, fetch: () => false };
  const inbox = { ...nothing, fetched: false, isKept: false, next: 0, limit: 0 };
  const end = {
    ...{ begin() {}, close: () => false, isOver: true, votes: 0 },
    get isSettled() {
      return isSettled;
    },
  };
  const receiver = { begin() {}, moved: false };
  const hops = { entry: outbox, outboxes: [outbox], receivers: [receiver], ends: [end], movers: [] };
  const parts = { ...hops, inbox, steady: false, aging: null };
  const engine = new Tensor(parts as unknown as TensorParts);
  engine.begin();
  assert.is(engine.advance(true), 1);
  assert.is(engine.moved, true, "the hop is over");
  assert.is(engine.advance(true), 1);
  assert.is(engine.moved, false, "it waits until what it has sent needs it no more");
  isSettled = true;
  assert.is(engine.advance(true), 0);
  assert.is(engine.moved, true);
});

tensor.run();
