/** The parts of the shared-memory porter by themselves, several PEs in one thread: links, votes, oversized items. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Heap } from "../../../../src/ground/memory/heap.ts";
import { ALLOCATOR_USED, LINE } from "../../../../src/ground/memory/heap-layout.ts";
import { newHeap } from "../../../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../../../src/ground/wait/layout.ts";
import type { ParkingWaiter } from "../../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../../src/ground/wait/wakers.ts";
import type { Buffers } from "../../../../src/links/transport/contract.ts";
import { Idler } from "../../../../src/links/transport/heap/idler.ts";
import { linkBytes, routesAt } from "../../../../src/links/transport/heap/layout.ts";
import { HeapOversized } from "../../../../src/links/transport/heap/oversized.ts";
import { SharedPorter } from "../../../../src/links/transport/heap/porter.ts";
import { TreeVote } from "../../../../src/links/transport/heap/vote.ts";
import { SessionWord } from "../../../../src/links/transport/session-word.ts";
import { mix } from "../../../facilities/conveyor/support/payloads.ts";

function ground(pes: number): { heap: Heap; wakers: Wakers } {
  const heap = newHeap(2 ** 22);
  return { heap, wakers: new Wakers(heap.i32, heap.allocate(waitAreaBytes(pes)), pes, null) };
}

/** Two PEs with a link to each other. */
function pairOf(buffers: Buffers) {
  const { heap, wakers } = ground(2);
  const block = heap.allocate(2 * linkBytes(buffers));
  const at = (pe: number) => block + pe * linkBytes(buffers);
  const sessions = [new SessionWord(), new SessionWord()] as const;
  const porter = (pe: 0 | 1) =>
    new SharedPorter(heap.i32, wakers, sessions[pe], buffers, {
      out: Float64Array.of(at(pe)),
      in: Float64Array.of(at(1 - pe)),
      peers: Int32Array.of(1 - pe),
      order: Int32Array.of(0),
    });
  const [a, b] = [porter(0), porter(1)];
  return { heap, block, a, b, sessions };
}

const parts = suite("parts of the porter");

for (const perLink of [1, 2, 4] as const) {
  parts(`a link with ${perLink} buffers keeps order, says when it is full, and knows what has been read`, () => {
    const { heap, a, b } = pairOf({ bytes: 256, perLink });
    assert.is(b.borrow(), false);
    assert.is(a.settled(), true);
    let sent = 0;
    let got = 0;
    for (let step = 0; step < 3000; step++) {
      if (mix(step) % 2 === 0) {
        const offset = a.open(0);
        assert.is(offset < 0, sent - got === perLink, "full");
        if (offset < 0) continue;
        assert.is(offset % LINE, 0);
        heap.i32[offset / 4] = sent;
        a.send(0, offset, 4, ++sent, 1);
        assert.is(a.settled(), false);
      } else {
        assert.is(b.borrow(), got < sent);
        if (got === sent) continue;
        assert.equal([b.source, heap.i32[b.start / 4], b.bytes, b.count], [0, got, 4, got + 1]);
        if (mix(step, 1) % 2 === 0) {
          b.finish();
          b.finish();
          assert.is(a.settled(), sent === got + 1);
        }
        b.release();
        b.release();
        got++;
        assert.is(a.settled(), sent === got);
      }
    }
    assert.ok(got > 500);
  });
}

parts("after a full buffer the next one is taken back, and only one that nobody reads", () => {
  const buffers = { bytes: 512, perLink: 2 } as const;
  const { heap, block, a, b } = pairOf(buffers);
  const words = (start: number) => heap.i32.subarray(start / 4, (start + buffers.bytes) / 4);
  const zeros = (start: number) => words(start).filter((word) => word === 0).length;
  const lines = buffers.bytes / 64;
  const send = (bytes: number): { readonly start: number; readonly taken: boolean } => {
    const start = a.open(0);
    const taken = zeros(start) === lines;
    assert.ok(taken || zeros(start) === 0);
    a.send(0, start, bytes, 1, 1);
    return { start, taken };
  };
  const give = () => {
    assert.ok(b.borrow());
    b.release();
  };
  const fill = () => heap.i32.fill(7, block / 4 + 64, (block + linkBytes(buffers)) / 4);
  fill();
  const first = send(512);
  const second = send(8);
  assert.equal([first.taken, second.taken], [false, true]);
  // read, and then finished, but not given back
  assert.ok(b.borrow());
  assert.is(a.open(0), -1);
  b.finish();
  assert.is(a.open(0), -1);
  assert.is(zeros(first.start), 0);
  b.release();
  assert.is(send(257).taken, false);
  give();
  heap.i32.fill(7, second.start / 4, (second.start + buffers.bytes) / 4);
  assert.is(send(8).taken, true);
  // the other buffer is still on its way
  assert.is(zeros(first.start), 0);
});

