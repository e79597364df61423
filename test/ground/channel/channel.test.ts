/** Channels between real threads: order, completeness, bounds, wrap-around, dead peers, all back ends. */
import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelKind } from "../../../src/ground/base/channel-kinds.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import { backends } from "../../../src/ground/channel/backends.ts";
import { BlockReceiver, BlockSender, blockChannelBytes } from "../../../src/ground/channel/blocks.ts";
import type { EndOptions } from "../../../src/ground/channel/end.ts";
import { channelBytes, SEQUENCE_MASK, SIGNAL_BYTES } from "../../../src/ground/channel/layout.ts";
import { SignalReceiver, SignalSender } from "../../../src/ground/channel/signal.ts";
import type { Heap } from "../../../src/ground/memory/heap.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { LOST, waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { ControllableWaiter } from "../../support/controllable-waiter.ts";
import { rounds } from "../../support/long.ts";
import type { Job } from "./channel.worker.ts";

const BLOCK = 4096;
const names: (ChannelKind | "blocks")[] = ["ump", "fastforward", "blocks"];

interface Answer {
  problem: string | null;
  code?: string;
  rank?: number;
}

/** A heap with a wait area; `pair` runs jobs on it, one thread each, as a launcher would. */
class Bench {
  readonly heap: Heap = newHeap(16 * 1024 * 1024);
  readonly waitOffset: number;
  readonly wakers: Wakers;
  readonly termination: Termination;

  readonly pes: number;

  constructor(pes: number) {
    this.pes = pes;
    this.waitOffset = this.heap.allocate(waitAreaBytes(pes));
    this.wakers = new Wakers(this.heap.i32, this.waitOffset, pes);
    this.termination = new Termination(this.heap.i32, this.heap.u8, this.waitOffset);
  }

  channel(backend: ChannelKind | "blocks", slots: number): number {
    return this.heap.allocate(backend === "blocks" ? blockChannelBytes(slots, BLOCK) : channelBytes(slots));
  }

  start(job: Omit<Job, "memory" | "waitOffset" | "pes">): Promise<Answer> {
    const worker: Worker = spawnThread({
      entry: sibling("./channel.worker.js", import.meta.url),
      workerData: { memory: this.heap.memory, waitOffset: this.waitOffset, pes: this.pes, ...job },
      name: `PE ${job.rank}`,
    });
    const lost = (cause?: unknown) => {
      this.termination.decide(LOST, { rank: job.rank, message: `PE ${job.rank} was lost`, cause });
      this.wakers.notifyAll();
    };
    return new Promise((resolve) => {
      let answer: Answer = { problem: "no answer" };
      worker.on("message", (message: Answer) => {
        answer = message;
      });
      worker.on("error", lost);
      worker.on("exit", () => {
        if (answer.problem === "no answer") lost();
        resolve(answer);
      });
    });
  }

  pair(
    backend: ChannelKind | "blocks",
    slots: number,
    sender: number,
    receiver: number,
    messages: number,
    more: Partial<Job> = {},
  ): Promise<Answer[]> {
    const offset = this.channel(backend, slots);
    const common = { offset, slots, backend, messages, ...more };
    return Promise.all([
      this.start({ ...common, rank: sender, peer: receiver, role: "send" }),
      this.start({ ...common, rank: receiver, peer: sender, role: "receive" }),
    ]);
  }
}

