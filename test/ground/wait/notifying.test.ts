/**
 * Whoever makes true what a PE may sleep for notifies its waker. A sleeper looks again by itself after a while, so a lost
 * wake-up is only slow; here each place that must notify is asked for it, with all PEs in one thread.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AddressBoard } from "../../../src/collectives/team/address-board.ts";
import type { ChannelKind } from "../../../src/ground/base/channel-kinds.ts";
import { backends } from "../../../src/ground/channel/backends.ts";
import { channelBytes, SIGNAL_BYTES } from "../../../src/ground/channel/layout.ts";
import { SignalSender } from "../../../src/ground/channel/signal.ts";
import { LINE } from "../../../src/ground/memory/heap-layout.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { AWAKE, waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { linkBytes, routesAt } from "../../../src/links/transport/heap/layout.ts";
import { HeapOversized } from "../../../src/links/transport/heap/oversized.ts";
import { SharedPorter } from "../../../src/links/transport/heap/porter.ts";
import { TreeVote } from "../../../src/links/transport/heap/vote.ts";
import { SessionWord } from "../../../src/links/transport/session-word.ts";
import { ControllableWaiter } from "../../support/controllable-waiter.ts";

const PES = 4;
const heap = newHeap(2 ** 20);
const wakers = new Wakers(heap.i32, heap.allocate(waitAreaBytes(PES)), PES, null);

/** Which of the PEs an act wakes, where all are asleep before it. */
function woken(act: () => void): number[] {
  const ranks = Array.from({ length: PES }, (_, rank) => rank);
  for (const rank of ranks) wakers.announce(rank);
  act();
  return ranks.filter((rank) => heap.i32[wakers.word(rank)] === AWAKE);
}

const notifying = suite("notifying");

for (const name of Object.keys(backends) as ChannelKind[]) {
  notifying(`${name}: a message wakes its receiver, room the sender`, () => {
    const slots = 4;
    const common = { heap, offset: heap.allocate(channelBytes(slots)), slots, wakers };
    const sender = backends[name].sender({ ...common, peer: 1, waiter: new ControllableWaiter() });
    const receiver = backends[name].receiver({ ...common, peer: 2, waiter: new ControllableWaiter() });
    // two laps, each full and then empty
    for (let lap = 0; lap < 2; lap++) {
      for (let i = 0; i < slots; i++)
        assert.equal(
          woken(() => assert.ok(sender.trySend(Uint8Array.of(i)))),
          [1],
        );
      assert.not(sender.canSend());
      for (let i = 0; i < slots; i++)
        assert.equal(
          woken(() => receiver.tryReceive(new Uint8Array(1))),
          [2],
        );
      assert.ok(sender.canSend());
    }
  });
}

notifying("ump: of a long ring, the sender is woken as soon as a quarter of it is free", () => {
  const slots = 16;
  const common = { heap, offset: heap.allocate(channelBytes(slots)), slots, wakers };
  const sender = backends.ump.sender({ ...common, peer: 1, waiter: new ControllableWaiter() });
  const receiver = backends.ump.receiver({ ...common, peer: 2, waiter: new ControllableWaiter() });
  while (sender.trySend(Uint8Array.of(1)));
  for (let i = 1; i <= slots; i++)
    assert.equal(
      woken(() => receiver.tryReceive(new Uint8Array(1))),
      i % 4 === 0 ? [2] : [],
    );
});

notifying("a signal wakes its waiter", () => {
  const sender = new SignalSender(heap.allocate(SIGNAL_BYTES), 3, wakers);
  for (let i = 0; i < 3; i++)
    assert.equal(
      woken(() => sender.raise(i)),
      [3],
    );
});

notifying("a step on the address board wakes the one PE that it is for, or all others", () => {
  const board = new AddressBoard(heap.i32, heap.allocate(3 * LINE), 1, [0, 2, 3], wakers);
  const acts: [act: () => void, expected: number[]][] = [
    [() => board.next(1), [0, 3]],
    [() => board.next(1, 2), [3]],
    [() => board.show(1, 0, 0, 0), [0, 3]],
    [() => board.show(1, 0, 0, 0, 0), [0]],
    [() => board.skip(), []],
  ];
  for (const [act, expected] of acts) assert.equal(woken(act), expected);
});

notifying("a buffer wakes its receiver; read, and then given back, it wakes its sender", () => {
  const buffers = { bytes: 256, perLink: 1 } as const;
  const block = heap.allocate(2 * linkBytes(buffers));
  const porter = (pe: number) =>
    new SharedPorter(heap.i32, wakers, new SessionWord(), buffers, {
      out: Float64Array.of(block + pe * linkBytes(buffers)),
      in: Float64Array.of(block + (1 - pe) * linkBytes(buffers)),
      peers: Int32Array.of([2, 1][pe]),
      order: Int32Array.of(0),
    });
  const [a, b] = [porter(0), porter(1)]; // PE 1 and PE 2 of the node
  for (let i = 0; i < 3; i++) {
    assert.equal(
      woken(() => a.send(0, a.open(0), 8, 1, 1)),
      [2],
    );
    assert.ok(b.borrow());
    assert.equal(
      woken(() => b.finish()),
      [1],
    );
    assert.equal(
      woken(() => b.release()),
      [1],
    );
  }
});

notifying("a vote wakes the parent on its way up, the children on its way down", () => {
  const members = [3, 1, 0, 2];
  const tree = { root: 0, children: { 0: [1, 2], 2: [3] } };
  const block = heap.allocate(routesAt(PES));
  const votes = members.map((_, rank) => new TreeVote(heap.i32, wakers, { offset: block, members, rank, tree }));
  for (let round = 0; round < 3; round++) {
    const casts: [rank: number, woken: number[]][] = [
      [0, []], // its children have not cast
      [3, [members[2]]],
      [1, [members[0]]],
      [2, [members[0]]],
    ];
    for (const [rank, expected] of casts)
      assert.equal(
        woken(() => votes[rank].cast(1)),
        expected,
      );
    const polls: [rank: number, woken: number[]][] = [
      [0, [members[1], members[2]].sort()],
      [1, []],
      [2, [members[3]]],
      [3, []],
    ];
    for (const [rank, expected] of polls)
      assert.equal(
        woken(() => assert.is(votes[rank].poll(), 1)),
        expected,
      );
  }
});

notifying("an oversized item that is dropped wakes who has left it", () => {
  const all = heap.allocate(4) / 4;
  const [a, b] = [0, 1].map(() => new HeapOversized(heap, wakers, [3, 1], 10_000, all));
  const ticket = a.leave(1, new Uint8Array(100), 100);
  assert.equal(
    woken(() => b.drop(0, ticket)),
    [3],
  );
});

notifying.run();
