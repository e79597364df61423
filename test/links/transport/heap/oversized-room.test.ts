/** Room for oversized items in a heap that holds one: what a PE finds while another takes its room, or gives it back. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HeapError } from "../../../../src/ground/base/errors.ts";
import { Heap } from "../../../../src/ground/memory/heap.ts";
import { newHeap } from "../../../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../../../src/ground/wait/layout.ts";
import { Wakers } from "../../../../src/ground/wait/wakers.ts";
import { HeapOversized } from "../../../../src/links/transport/heap/oversized.ts";

const MIB = 2 ** 20;
const item = new Uint8Array(3 * MIB);

/** Two PEs with a heap object each, as threads have, and what the second one does at a moment of the first one's try. */
function pair() {
  const heap = newHeap(5 * MIB);
  const waitArea = heap.allocate(waitAreaBytes(2));
  const word = heap.allocate(8) / 4;
  const seats = [heap, Heap.attach(heap.memory)].map((own) => {
    const wakers = new Wakers(own.i32, waitArea, 2, null);
    return { heap: own, oversized: new HeapOversized(own, wakers, [0, 1], 2 ** 30, word) };
  });
  const [a, b] = seats as [(typeof seats)[0], (typeof seats)[0]];
  const allocate = a.heap.allocate.bind(a.heap);
  /** Something that happens right after a's next look at the heap, before it knows what came of it. */
  const atNextLook = (then: () => void) => {
    a.heap.allocate = (bytes) => {
      a.heap.allocate = allocate;
      try {
        return allocate(bytes);
      } finally {
        then();
      }
    };
  };
  const push = (seat: typeof a) => seat.oversized.leave(0, item, item.length);
  return { a: a.oversized, b: b.oversized, atNextLook, push: { a: () => push(a), b: () => push(b) } };
}

const room = suite("room for oversized items");

room("a PE that is taking room, and has not said so in any other way: there is none for now", () => {
  const { atNextLook, push } = pair();
  let ofB = -1;
  atNextLook(() => {
    ofB = push.b();
  });
  assert.ok(push.a() > 0);
  assert.is(ofB, 0);
});

room("a PE that gives its room back while another looks: there is none for now, and then there is", () => {
  const { a, b, atNextLook, push } = pair();
  const ticket = push.b();
  assert.ok(ticket > 0);
  atNextLook(() => {
    a.drop(1, ticket);
    b.sweep();
  });
  assert.is(push.a(), 0);
  assert.ok(push.a() > 0);
});

room("one that takes room and gives it back while another looks: there is none for now", () => {
  const { a, b, atNextLook, push } = pair();
  const ticket = push.b();
  atNextLook(() => {
    a.drop(1, ticket);
    const next = push.b();
    assert.ok(next > 0);
    a.drop(1, next);
    b.sweep();
  });
  assert.is(push.a(), 0);
});

room("what has no room when nobody has any is refused, and nothing is counted for it", () => {
  const { a, push } = pair();
  const huge = new Uint8Array(6 * MIB);
  for (let i = 0; i < 3; i++)
    assert.throws(
      () => a.leave(0, huge, huge.length),
      (error: unknown) => error instanceof HeapError,
    );
  assert.ok(push.b() > 0);
  assert.is(a.leave(0, huge, huge.length), 0, "perhaps when that one has gone");
});

room.run();
