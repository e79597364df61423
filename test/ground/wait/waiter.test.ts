/** The waiter from one thread: the order of its stages, and everything that ends a wait. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError, TimeoutError, type TundishError } from "../../../src/ground/base/errors.ts";
import { SIGNAL_BYTES } from "../../../src/ground/channel/layout.ts";
import { SignalReceiver, SignalSender } from "../../../src/ground/channel/signal.ts";
import { ABORTED, AWAKE, CLOSED, type LOST, TIMED_OUT, LOST as WAS_LOST } from "../../../src/ground/wait/layout.ts";
import { chooseStrategy, type Strategy } from "../../../src/ground/wait/strategy.ts";
import { block, ParkingWaiter, type Waiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { Yielding } from "../../../src/ground/wait/yielding.ts";
import { ControllableWaiter } from "../../support/controllable-waiter.ts";
import { Room } from "./room.ts";

const AT_ONCE: Strategy = { looks: 0, spins: 0, yields: 0, sliceMs: 20 };

/** Waits as every loop of the package does. */
function waitUntil(waiter: Waiter, ready: () => boolean, peer = -1): void {
  if (ready()) return;
  let turn = 0;
  do turn = waiter.pause(turn, peer);
  while (!ready());
  waiter.done(turn);
}

const never = (): boolean => false;

/** What a wait ends with. */
function failure(waiter: Waiter, ready: () => boolean = never, peer = -1): TundishError & { rank?: number } {
  try {
    waitUntil(waiter, ready, peer);
  } catch (error) {
    return error as TundishError;
  }
  throw new Error("the wait ended well");
}

/** Wakers that write down what is done with them; a sleep takes no time. */
class LoggingWakers extends Wakers {
  readonly log: string[] = [];
  /** No yield is slow, however busy the machine is. */
  override readonly yielding: Yielding = new Yielding(
    () => this.yield(),
    () => 0,
  );
  override announce(pe: number): void {
    this.log.push("announce");
    super.announce(pe);
  }
  override sleep(pe: number): void {
    this.log.push("sleep");
    this.stay(pe);
  }
  override yield(): void {
    this.log.push("yield");
  }
}

const strategy = suite("waiting strategy");
strategy("with a core for each PE it spins first, else it gives the core away soon", () => {
  const roomy = chooseStrategy(true);
  const oversubscribed = chooseStrategy(false);
  assert.ok(roomy.spins > 1000);
  assert.ok(oversubscribed.spins < 1000);
  assert.ok(oversubscribed.yields > 0);
  for (const { sliceMs } of [roomy, oversubscribed]) assert.ok(sliceMs > 0 && sliceMs <= 1000);
});
strategy.run();

const waits = suite("waiter");

