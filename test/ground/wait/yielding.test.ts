/** Yields that take long, by a clock of the test's own: how often they are tried. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ParkingWaiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { Yielding } from "../../../src/ground/wait/yielding.ts";
import { Room } from "./room.ts";

const test = suite("yields that do not pay");

/** What a fast yield takes, ms: so that sums are exact. */
const FAST = 2 ** -10;

/** A core whose yields take `ms`. */
class Core {
  now = 0;
  ms = FAST;
  yields = 0;

  yield(): void {
    this.yields++;
    this.now += this.ms;
  }
}

test("after a slow one there is none for its length, after the next ones for twice as long each, up to 64 times", () => {
  const core = new Core();
  const yielding = new Yielding(
    () => core.yield(),
    () => core.now,
  );
  const tryAll = (count: number) => {
    for (let i = 0; i < count; i++) yielding.yield();
  };
  /** For how many lengths of a slow yield none is tried. */
  const abstinence = () => {
    core.ms = 20;
    for (let i = 0; yielding.pays; i++) {
      // one in eight is timed
      assert.ok(i < 8);
      yielding.yield();
    }
    const since = core.now;
    for (; !yielding.pays; core.now += core.ms) yielding.look(core.now);
    core.ms = FAST;
    return (core.now - since) / 20 - 1;
  };
  tryAll(100);
  assert.equal([1, 2, 4, 8, 16, 32, 64, 64].map(abstinence), [1, 2, 4, 8, 16, 32, 64, 64]);
  // fast ones make it shorter, when they have been fast for a while
  tryAll(1);
  assert.is(abstinence(), 64);
  tryAll(500);
  assert.is(abstinence(), 1);
});

/** Wakers that write down what a wait does; a sleep takes no time. */
class LoggingWakers extends Wakers {
  readonly log: string[] = [];
  readonly core = new Core();
  override readonly yielding: Yielding = new Yielding(
    () => this.yield(),
    () => this.core.now,
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
    this.core.yield();
  }
}

/** What a wait of so many turns does. */
function turnsOf(waiter: ParkingWaiter, wakers: LoggingWakers, turns: number): string {
  wakers.log.length = 0;
  let turn = 0;
  for (let i = 0; i < turns; i++) turn = waiter.pause(turn, -1);
  waiter.done(turn);
  return wakers.log.join(" ");
}

test("a wait whose yields are slow sleeps instead, and so do the next ones", () => {
  const room = new Room(2);
  const wakers = new LoggingWakers(room.heap.i32, room.waitOffset, 2);
  const waiter = new ParkingWaiter(0, wakers, room.termination, {
    looks: 0,
    spins: 2,
    yields: 200,
    sliceMs: 20,
  });
  // so long that the real time of the test is less
  wakers.core.ms = 1e9;
  assert.is(turnsOf(waiter, wakers, 7), "yield announce sleep announce sleep");
  assert.is(turnsOf(waiter, wakers, 4), "announce sleep");
  assert.is(room.asleep(0), false);
});

test.run();