const TREES = {
  chain: (pes: number) => Object.fromEntries(Array.from({ length: pes - 1 }, (_, i) => [i, [i + 1]])),
  star: (pes: number) => ({ 0: Array.from({ length: pes - 1 }, (_, i) => i + 1) }),
  binary: (pes: number) =>
    Object.fromEntries(
      Array.from({ length: pes }, (_, i) => [i, [2 * i + 1, 2 * i + 2].filter((child) => child < pes)]),
    ),
};

for (const [name, children] of Object.entries(TREES)) {
  parts(`votes on a ${name}: all get the OR of all, and none before all have cast`, () => {
    for (const pes of [1, 2, 3, 8]) {
      const { heap, wakers } = ground(pes);
      const block = heap.allocate(routesAt(pes));
      const members = Array.from({ length: pes }, (_, i) => i);
      const tree = { root: 0, children: children(pes) };
      const votes = members.map((rank) => new TreeVote(heap.i32, wakers, { offset: block, members, rank, tree }));
      // rounds are numbered modulo 256
      for (let round = 0; round < 600; round++) {
        const bits = members.map((rank) => (mix(round, rank) % 8 === 0 ? 1 << (mix(rank, round) % 24) : 0));
        const want = bits.reduce((all, one) => all | one, 0);
        const cast = new Set<number>();
        const know = new Set<number>();
        for (let step = 0; know.size < pes; step++) {
          assert.ok(step < 10_000, "a vote that never ends");
          const rank = mix(round, step, 7) % pes;
          if (!cast.has(rank)) {
            votes[rank].cast(bits[rank]);
            cast.add(rank);
          }
          const result = votes[rank].poll();
          if (cast.size < pes) assert.is(result, -1);
          if (result < 0) continue;
          assert.is(result, want);
          know.add(rank);
        }
      }
    }
  });
}

parts("oversized items: found, dropped, given back; those of a PE that has gone too", () => {
  const { heap, wakers } = ground(2);
  const used = () => heap.i32[ALLOCATOR_USED] * LINE;
  const all = heap.allocate(4) / 4;
  const before = used();
  const [a, b] = [0, 1].map(() => {
    const oversized = new HeapOversized(heap, wakers, [0, 1], 10_000, all);
    return {
      leave: (dest: number, bytes: Uint8Array) => oversized.leave(dest, bytes, bytes.length),
      find: (source: number, ticket: number) => oversized.find(source, ticket),
      drop: (source: number, ticket: number) => oversized.drop(source, ticket),
      abandon: () => oversized.abandon(),
    };
  });
  const bytes = (i: number) => new Uint8Array(1000).fill(i);
  const tickets: number[] = [];
  for (let ticket = a.leave(1, bytes(0)); ticket > 0; ticket = a.leave(1, bytes(tickets.length))) tickets.push(ticket);
  assert.ok(
    tickets.length >= 7 && used() - before <= 10_000,
    `${tickets.length} oversized items, ${used() - before} bytes`,
  );
  for (const [i, ticket] of tickets.entries()) {
    const at = b.find(0, ticket);
    assert.equal(heap.u8.slice(at, at + 1000), bytes(i));
  }
  b.drop(0, tickets[0]);
  const ninth = a.leave(1, bytes(9));
  assert.ok(ninth > 0, "room again");
  // larger than the budget: alone, or not at all
  assert.is(a.leave(1, new Uint8Array(20_000)), 0);
  const huge = b.leave(0, new Uint8Array(20_000));
  assert.ok(huge > 0);
  assert.is(b.leave(0, bytes(1)), 0);
  // some are dropped before, some after their sender has gone
  const last = a.leave(1, bytes(8));
  for (const ticket of tickets.slice(1, 4)) b.drop(0, ticket);
  a.abandon();
  a.abandon();
  for (const ticket of [...tickets.slice(4), ninth, last]) if (ticket > 0) b.drop(0, ticket);
  a.drop(1, huge);
  b.abandon();
  assert.is(used(), before);
});

parts("an idler sleeps only when all that are active have nothing to do", () => {
  let waits = 0;
  const waiter = { pause: () => ++waits, done: () => {} } as unknown as ParkingWaiter;
  const idler = new Idler(waiter);
  const [a, b] = [{}, {}];
  idler.setActive(a, true);
  idler.idle(a);
  assert.is(waits, 1);
  idler.setActive(b, true);
  idler.idle(a);
  idler.idle(a);
  assert.is(waits, 1, "b has not said anything");
  idler.idle(b);
  assert.is(waits, 2);
  idler.idle(a);
  idler.busy();
  idler.idle(b);
  assert.is(waits, 2, "something was done meanwhile");
  idler.idle(a);
  assert.is(waits, 3);
  idler.setActive(b, false);
  idler.idle(a);
  assert.is(waits, 4);
  idler.setActive(b, true);
  for (let i = 0; i < 200; i++) idler.idle(a);
  assert.is(waits, 4, "b may have something to do");
  for (let i = 0; i < 200; i++) idler.idle(a);
  assert.ok(waits > 50, "b is not advanced at all");
});

parts.run();
