/** A heap of 4 GiB: everything must also work where byte offsets no longer fit 31 bits. */
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelKind } from "../../../src/ground/base/channel-kinds.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { backends } from "../../../src/ground/channel/backends.ts";
import { BlockReceiver, BlockSender, blockChannelBytes } from "../../../src/ground/channel/blocks.ts";
import { channelBytes, SIGNAL_BYTES } from "../../../src/ground/channel/layout.ts";
import { SignalReceiver, SignalSender } from "../../../src/ground/channel/signal.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { LOST, waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { ControllableWaiter } from "../../support/controllable-waiter.ts";
import { testUnless } from "../../support/skip.ts";

const GIB = 1024 ** 3;

/** Address space may be limited (ulimit -v); memory is not needed: next to nothing of it is touched. */
function lacking(): string | null {
  try {
    newHeap(4 * GIB);
    return null;
  } catch (error) {
    return `no address space: ${(error as Error).message}`;
  }
}

const large: Test = suite("heap of 4 GiB");
const reason = lacking();

testUnless(large, reason, "blocks above 2 GiB are given, freed, joined and zeroed", () => {
  const heap = newHeap(4 * GIB);
  assert.is(heap.buffer.byteLength, 4 * GIB);
  const first = heap.allocate(2.5 * GIB);
  const [a, b] = [heap.allocate(1000), heap.allocate(1000)];
  assert.ok(a > 2.5 * GIB && b > a);
  assert.throws(() => heap.allocate(1.5 * GIB), /Cannot allocate/);
  heap.u8.fill(1, a, a + 1000);
  heap.u8.fill(1, b, b + 1000);
  heap.free(a);
  heap.free(b);
  assert.is(heap.allocate(2100), a, "joined");
  assert.ok(heap.u8.subarray(a, a + 2100).every((byte) => byte === 0));
  // the last block, down to the last byte of the heap
  const most = 4 * GIB - (a + 2176) - 128;
  const last = heap.allocate(most);
  assert.is(last + most, 4 * GIB);
  heap.u8[last + most - 1] = 1;
  assert.throws(() => heap.allocate(0), /Cannot allocate/);
  assert.throws(() => heap.free(first + 128), /in use/);
  for (const at of [last, a, first]) heap.free(at);
});

testUnless(large, reason, "channels, blocks and signals above 2 GiB", () => {
  const heap = newHeap(4 * GIB);
  heap.allocate(3.875 * GIB);
  const wakers = new Wakers(heap.i32, heap.allocate(waitAreaBytes(1)), 1);
  const waiter = new ControllableWaiter();
  const common = { heap, slots: 4, peer: 0, waiter, wakers };
  const into = new Uint8Array(56);
  for (const name of Object.keys(backends) as ChannelKind[]) {
    const options = { ...common, offset: heap.allocate(channelBytes(4)) };
    const [sender, receiver] = [backends[name].sender(options), backends[name].receiver(options)];
    for (let i = 0; i < 20; i++) {
      sender.send(Uint8Array.of(i, 255 - i));
      assert.is(receiver.receive(into), 2);
      assert.equal([into[0], into[1]], [i, 255 - i]);
    }
  }
  const offset = heap.allocate(blockChannelBytes(4, 256));
  const blocks = [
    new BlockSender({ ...common, offset, blockBytes: 256 }),
    new BlockReceiver({ ...common, offset, blockBytes: 256 }),
  ] as const;
  for (let i = 0; i < 20; i++) {
    heap.kernels.fill(blocks[0].claim(), i, 256);
    blocks[0].publish(200 + i);
    const at = blocks[1].wait();
    assert.ok(at > 3.875 * GIB);
    assert.equal([heap.u8[at], heap.u8[at + 255], blocks[1].length], [i, i, 200 + i]);
    blocks[1].release();
  }
  const signal = heap.allocate(SIGNAL_BYTES);
  new SignalSender(signal, 0, wakers).raise(7);
  const raised = new SignalReceiver(heap, signal, 0);
  assert.ok(raised.ready() && raised.pass(7));
  assert.is(waiter.pauses, 0);
});

testUnless(large, reason, "termination and wakers above 2 GiB", () => {
  const heap = newHeap(4 * GIB);
  heap.allocate(3 * GIB);
  const at = heap.allocate(waitAreaBytes(2));
  const [wakers, termination] = [new Wakers(heap.i32, at, 2), new Termination(heap.i32, heap.u8, at)];
  wakers.announce(1);
  wakers.sleep(1, 10);
  wakers.announce(1);
  wakers.depart(0);
  wakers.sleep(1, 60_000);
  assert.is(wakers.departed(0), true);
  termination.decide(LOST, { rank: 1, message: "lost far up" });
  assert.is(new Termination(heap.i32, heap.u8, at).error().message, "lost far up [ERR_TUNDISH_RANK_LOST]");
});

for (const pes of [1, 3]) {
  testUnless(large, reason, `collectives on arrays above 2 GiB, ${pes} PEs`, async () => {
    const program = sibling("./heap-large.program.js", import.meta.url);
    const answers = await launch(program, { pes, heapBytes: 4 * GIB, timeout: 60_000 });
    assert.equal(answers, Array(pes).fill("ok"));
  });
}

large.run();
