/** The mutex under locks: every interleaving of small cases, and whom it is given to. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AWAITED, slotWord, syncBytes } from "../../../src/facilities/shared/sync/layout.ts";
import { Mutex, NOBODY } from "../../../src/facilities/shared/sync/mutex.ts";
import { successionOf } from "../../../src/facilities/shared/sync/succession.ts";
import { Crowd, everyInterleaving, type Script, steps } from "../../support/interleaved.ts";
import { rounds } from "../../support/long.ts";

const test = suite("mutex");
// all accesses are atomic operations, at which PEs are interrupted
process.env.TUNDISH_ORDERED_STORES = "off";
test.after(() => {
  delete process.env.TUNDISH_ORDERED_STORES;
});
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Mutexes of all PEs over the same memory. */
function made(pes: number, { repairs = false, domains = [] as readonly number[] } = {}) {
  const crowd = new Crowd(pes, domains);
  const { at } = crowd;
  assert.ok(syncBytes(pes) <= 4096);
  return { crowd, at, mutexes: crowd.seats.map((seat) => new Mutex(seat, at, "lock", repairs)) };
}

const CASES: readonly (readonly [pes: number, turns: number, preemptions: number, isShort: boolean])[] = [
  [2, 2, rounds(3, 4), false],
  [3, 1, rounds(2, 3), false],
  [3, 2, 2, false],
  // others come at the moment that it is given back
  [2, 3, rounds(4, 5), true],
  [3, 2, rounds(2, 3), true],
];
for (const [pes, turns, preemptions, isShort] of CASES) {
  const how = isShort ? "for a moment" : "";
  test(`${pes} PEs lock ${turns} times ${how}, every interleaving with ${preemptions} interruptions`, () => {
    const count = everyInterleaving(preemptions, (choices) => {
      const { crowd, mutexes } = made(pes);
      let holder = -1;
      let taken = 0;
      function* script(pe: number): Script {
        const mutex = mutexes[pe] as Mutex;
        for (let turn = 0; turn < turns; turn++) {
          if (!mutex.takeAtOnce()) assert.is(yield* steps(mutex.taking("lock")), NOBODY);
          assert.is(holder, -1, `PE ${pe} has it beside PE ${holder}`);
          holder = pe;
          taken++;
          if (!isShort) yield;
          assert.is(holder, pe);
          holder = -1;
          if (!mutex.giveAtOnce()) mutex.give("unlock");
          if (!isShort) yield;
        }
      }
      const options = crowd.play(range(pes).map(script), choices);
      assert.is(taken, pes * turns);
      // nobody waits: it is free, and after one more turn can be taken at once again
      const [mutex] = mutexes as [Mutex];
      assert.ok(mutex.takeFree());
      if (!mutex.giveAtOnce()) mutex.give("unlock");
      assert.ok(mutex.takeAtOnce());
      return options;
    });
    console.log(`${count} interleavings`);
    assert.ok(count > 200, `${count}`);
  });
}

test("a wait that ends early, at every point: the lock is never lost", () => {
  const count = everyInterleaving(rounds(2, 3), (choices) => {
    const { crowd, mutexes } = made(3);
    let holder = -1;
    const hold = function* (pe: number): Script {
      const mutex = mutexes[pe] as Mutex;
      assert.is(holder, -1);
      holder = pe;
      yield;
      holder = -1;
      if (!mutex.giveAtOnce()) mutex.give("unlock");
    };
    function* patient(pe: number): Script {
      const mutex = mutexes[pe] as Mutex;
      if (!mutex.takeAtOnce()) yield* steps(mutex.taking("lock"));
      yield* hold(pe);
    }
    function* hasty(pe: number): Script {
      const mutex = mutexes[pe] as Mutex;
      if (mutex.takeAtOnce()) {
        yield* hold(pe);
        return;
      }
      const task = mutex.taking("lock");
      assert.is(task.next().done, false);
      yield;
      assert.throws(() => task.throw(new RangeError("over")), /over/);
    }
    return crowd.play([patient(0), hasty(1), patient(2)], choices);
  });
  console.log(`${count} interleavings`);
});

for (const repairs of [false, true]) {
  test(`its owner is gone, at every point: ${repairs ? "one PE takes it, once" : "all others learn of it"}`, () => {
    const count = everyInterleaving(2, (choices) => {
      const { crowd, at, mutexes } = made(3, { repairs });
      const found: number[] = [];
      function* doomed(): Script {
        const mutex = mutexes[0] as Mutex;
        if (!mutex.takeAtOnce()) yield* steps(mutex.taking("lock"));
        yield;
        crowd.gone.add(0);
        // a loss wakes all that wait
        for (const one of [1, 2]) crowd.seats[0]?.posted(one, at / 4 + slotWord(one) + AWAITED);
        yield;
      }
      function* other(pe: number): Script {
        const mutex = mutexes[pe] as Mutex;
        yield;
        try {
          const gone = mutex.takeAtOnce() ? NOBODY : yield* steps(mutex.taking("lock"));
          if (gone !== NOBODY) found.push(pe);
          yield;
          if (!mutex.giveAtOnce()) mutex.give("unlock");
        } catch (error) {
          assert.match((error as Error).message, /PE 0 has returned from its main and held the lock/);
          found.push(pe);
        }
      }
      const options = crowd.play([doomed(), other(1), other(2)], choices);
      assert.ok(repairs ? found.length === 1 : found.length <= 2, String(found));
      return options;
    });
    console.log(`${count} interleavings`);
  });
}

test("the nearest comes next, in turn; another domain when one has had its share", () => {
  const { crowd } = made(6, { domains: [0, 1, 0, 1, 0, 1] });
  const order = (pe: number) => {
    const { near, far } = successionOf(crowd.seats[pe] as never);
    return [[...near], [...far]];
  };
  assert.equal(order(0), [
    [2, 4],
    [1, 3, 5],
  ]);
  assert.equal(order(2), [
    [4, 0],
    [1, 3, 5],
  ]);
  assert.equal(order(4), [
    [0, 2],
    [1, 3, 5],
  ]);
  assert.equal(order(5), [
    [1, 3],
    [0, 2, 4],
  ]);
});

test("however many of its own domain wait, a PE of another one has its turn within the bound", () => {
  const { mutexes, crowd } = made(6, { domains: [0, 0, 0, 1, 1, 1] });
  let turns = 0;
  let farTurns = 0;
  let passed = 0;
  let most = 0;
  function* script(pe: number): Script {
    const mutex = mutexes[pe] as Mutex;
    for (let turn = 0; turn < (pe < 3 ? 2000 : 20); turn++) {
      if (!mutex.takeAtOnce()) yield* steps(mutex.taking("lock"));
      turns++;
      if (pe === 5) {
        farTurns++;
        most = Math.max(most, passed);
        passed = 0;
      } else if (farTurns < 20) {
        passed++;
      }
      yield;
      if (!mutex.giveAtOnce()) mutex.give("unlock");
    }
  }
  crowd.play(range(6).map(script), []);
  assert.is(turns, 3 * 2000 + 3 * 20);
  assert.ok(most <= 17 * (64 + 3) * 2, `${most}`);
});

test.run();
