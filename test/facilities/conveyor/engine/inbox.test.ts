/** The inbox by itself: which items can be put back. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Inbox } from "../../../../src/facilities/conveyor/engine/inbox.ts";
import { HopReceiver } from "../../../../src/facilities/conveyor/engine/receiver.ts";
import { viewsOf } from "../../../../src/ground/item/views.ts";
import type { Porter } from "../../../../src/links/transport/contract.ts";

const STRIDE = 8;
const ASIDE = 1024;

/** An inbox to which one buffer has come after the other, each with so many items; how many were given back. */
function inboxOf(...counts: number[]): { inbox: Inbox; pull: () => boolean; released: () => number } {
  const left = counts.values();
  let released = 0;
  const buffer = { source: 0, start: 0, bytes: 0, count: 0, stamp: 0 };
  const porter = {
    ...buffer,
    borrow() {
      const { value, done } = left.next();
      if (done) return false;
      Object.assign(this, { start: 128, bytes: value * STRIDE, count: value });
      return true;
    },
    finish() {},
    release: () => void released++,
  } as Partial<Porter> as Porter;
  const inbox = new Inbox(new HopReceiver(porter, 1), viewsOf(new ArrayBuffer(2048)), ASIDE, null);
  inbox.begin({ stride: STRIDE, tagBytes: 0, capacity: 16, base: 0, unit: STRIDE });
  // as the code that is generated for an item does it
  const pull = () => {
    if (inbox.next === inbox.limit && !inbox.fetch()) return false;
    inbox.at = inbox.next;
    inbox.next += STRIDE;
    return true;
  };
  return { inbox, pull, released: () => released };
}

const inboxes = suite("inbox");

inboxes("what was pulled of the buffer at hand can be put back, and nothing else", () => {
  const { inbox, pull } = inboxOf(3);
  assert.is(inbox.restore(STRIDE), false, "nothing has come");
  assert.ok(inbox.fetch());
  assert.is(inbox.restore(STRIDE), false, "nothing was pulled");
  assert.ok(pull() && pull());
  assert.is(inbox.pulled, 2);
  assert.equal([inbox.restore(STRIDE), inbox.at, inbox.pulled], [true, 128, 1]);
  assert.equal([inbox.restore(STRIDE), inbox.at, inbox.pulled], [true, ASIDE, 0]);
  assert.is(inbox.restore(STRIDE), false);
  assert.is(inbox.waiting, 3);
});

inboxes("nothing of a buffer can be put back when it has been finished, or given back", () => {
  const { inbox, pull, released } = inboxOf(1, 1);
  assert.ok(pull());
  assert.ok(inbox.finish());
  assert.is(inbox.finish(), false, "once is enough");
  assert.is(inbox.restore(STRIDE), false);
  assert.is(released(), 0, "it is kept: the item may be looked at");
  assert.ok(pull());
  assert.is(released(), 1);
  inbox.drop();
  assert.equal([inbox.restore(STRIDE), released(), inbox.pulled], [false, 2, 2]);
  assert.is(pull(), false);
});

inboxes.run();
