/** Yields that take long, by a clock of the test's own: how often they are tried. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ParkingWaiter } from "../../src/wait/waiter.ts";
import { Wakers } from "../../src/wait/wakers.ts";
import { Yielding } from "../../src/wait/yielding.ts";
import { Room } from "./room.ts";

const test = suite("yields that do not pay");

/** A core whose yields take `ms`. */
class Core {
  now = 0;
  ms = 0.001;
  yields = 0;

  yield(): void {
    this.yields++;
    this.now += this.ms;
  }
}

test("after a slow one there is none for fifty times its length, and then one at a time until they are fast", () => {
  const core = new Core();
  const yielding = new Yielding(
    () => core.yield(),
    () => core.now,
  );
  for (let i = 0; i < 100; i++) yielding.yield();
  assert.ok(yielding.pays);
  core.ms = 20;
  while (yielding.pays) yielding.yield();
  // one in eight is timed
  assert.ok(core.yields > 100 && core.yields <= 108, `${core.yields}`);
  const since = core.now;
  const isBack = (ms: number) => {
    core.now = since + ms;
    yielding.look(core.now);
    return yielding.pays;
  };
  assert.equal([isBack(500), isBack(999), isBack(1000)], [false, false, true]);
  yielding.yield();
  assert.is(yielding.pays, false);
  core.now += 1000;
  yielding.look(core.now);
  core.ms = 0.001;
  yielding.yield();
  core.ms = 20;
  // the second one is timed as well
  yielding.yield();
  yielding.yield();
  assert.is(yielding.pays, false);
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
