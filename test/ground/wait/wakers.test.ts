/** Wakers from one thread: what they promise, by both ways of sleeping. */
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import {
  ASLEEP_IN_ATOMICS,
  ASLEEP_IN_FUTEX,
  AWAKE,
  FENCES,
  NOTIFIERS_FENCE,
  SLEEPERS_FENCE,
} from "../../../src/ground/wait/layout.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { testUnless } from "../../support/skip.ts";
import { lacking, MODES, type Mode, Room } from "./room.ts";

const wakers: Test = suite("wakers");

/** Runs the body and gives the time it took, ms. */
function timed(body: () => void): number {
  const started = performance.now();
  body();
  return performance.now() - started;
}

const ASLEEP: Record<Mode, number> = { futex: ASLEEP_IN_FUTEX, atomics: ASLEEP_IN_ATOMICS };

for (const mode of MODES) {
  const test = (name: string, body: () => void) => testUnless(wakers, lacking(mode), `${mode}: ${name}`, body);

  test("notifying a PE that is awake changes nothing", () => {
    const { wakers, heap } = new Room(2, mode);
    wakers.notify(1);
    assert.is(heap.i32[wakers.word(1)], AWAKE);
  });

  test("a notification after the announcement ends the sleep at once", () => {
    const { wakers, heap } = new Room(2, mode);
    wakers.announce(1);
    assert.is(heap.i32[wakers.word(1)], ASLEEP[mode]);
    wakers.notify(1);
    assert.is(heap.i32[wakers.word(1)], AWAKE);
    assert.ok(timed(() => wakers.sleep(1, 60_000)) < 30_000);
  });

  test("a sleep that nobody ends lasts its time, and the PE is awake after it", () => {
    const { wakers, heap } = new Room(1, mode);
    wakers.announce(0);
    const took = timed(() => wakers.sleep(0, 60));
    assert.ok(took > 50 && took < 30_000, `${took} ms`);
    assert.is(heap.i32[wakers.word(0)], AWAKE);
  });

  test("an announcement can be taken back", () => {
    const { wakers, heap } = new Room(1, mode);
    wakers.announce(0);
    wakers.stay(0);
    assert.is(heap.i32[wakers.word(0)], AWAKE);
  });

  test("wakers are separate: notifying one leaves the others asleep, notifyAll leaves none", () => {
    const { wakers, heap } = new Room(3, mode);
    for (let pe = 0; pe < 3; pe++) wakers.announce(pe);
    wakers.notify(1);
    const state = () => [0, 1, 2].map((pe) => heap.i32[wakers.word(pe)] !== AWAKE);
    assert.equal(state(), [true, false, true]);
    wakers.notifyAll();
    assert.equal(state(), [false, false, false]);
  });

  test("who departs is known to be gone, and wakes the others", () => {
    const { wakers, heap } = new Room(2, mode);
    wakers.announce(1);
    assert.is(wakers.departed(0), false);
    wakers.depart(0);
    assert.is(wakers.departed(0), true);
    assert.is(wakers.departed(1), false);
    assert.is(heap.i32[wakers.word(1)], AWAKE);
  });
}

/** A room of two whose sleeper has a membarrier, as given, and what it has noted. */
function withBarrier(works: boolean): {
  room: Room;
  wakers: Wakers;
  issued: () => number;
  fences: () => number;
} {
  const room = new Room(2);
  let issued = 0;
  const barrier = {
    register: () => true,
    issue: () => {
      issued++;
      return works;
    },
  };
  const { i32 } = room.heap;
  const wakers = new Wakers(i32, room.waitOffset, 2, null, barrier);
  return { room, wakers, issued: () => issued, fences: () => i32[room.waitOffset / 4 + FENCES] };
}

wakers("sleepers make the others fence only where it is left to them", () => {
  const { wakers, issued, fences } = withBarrier(true);
  wakers.announce(0);
  assert.is(issued(), 0);
  wakers.leaveFencesToSleepers();
  const isOrdered = ["x64", "ia32"].includes(process.arch) && process.env.TUNDISH_ORDERED_STORES !== "off";
  assert.is(fences(), isOrdered ? SLEEPERS_FENCE : NOTIFIERS_FENCE);
  wakers.announce(0);
  assert.is(issued(), isOrdered ? 1 : 0);
  assert.is(fences(), isOrdered ? SLEEPERS_FENCE : NOTIFIERS_FENCE);
});

wakers("a sleeper that cannot make the others fence has them fence themselves from then on", () => {
  const { room, wakers, fences } = withBarrier(false);
  wakers.leaveFencesToSleepers();
  wakers.announce(0);
  assert.is(fences(), NOTIFIERS_FENCE);
  const without = new Wakers(room.heap.i32, room.waitOffset, 2, null, null);
  wakers.leaveFencesToSleepers();
  without.announce(1);
  assert.is(fences(), NOTIFIERS_FENCE);
  wakers.notify(1);
  assert.is(room.heap.i32[wakers.word(1)], AWAKE);
});

/** The words of the heap that a publish has stored to atomically, with the setting as given. */
function atomicStores(ordered: string): { atomic: number[]; found: number } {
  const before = process.env.TUNDISH_ORDERED_STORES;
  const { store } = Atomics;
  const atomic: number[] = [];
  try {
    process.env.TUNDISH_ORDERED_STORES = ordered;
    const room = new Room(2);
    const word = room.word(1);
    Object.assign(Atomics, {
      store(array: Int32Array, index: number, value: number) {
        if (array === room.heap.i32) atomic.push(index - word);
        return store(array, index, value);
      },
    });
    room.wakers.post(word, 7, room.wakers.word(1));
    return { atomic, found: room.heap.i32[word] };
  } finally {
    Object.assign(Atomics, { store });
    if (before === undefined) delete process.env.TUNDISH_ORDERED_STORES;
    else process.env.TUNDISH_ORDERED_STORES = before;
  }
}

wakers("the word itself is stored atomically where stores may be reordered, or by the setting", () => {
  assert.equal(atomicStores("off"), { atomic: [0], found: 7 });
  const reorders = !["x64", "ia32"].includes(process.arch);
  assert.equal(atomicStores("on"), { atomic: reorders ? [0] : [], found: 7 });
  assert.throws(
    () => atomicStores("0"),
    (e: unknown) => e instanceof UsageError && /TUNDISH_ORDERED_STORES: expected on or off, got "0"/.test(e.message),
  );
});

wakers.run();