const threads = suite("channels between threads");
for (const name of names) {
  const messages = rounds(40_000, 1_000_000);
  threads(`${name}: ${messages} messages in order and complete, 2 PEs`, async () => {
    const answers = await new Bench(2).pair(name, name === "blocks" ? 4 : 64, 0, 1, messages);
    assert.equal(answers, [{ problem: null }, { problem: null }]);
  });

  threads(`${name}: ${messages} messages on each of two channels, 4 PEs on the cores there are`, async () => {
    const bench = new Bench(4);
    const slots = name === "blocks" ? 4 : 64;
    const answers = await Promise.all([
      bench.pair(name, slots, 0, 1, messages),
      bench.pair(name, slots, 2, 3, messages),
    ]);
    assert.equal(answers.flat(), Array(4).fill({ problem: null }));
  });

  threads(`${name}: a slow receiver holds the sender back, nothing is lost`, async () => {
    const answers = await new Bench(2).pair(name, 2, 0, 1, 20_000, { slowEvery: 200 });
    assert.equal(answers, [{ problem: null }, { problem: null }]);
  });

  threads(`${name}: the sequence number wraps around`, async () => {
    const slots = 8;
    const firstSequence = SEQUENCE_MASK + 1 - 16 * slots;
    const answers = await new Bench(2).pair(name, slots, 0, 1, 10_000, { firstSequence });
    assert.equal(answers, [{ problem: null }, { problem: null }]);
  });

  for (const role of ["die", "exit"] as const) {
    threads(`${name}: a peer that ${role}s ends the other's wait with an error that names it`, async () => {
      const bench = new Bench(2);
      const offset = bench.channel(name, 4);
      const common = { offset, slots: 4, backend: name, messages: 1000, timeout: 20_000 };
      const [receiver] = await Promise.all([
        bench.start({ ...common, rank: 0, peer: 1, role: "receive" }),
        bench.start({ ...common, rank: 1, peer: 0, role }),
      ]);
      assert.is(receiver.code, "ERR_TUNDISH_RANK_LOST");
      assert.is(receiver.rank, 1);
    });
    threads(`${name}: a receiver that ${role}s ends the sender's wait for room`, async () => {
      const bench = new Bench(2);
      const offset = bench.channel(name, 4);
      const common = { offset, slots: 4, backend: name, messages: 1000, timeout: 20_000 };
      const [sender] = await Promise.all([
        bench.start({ ...common, rank: 0, peer: 1, role: "send" }),
        bench.start({ ...common, rank: 1, peer: 0, role }),
      ]);
      assert.is(sender.code, "ERR_TUNDISH_RANK_LOST");
      assert.is(sender.rank, 1);
    });
  }

  threads(`${name}: a peer that never sends: the wait ends at its timeout`, async () => {
    const bench = new Bench(2);
    const offset = bench.channel(name, 4);
    const common = { offset, slots: 4, backend: name, messages: 10, timeout: 200 };
    const answer = await bench.start({ ...common, rank: 0, peer: 1, role: "receive" });
    assert.is(answer.code, "ERR_TUNDISH_TIMEOUT");
  });
}
threads.run();

/** Both ends in this thread, with a waiter that must not be needed. */
function ends(slots: number): { options: EndOptions; waiter: ControllableWaiter } {
  const heap = newHeap(1 << 20);
  const wakers = new Wakers(heap.i32, heap.allocate(waitAreaBytes(1)), 1);
  const waiter = new ControllableWaiter();
  return {
    waiter,
    options: { heap, offset: heap.allocate(channelBytes(slots)), slots, peer: 0, waiter, wakers },
  };
}

const one = suite("channel ends");
for (const name of Object.keys(backends) as ChannelKind[]) {
  one(`${name}: bounded, try forms and queries agree`, () => {
    const { options } = ends(8);
    const sender = backends[name].sender(options);
    const receiver = backends[name].receiver(options);
    const bytes = new Uint8Array(56);
    assert.is(receiver.canReceive(), false);
    assert.is(receiver.tryReceive(bytes), -1);
    for (let i = 0; i < 8; i++) {
      assert.is(sender.canSend(), true);
      assert.is(sender.trySend(Uint8Array.of(i, i + 1)), true);
    }
    assert.is(sender.canSend(), false);
    assert.is(sender.tryClaim(), -1);
    assert.is(sender.trySend(Uint8Array.of(9)), false);
    for (let i = 0; i < 8; i++) {
      assert.is(receiver.canReceive(), true);
      assert.is(receiver.tryReceive(bytes), 2);
      assert.equal([...bytes.subarray(0, 2)], [i, i + 1]);
    }
    assert.is(receiver.canReceive(), false);
    assert.is(sender.canSend(), true);
  });

  one(`${name}: messages of every length from 0 to the capacity`, () => {
    const { options } = ends(4);
    const sender = backends[name].sender(options);
    const receiver = backends[name].receiver(options);
    for (let length = 0; length <= sender.capacity; length++) {
      const message = Uint8Array.from({ length }, (_, i) => i ^ length);
      sender.send(message);
      const into = new Uint8Array(length);
      assert.is(receiver.receive(into), length);
      assert.equal(into, message);
    }
  });

  one(`${name}: a message too long, or an array too short, is refused and nothing moves`, () => {
    const { options } = ends(4);
    const sender = backends[name].sender(options);
    const receiver = backends[name].receiver(options);
    assert.throws(
      () => sender.send(new Uint8Array(57)),
      (e: unknown) => e instanceof UsageError && /56 bytes, got 57/.test(e.message),
    );
    assert.throws(
      () => sender.trySend(new Uint8Array(57)),
      (e: unknown) => e instanceof UsageError,
    );
    assert.is(receiver.canReceive(), false);
    sender.send(Uint8Array.of(1, 2, 3));
    assert.throws(
      () => receiver.receive(new Uint8Array(2)),
      (e: unknown) => e instanceof UsageError && /has 3 bytes/.test(e.message),
    );
    const into = new Uint8Array(3);
    assert.is(receiver.receive(into), 3);
    assert.equal([...into], [1, 2, 3]);
  });

  one(`${name}: blocking forms wait turn by turn and pass on what ends the wait`, () => {
    const { options, waiter } = ends(2);
    const sender = backends[name].sender(options);
    const receiver = backends[name].receiver(options);
    waiter.onPause = (turn) => {
      if (turn === 3) sender.trySend(Uint8Array.of(42));
    };
    const into = new Uint8Array(1);
    assert.is(receiver.receive(into), 1);
    assert.is(into[0], 42);
    assert.is(waiter.pauses, 4);
    waiter.onPause = () => {
      throw new Error("enough");
    };
    assert.throws(() => receiver.wait(), /enough/);
    sender.send(Uint8Array.of(1));
    sender.send(Uint8Array.of(2));
    assert.throws(() => sender.claim(), /enough/);
    assert.is(receiver.receive(into), 1);
    assert.is(into[0], 1);
  });
}

