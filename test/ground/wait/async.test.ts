/** Waits of event loops: when a sleeping PE looks again though nobody wakes it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AsyncLimits, AsyncWaiter } from "../../../src/ground/wait/async.ts";
import { Room } from "./room.ts";

const test = suite("waits of event loops");

const watcher: AsyncLimits["watcher"] = { call: "", where: "", absent: () => "", verify: () => {} };
const LIMITS: AsyncLimits = { deadline: Number.POSITIVE_INFINITY, signal: undefined, watcher };
/** What a waiter sleeps for when nothing is said, ms, is above it; what is asked for here is far below. */
const SHORT = 12;

/** Whether a condition that becomes true by time alone was seen within {@link SHORT}. @param begin sets what should end the sleep */
async function isSoon(begin: (waiter: AsyncWaiter) => void, pollMs?: number): Promise<boolean> {
  const room = new Room(1);
  const waiter = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination);
  // the sleep begins after some turns of the event loop
  const at = waiter.now() + 4;
  begin(waiter);
  const ready = () => waiter.now() >= at;
  await waiter.until({ peer: -1, ready, spin: ready, pollMs }, LIMITS);
  return waiter.now() < at + SHORT;
}

/** On a busy machine some are late; where the sleep does not end early all are. */
async function anySoon(...wait: Parameters<typeof isSoon>): Promise<boolean> {
  for (let i = 0; i < 20; i++) if (await isSoon(...wait)) return true;
  return false;
}

test("a sleep ends at an alarm, at the first of several", async () => {
  assert.ok(await anySoon((waiter) => waiter.alarm(waiter.now() + 5)));
  assert.ok(
    await anySoon((waiter) => {
      waiter.alarm(waiter.now() + 500);
      waiter.alarm(waiter.now() + 5);
      waiter.alarm(waiter.now() + 1000);
    }),
  );
});

test("a sleep is no longer than the condition says", async () => {
  assert.ok(await anySoon(() => {}, 1));
});

test("a wait that is to look more often than a sleep is long sleeps nevertheless", async () => {
  const room = new Room(1);
  const waiter = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination);
  const began = waiter.now();
  let looks = 0;
  const ready = () => {
    // as it first looks between turns of the event loop
    if (waiter.now() - began > 20) looks++;
    return waiter.now() - began >= 80;
  };
  await waiter.until({ peer: -1, ready, spin: ready, pollMs: 0.1 }, LIMITS);
  // two looks or three at each sleep, of 1 ms at least; timers may fire a little early
  assert.ok(looks > 0 && looks <= 3 * 60 * 1.5, `${looks} looks in 60 ms`);
});

test("with more PEs than cores it sleeps soon", async () => {
  const looksOf = async (spins: boolean) => {
    const room = new Room(1);
    const waiter = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination, spins);
    let looks = 0;
    const ready = () => {
      looks++;
      return room.asleep(0);
    };
    await waiter.until({ peer: -1, ready, spin: () => false }, LIMITS);
    return looks;
  };
  const [few, many] = [await looksOf(false), await looksOf(true)];
  assert.ok(few <= 8 && many >= 50, `${few} looks, with a core for each PE ${many}`);
});

/** Looks of a wait that is to look often, until the PE sleeps, and its yields. @param slow ms that each yield takes */
async function untilAsleep(spins: boolean, slow = 0): Promise<{ readonly looks: number; readonly yields: number }> {
  const room = new Room(1);
  let [looks, yields] = [0, 0];
  room.wakers.yield = () => {
    yields++;
    for (const end = performance.now() + slow; performance.now() < end; );
  };
  const waiter = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination, spins);
  const ready = () => {
    looks++;
    return room.asleep(0);
  };
  await waiter.until({ peer: -1, ready, spin: () => false, pollMs: 0.1 }, LIMITS);
  return { looks, yields };
}

test("with more PEs than cores it yields the core before it looks again, and sleeps if that takes long", async () => {
  assert.ok((await untilAsleep(false)).yields > 0);
  assert.is((await untilAsleep(true)).yields, 0);
  const { looks, yields } = await untilAsleep(false, 1);
  assert.ok(looks <= 8 && yields <= 2, `${looks} looks, ${yields} yields`);
});

/** A condition that is true at the second look: one that waits are expected to see without a turn of the event loop. */
function soon() {
  let looks = 0;
  const ready = () => looks++ > 0;
  return { peer: -1, ready, spin: ready };
}

/** Turns of the event loop that short waits take within so many ms, and their number. */
async function turnsOf(waiter: AsyncWaiter, ms: number): Promise<{ turns: number; waits: number }> {
  let turns = 0;
  let waits = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  for (const end = waiter.now() + ms; waiter.now() < end; waits++) await waiter.until(soon(), LIMITS);
  isOver = true;
  return { turns, waits };
}

test("short waits spin where there is a core for each PE, and the event loop gets turns nevertheless", async () => {
  const room = new Room(1);
  const spinning = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination, true);
  await spinning.until(soon(), LIMITS);
  const { turns, waits } = await turnsOf(spinning, 100);
  assert.ok(waits > 20 * turns, `${waits} waits, ${turns} turns`);
  assert.ok(turns >= 3, `${turns} turns in 100 ms`);
  const turning = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination);
  const others = await turnsOf(turning, 50);
  assert.ok(others.waits <= 2 * others.turns, `${others.waits} waits, ${others.turns} turns`);
});

test("a wait that spins ends with the termination, its deadline and its signal", async () => {
  const room = new Room(1);
  const waiter = new AsyncWaiter(0, room.heap.i32, room.wakers, room.termination, true);
  await waiter.until(soon(), LIMITS);
  const never = { peer: -1, ready: () => false, spin: () => false };
  const late = waiter.until(never, { ...LIMITS, deadline: waiter.now() + 5 });
  await late.then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, "ERR_TUNDISH_TIMEOUT"),
  );
  await waiter.until(never, { ...LIMITS, signal: AbortSignal.abort("enough") }).then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, "ERR_TUNDISH_ABORTED"),
  );
});

test.run();
