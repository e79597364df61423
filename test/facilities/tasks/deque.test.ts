/** The deques of tasks: every interleaving of small cases, of an owner and of those that steal. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TaskArea } from "../../../src/facilities/tasks/area.ts";
import { runnerOf, type Spawning, spawnerOf } from "../../../src/facilities/tasks/codec.ts";
import { blockBytes } from "../../../src/facilities/tasks/layout.ts";
import { entriesOf } from "../../../src/facilities/tasks/table.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { Crowd, everyInterleaving, type Script } from "../../support/interleaved.ts";
import { rounds } from "../../support/long.ts";

const test = suite("deques");
// all accesses to words that PEs share are atomic operations, at which PEs are interrupted
process.env.TUNDISH_ORDERED_STORES = "off";
test.after(() => {
  delete process.env.TUNDISH_ORDERED_STORES;
});
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** A PE with what it makes of its deque: `spawn(value)`, `take()` and `steal()` run a task if there is one. */
class Worker {
  readonly area: TaskArea;
  readonly spawn: (value: number) => void;
  readonly #run: (at: number) => void;

  constructor(area: TaskArea, ran: (value: number) => void) {
    this.area = area;
    const [entry] = entriesOf({ mark: { args: u32, run: ran } });
    this.#run = runnerOf([entry as never], area);
    const spawning: Spawning = { isOpen: true, atOnce: this.#run, outside: assert.unreachable as never };
    this.spawn = spawnerOf(entry as never, 0, area, spawning);
  }

  take(): void {
    const at = this.area.own.take();
    if (at >= 0) this.#done(at);
  }

  steal(): void {
    for (const victim of this.area.victims) {
      if (!victim.steal(this.area.own.left)) continue;
      this.#done(this.area.own.left);
      return;
    }
  }

  #done(at: number): void {
    this.#run(at);
    this.area.countDone();
  }
}

/** What the owner does: +, puts a task in; -, takes one. */
const CASES: readonly (readonly [owner: string, thieves: number, steals: number, preemptions: number])[] = [
  ["+-", 1, 1, 6],
  ["++--+-", 1, 3, rounds(4, 6)],
  ["+-+-", 2, 2, rounds(2, 3)],
  ["++---+-", 2, 1, rounds(2, 3)],
];
for (const [owner, thieves, steals, preemptions] of CASES) {
  test(`${owner} by the owner, ${thieves} x ${steals} steals: each task once, ${preemptions} interruptions`, () => {
    const tasks = owner.split("+").length - 1;
    const count = everyInterleaving(preemptions, (choices) => {
      const crowd = new Crowd(1 + thieves, [], blockBytes(1 + thieves));
      const ran = new Array<number>(tasks).fill(0);
      const workers = crowd.seats.map((seat) => new Worker(new TaskArea(seat), (value) => (ran[value] as number)++));
      const areas = workers.map(({ area }) => area);
      for (const area of areas) area.run = 1;
      let ended = false;
      function* own(worker: Worker): Script {
        let next = 0;
        for (const move of owner) {
          if (move === "+") worker.spawn(next++);
          else worker.take();
        }
        for (let k = 0; k < tasks; k++) worker.take();
        worker.area.countDone();
        ended = true;
        yield;
      }
      function* thief(worker: Worker): Script {
        for (let k = 0; k < steals; k++) {
          worker.steal();
          // never while a task is under way
          if (worker.area.isOver()) assert.ok(ended && ran.every((one) => one === 1), `over after ${ran}`);
        }
        worker.area.countDone();
        yield;
      }
      const options = crowd.play(
        workers.map((worker, pe) => (pe === 0 ? own(worker) : thief(worker))),
        choices,
      );
      assert.equal(ran, new Array(tasks).fill(1));
      for (const area of areas) assert.ok(area.isOver() && !area.own.hasTasks);
      return options;
    });
    console.log(`${count} interleavings`);
    assert.ok(count > 50, `${count}`);
  });
}

test("more than there is room for, while one steals: each task once", () => {
  const count = everyInterleaving(1, (choices) => {
    const crowd = new Crowd(2, [], blockBytes(2));
    const ran = new Array<number>(300).fill(0);
    const [owner, thief] = crowd.seats.map(
      (seat) => new Worker(new TaskArea(seat), (value) => (ran[value] as number)++),
    ) as [Worker, Worker];
    function* own(): Script {
      for (const value of range(300)) owner.spawn(value);
      yield;
      for (const _ of range(300)) owner.take();
    }
    function* steals(): Script {
      for (;;) {
        if (ran.every((one) => one === 1)) return;
        thief.steal();
        yield;
      }
    }
    const options = crowd.play([own(), steals()], choices);
    assert.ok(ran.every((one) => one === 1));
    return options.slice(0, 1200);
  });
  assert.ok(count > 200, `${count}`);
});

test.run();
