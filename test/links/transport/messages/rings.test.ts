/** Messages through memory: two nodes in one memory, one heap behind the other, as one of them would see it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FIRST_BLOCK } from "../../../../src/ground/memory/heap-layout.ts";
import { newHeap } from "../../../../src/ground/memory/new-heap.ts";
import {
  FULL,
  mailboxAt,
  mailboxesBytes,
  RING_SLOTS,
  ringsIn,
  ringTo,
  TAG,
} from "../../../../src/links/transport/messages/layout.ts";
import { RingsIn, RingsOut } from "../../../../src/links/transport/messages/rings.ts";
import { BY_MPI, type Nodes } from "../../../../src/links/transport/nodes.ts";

const HEAP = 2 ** 22;
/** Node 0 has PEs 0 and 1, node 1 has PE 2, node 2 PEs 3 to 5; node 2 is on another machine. */
const starts = [0, 2, 3, 6];
const first: Nodes = { node: 0, starts, heaps: [0, HEAP, BY_MPI] };
const second: Nodes = { node: 1, starts, heaps: [HEAP, 0, BY_MPI] };

const rings = suite("rings of messages");

rings("each PE of a mapped node has a ring of its own in each mailbox, within the area", () => {
  assert.is(ringTo(first, 0, 3), BY_MPI);
  const to = [0, 1].map((rank) => ringTo(first, rank, 2) - HEAP);
  const mailbox = mailboxAt(second, FIRST_BLOCK, 2);
  assert.equal(ringsIn(second, mailbox), to);
  assert.ok(Math.max(...to) < FIRST_BLOCK + mailboxesBytes(second));
  // and the other way round, where two PEs have a mailbox each
  const back = [0, 1].map((to) => ringTo(second, 2, to) - HEAP);
  assert.equal(
    back,
    [0, 1].flatMap((rank) => ringsIn(first, mailboxAt(first, FIRST_BLOCK, rank))),
  );
  assert.is.not(back[0], back[1]);
});

rings("messages of each sender come in their order, and a full ring says so", () => {
  const heap = newHeap(2 * HEAP);
  const senders = [0, 1].map((rank) => new RingsOut(heap.i32, first, rank));
  const theirs = heap.i32.subarray(HEAP / 4);
  const receiver = new RingsIn(theirs, ringsIn(second, mailboxAt(second, FIRST_BLOCK, 2)));
  assert.is(receiver.look(), -1);
  const sent = [0, 0];
  const come = [0, 0];
  for (let step = 0; step < 1000; step++) {
    const who = (step * 7) % 3 === 0 ? 0 : 1;
    const sender = senders[who] as RingsOut;
    assert.ok(sender.leadTo(2));
    assert.not(sender.leadTo(3));
    const at = sender.next(2);
    assert.is(at < 0, (sent[who] as number) - (come[who] as number) === RING_SLOTS, "full");
    if (at >= 0) {
      heap.i32[at / 4 + TAG] = 2 * (sent[who] as number) + who;
      (sent[who] as number)++;
      sender.post(2);
      assert.is(heap.i32[at / 4 + FULL], 1);
    }
    if (step % 3 === 0) continue;
    const found = receiver.look();
    if (found < 0) continue;
    const message = theirs[found / 4 + TAG] as number;
    assert.is(message >> 1, come[message & 1]);
    (come[message & 1] as number)++;
    receiver.again();
  }
  assert.ok((come[0] as number) > 50 && (come[1] as number) > 50);
});

rings.run();