waits("spins, then yields, then announces and looks again, and only then sleeps", () => {
  const room = new Room(2);
  const wakers = new LoggingWakers(room.heap.i32, room.waitOffset, 2);
  const waiter = new ParkingWaiter(0, wakers, room.termination, {
    looks: 0,
    spins: 5,
    yields: 3,
    sliceMs: 20,
  });
  const logAtLook: number[] = [];
  waitUntil(waiter, () => {
    logAtLook.push(wakers.log.length);
    return logAtLook.length === 14;
  });
  // the first look, then one after each of: 5 spins, 3 yields, announce, sleep, announce, sleep, announce
  assert.equal(logAtLook, [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const stages = ["yield", "yield", "yield", "announce", "sleep", "announce", "sleep", "announce"];
  assert.equal(wakers.log, stages);
  assert.is(room.asleep(0), false, "the last announcement was taken back");
});

waits("while the code is cold it yields sooner, whatever wait it is", () => {
  const room = new Room(2);
  const wakers = new LoggingWakers(room.heap.i32, room.waitOffset, 2);
  const warm = { looks: 0, spins: 5, yields: 3, sliceMs: 20 };
  const yieldsOf = (waiter: Waiter, turns: number): number => {
    wakers.log.length = 0;
    waitUntil(waiter, () => turns-- === 0);
    return wakers.log.filter((entry) => entry === "yield").length;
  };
  const cold = { spins: 1, yields: 10, ms: 60_000 };
  const waiter = new ParkingWaiter(0, wakers, room.termination, { ...warm, cold });
  assert.equal([yieldsOf(waiter, 8), yieldsOf(waiter, 8)], [7, 7]);
  assert.equal(wakers.log.includes("announce"), false);
  // the time counts from the end of the first wait on, and nothing changes within a wait
  const ms = 20;
  const thawed = new ParkingWaiter(0, wakers, room.termination, { ...warm, cold: { ...cold, ms } });
  const later = (): void => {
    const begun = performance.now();
    while (performance.now() - begun <= ms);
  };
  later();
  assert.is(yieldsOf(thawed, 8), 7);
  later();
  assert.equal([yieldsOf(thawed, 8), yieldsOf(thawed, 8)], [7, 3]);
  assert.is(room.asleep(0), false);
});

waits("a condition that comes true while it looks once more keeps it from sleeping", () => {
  const room = new Room(1);
  const waiter = room.waiter(0, { ...AT_ONCE, sliceMs: 60_000 });
  waiter.timeout = 10_000;
  waitUntil(waiter, () => room.asleep(0));
  assert.is(room.heap.i32[room.wakers.word(0)], AWAKE);
});

waits("ends at its timeout, not before, and says for whom it waited", () => {
  for (const strategy of [AT_ONCE, { looks: 0, spins: 100, yields: 10, sliceMs: 10_000 }]) {
    const waiter = new Room(4).waiter(2, strategy);
    waiter.timeout = 80;
    const started = performance.now();
    const error = failure(waiter, never, 3);
    const took = performance.now() - started;
    assert.instance(error, TimeoutError);
    const told = /PE 2 waited for PE 3 for (\d+) ms.*waitTimeout/.exec(error.message)?.[1];
    assert.ok(Number(told) >= 80 && Number(told) <= Math.ceil(took), error.message);
    assert.ok(took >= 79 && took < 30_000, `${took} ms`);
  }
});

waits("each wait has the whole time, after a good end and after a bad one", () => {
  const waiter = new Room(1).waiter(0, AT_ONCE);
  waiter.timeout = 100;
  for (const end of ["good", "bad", "good", "bad"]) {
    const started = performance.now();
    try {
      waitUntil(waiter, () => end === "good" && performance.now() - started > 60);
      assert.is(end, "good");
    } catch (error) {
      // on a busy machine the good end may come too late as well
      assert.is((error as TundishError).code, "ERR_TUNDISH_TIMEOUT", `${error}`);
      assert.ok(performance.now() - started >= 99);
    }
  }
});

waits("a condition that is true needs no waiter, whatever has happened", () => {
  const room = new Room(1);
  room.termination.decide(CLOSED, { rank: -1, message: "closed" });
  waitUntil(room.waiter(0, AT_ONCE), () => true);
});

for (const [ending, code] of [
  [WAS_LOST, "ERR_TUNDISH_RANK_LOST"],
  [TIMED_OUT, "ERR_TUNDISH_TIMEOUT"],
  [ABORTED, "ERR_TUNDISH_ABORTED"],
  [CLOSED, "ERR_TUNDISH_WORLD_CLOSED"],
] as const) {
  waits(`the end of the world ends every wait: ${code}`, () => {
    const room = new Room(1);
    const waiter = room.waiter(0, { looks: 0, spins: 10, yields: 2, sliceMs: 60_000 });
    room.termination.decide(ending as typeof LOST, { rank: 0, message: "over" });
    for (let i = 0; i < 3; i++) assert.is(failure(waiter).code, code);
    assert.is(room.asleep(0), false);
  });
}

waits("the end of the world between announcement and sleep keeps it from sleeping", () => {
  const room = new Room(1);
  const waiter = room.waiter(0, { ...AT_ONCE, sliceMs: 60_000 });
  waiter.timeout = 10_000;
  const error = failure(waiter, () => {
    if (room.asleep(0)) room.termination.decide(CLOSED, { rank: -1, message: "closed" });
    return false;
  });
  assert.is(error.code, "ERR_TUNDISH_WORLD_CLOSED");
});

waits("a peer that has departed ends the wait for it, and no other", () => {
  const room = new Room(3);
  const waiter = room.waiter(0, AT_ONCE);
  waiter.timeout = 100;
  room.wakers.depart(2);
  const error = failure(waiter, never, 2);
  assert.instance(error, RankLostError);
  assert.is(error.rank, 2);
  assert.match(error.message, /PE 2 has returned from its main/);
  for (const peer of [1, -1]) assert.is(failure(waiter, never, peer).code, "ERR_TUNDISH_TIMEOUT");
});

waits("what a peer did before it departed is seen", () => {
  const room = new Room(2);
  room.wakers.depart(1);
  let looks = 0;
  // not there at the first look, there at the one after the departure was noticed
  waitUntil(room.waiter(0, AT_ONCE), () => ++looks === 2, 1);
  assert.is(looks, 2);
});

waits("the controllable waiter keeps to the same protocol", () => {
  const room = new Room(2);
  const offset = room.heap.allocate(SIGNAL_BYTES);
  for (const waiter of [new ControllableWaiter(), room.waiter(0, AT_ONCE)]) {
    const at = room.heap.allocate(SIGNAL_BYTES);
    const receiver = new SignalReceiver(room.heap, at, 1);
    new SignalSender(at, 0, room.wakers).raise(0);
    block(waiter, receiver);
  }
  const waiter = new ControllableWaiter();
  const sender = new SignalSender(offset, 0, room.wakers);
  waiter.onPause = (turn, peer) => {
    assert.is(peer, 1);
    if (turn === 2) sender.raise(0);
  };
  block(waiter, new SignalReceiver(room.heap, offset, 1));
  assert.equal([waiter.pauses, waiter.finished], [3, 1]);
});

waits.run();
