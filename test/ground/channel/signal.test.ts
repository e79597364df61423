/** A signal's tag: a wait that passes with one of another call would not be noticed by anything but a wrong result. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SIGNAL_BYTES } from "../../../src/ground/channel/layout.ts";
import { SignalReceiver, SignalSender } from "../../../src/ground/channel/signal.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";

const signals = suite("signal");

signals("a wait of one tag does not pass with a raise of another, unless that is gone", () => {
  const heap = newHeap(2 ** 16);
  const wakers = new Wakers(heap.i32, heap.allocate(waitAreaBytes(2)), 2, null);
  const offset = heap.allocate(SIGNAL_BYTES);
  const sender = new SignalSender(offset, 0, wakers);
  const receiver = new SignalReceiver(heap, offset, 1);
  const pass = (tag: number) => {
    assert.ok(receiver.ready());
    return receiver.pass(tag);
  };
  for (const tag of [0, 1, 255, 0xff_ffff]) {
    sender.raise(tag);
    assert.is(pass(tag), true);
    sender.raise(tag);
    assert.is(pass(tag ^ 1), false);
    sender.raise(tag);
    sender.raise(tag ^ 1);
    assert.is(pass(5), true, "the writer has gone on, so it was in the same call");
    assert.is(pass(tag), false);
  }
});

signals.run();
