/** Waits between threads: nobody oversleeps, no wake-up is lost, and who sleeps costs nothing. */
import { setTimeout as delay } from "node:timers/promises";
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { ABORTED, LOST } from "../../../src/ground/wait/layout.ts";
import type { Strategy } from "../../../src/ground/wait/strategy.ts";
import { rounds } from "../../support/long.ts";
import { testUnless } from "../../support/skip.ts";
import { lacking, MODES, Room } from "./room.ts";

/** Longer than any test may take: who sleeps that long was not woken. */
const FOR_EVER = 240_000;
const PARK: Strategy = { looks: 0, spins: 0, yields: 0, sliceMs: FOR_EVER };
/** A wait longer than this on a busy machine of two cores was a wake-up that came by luck. */
const TOO_LONG = 60_000;

const parking: Test = suite("parking");

for (const mode of MODES) {
  const test = (name: string, body: () => Promise<void>) =>
    testUnless(parking, lacking(mode), `${mode}: ${name}`, body);

  const parked = async (room: Room, more: { strategy?: Strategy; timeout?: number } = {}) => {
    const answer = room.start({ rank: 1, peer: 0, mode, strategy: PARK, role: "park", ...more });
    await room.untilAsleep(1);
    await delay(50);
    return { answer, since: performance.now() };
  };

  test("a notification wakes a parked PE", async () => {
    const room = new Room(2, mode);
    const { answer, since } = await parked(room);
    Atomics.store(room.heap.i32, room.word(1), 1);
    room.wakers.notify(1);
    assert.is((await answer).code, undefined);
    assert.ok(performance.now() - since < TOO_LONG);
  });

  test("without a notification it looks again after its slice", async () => {
    const room = new Room(2, mode);
    const { answer } = await parked(room, { strategy: { ...PARK, sliceMs: 20 } });
    Atomics.store(room.heap.i32, room.word(1), 1);
    assert.is((await answer).code, undefined);
  });

  test("a notification without cause does not end the wait", async () => {
    const room = new Room(2, mode);
    const { answer } = await parked(room);
    for (let i = 0; i < 20; i++) {
      room.wakers.notify(1);
      await delay(2);
    }
    const early = await Promise.race([answer, delay(20, "still waiting")]);
    assert.is(early, "still waiting");
    Atomics.store(room.heap.i32, room.word(1), 1);
    room.wakers.notify(1);
    assert.is((await answer).code, undefined);
  });

  test("the end of the world wakes who has parked", async () => {
    const room = new Room(2, mode);
    const { answer, since } = await parked(room);
    room.termination.decide(ABORTED, { rank: -1, message: "enough" });
    room.wakers.notifyAll();
    const { code, message } = await answer;
    assert.equal([code, message], ["ERR_TUNDISH_ABORTED", "enough [ERR_TUNDISH_ABORTED]"]);
    assert.ok(performance.now() - since < TOO_LONG);
  });

  test("the end of the world is seen without a notification, after a slice", async () => {
    const room = new Room(2, mode);
    const { answer } = await parked(room, { strategy: { ...PARK, sliceMs: 20 } });
    room.termination.decide(LOST, { rank: 0, message: "PE 0 was lost" });
    const { code, rank } = await answer;
    assert.equal([code, rank], ["ERR_TUNDISH_RANK_LOST", 0]);
  });

  test("a peer that departs wakes who waits for it", async () => {
    const room = new Room(2, mode);
    const { answer, since } = await parked(room);
    room.wakers.depart(0);
    const { code, rank } = await answer;
    assert.equal([code, rank], ["ERR_TUNDISH_RANK_LOST", 0]);
    assert.ok(performance.now() - since < TOO_LONG);
  });

  test("a timeout ends the sleep, however long the slice", async () => {
    const { answer, since } = await parked(new Room(2, mode), { timeout: 150 });
    assert.is((await answer).code, "ERR_TUNDISH_TIMEOUT");
    assert.ok(performance.now() - since < TOO_LONG);
  });

  test("who has parked uses less than 5 % of a core", async () => {
    const room = new Room(2, mode);
    const { answer } = await parked(room, { strategy: { looks: 0, spins: 20_000, yields: 20, sliceMs: 50 } });
    // the best of five: other threads of this process (the compiler's, the collector's) count as well
    const shares: number[] = [];
    do {
      const [before, started] = [process.cpuUsage(), performance.now()];
      await delay(500);
      const { user, system } = process.cpuUsage(before);
      shares.push((user + system) / 1000 / (performance.now() - started));
    } while (shares.length < 5 && Math.min(...shares) >= 0.05);
    Atomics.store(room.heap.i32, room.word(1), 1);
    room.wakers.notify(1);
    await answer;
    assert.ok(Math.min(...shares) < 0.05, `shares of a core: ${shares.join(", ")}`);
  });

  // strategies that park always, and that park just when the other side notifies
  for (const [what, strategy, turns] of [
    ["every wait parks", PARK, rounds(20_000, 100_000)],
    ["parking and notifying meet", { ...PARK, spins: 60, yields: 1 }, rounds(20_000, 50_000)],
  ] as const) {
    test(`no wake-up is lost in ${turns} rounds of ping-pong, ${what}`, async () => {
      const room = new Room(2, mode);
      const common = { mode, strategy, role: "pingpong", rounds: turns, timeout: TOO_LONG } as const;
      const answers = await Promise.all([
        room.start({ ...common, rank: 0, peer: 1 }),
        room.start({ ...common, rank: 1, peer: 0 }),
      ]);
      for (const { message } of answers) assert.is(message, undefined);
    });
  }

  test("no wake-up is lost when three PEs notify a fourth", async () => {
    const room = new Room(4, mode);
    const common = { mode, strategy: PARK, rounds: rounds(4_000, 16_000), timeout: TOO_LONG } as const;
    const answers = await Promise.all([
      room.start({ ...common, rank: 0, peer: -1, role: "consume" }),
      ...[1, 2, 3].map((rank) => room.start({ ...common, rank, peer: 0, role: "produce" })),
    ]);
    for (const { message } of answers) assert.is(message, undefined);
  });
}

parking.run();