one("bad geometry is refused", () => {
  const { options } = ends(4);
  for (const bad of [{ slots: 3 }, { slots: 1 }, { slots: 0 }, { offset: 64 }, { firstSequence: 4 }]) {
    for (const name of Object.keys(backends) as ChannelKind[]) {
      assert.throws(
        () => backends[name].sender({ ...options, ...bad }),
        (e: unknown) => e instanceof UsageError,
      );
      assert.throws(
        () => backends[name].receiver({ ...options, ...bad }),
        (e: unknown) => e instanceof UsageError,
      );
    }
  }
  for (const blockBytes of [0, 100, -128, 2 ** 31]) {
    assert.throws(
      () => new BlockSender({ ...options, blockBytes }),
      (e: unknown) => e instanceof UsageError,
    );
    assert.throws(
      () => new BlockReceiver({ ...options, blockBytes }),
      (e: unknown) => e instanceof UsageError,
    );
  }
});

one("a block longer than a block is refused", () => {
  const { options } = ends(4);
  const offset = options.heap.allocate(blockChannelBytes(2, 128));
  const sender = new BlockSender({ ...options, offset, slots: 2, blockBytes: 128 });
  sender.claim();
  assert.throws(
    () => sender.publish(129),
    (e: unknown) => e instanceof UsageError && /0 to 128 bytes/.test(e.message),
  );
});

one("a signal lets as many waits pass as it was raised, each with its tag", () => {
  const { options } = ends(2);
  const offset = options.heap.allocate(SIGNAL_BYTES);
  const sender = new SignalSender(offset, 0, options.wakers);
  const receiver = new SignalReceiver(options.heap, offset, 0);
  assert.is(receiver.ready(), false);
  sender.raise(5);
  assert.is(receiver.ready(), true);
  assert.is(receiver.pass(5), true);
  assert.is(receiver.ready(), false);
  sender.raise(6);
  assert.is(receiver.ready(), true);
  assert.is(receiver.pass(7), false, "another tag");
  sender.raise(8);
  sender.raise(9);
  assert.is(receiver.ready(), true);
  assert.is(receiver.pass(8), true, "9 has come already");
  assert.is(receiver.ready(), true);
  assert.is(receiver.pass(9), true);
  assert.is(receiver.ready(), false);
  // beyond the wrap of the count, with tags of more bits than a signal carries
  for (let i = 0; i < 1000; i++) {
    sender.raise(Math.imul(i, 0x9e3779b1));
    assert.ok(receiver.ready());
    assert.is(receiver.pass(Math.imul(i, 0x9e3779b1) ^ (i % 7 === 0 ? 1 << (i % 24) : 0)), i % 7 !== 0);
    assert.not(receiver.ready());
    if (i % 3 > 0) continue;
    sender.raise(i);
    sender.raise(-i);
    assert.ok(receiver.ready());
    assert.ok(receiver.pass(12345), "gone");
    assert.ok(receiver.ready());
    assert.is(receiver.pass(-i), true);
    assert.not(receiver.ready());
  }
});
one.run();
