/** Side work: which task runs when, and that a wait serves others in each of its stages, and sleeps later for it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type SideTask, SideWork } from "../../../src/ground/wait/side-work.ts";
import { ParkingWaiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { Yielding } from "../../../src/ground/wait/yielding.ts";
import { Room } from "./room.ts";

const test = suite("side work");

/** Has something to do in the runs that `when` names. */
class Task implements SideTask {
  runs = 0;
  readonly #when: (run: number) => boolean;

  constructor(when: (run: number) => boolean = () => false) {
    this.#when = when;
  }

  serve(): boolean {
    return this.#when(++this.runs);
  }
}

test("a task that had nothing to do for long is run seldom by who looks again, and always by who does not", () => {
  const [quiet, busy] = [new Task((run) => run > 100), new Task(() => true)];
  const work = new SideWork();
  work.add(quiet);
  work.add(busy);
  for (let i = 0; i < 16; i++) assert.is(work.run(true), true);
  assert.equal([quiet.runs, busy.runs], [16, 16]);
  for (let i = 0; i < 80; i++) work.run(true);
  assert.equal([quiet.runs, busy.runs], [26, 96]);
  for (let i = 0; i < 10; i++) work.run();
  assert.equal([quiet.runs, busy.runs], [36, 106]);
  // and each time again when it has had something to do
  while (quiet.runs <= 100) work.run();
  const before = quiet.runs;
  for (let i = 0; i < 40; i++) work.run(true);
  assert.is(quiet.runs, before + 40);
});

test("a task that comes to a wait is not run again in it", () => {
  const work = new SideWork();
  let runs = 0;
  work.add({
    serve() {
      runs++;
      assert.is(work.run(), false);
      return true;
    },
  });
  assert.equal([work.run(), runs], [true, 1]);
});

test("a PE that has nothing else to do runs it until what it waits for has come", async () => {
  const work = new SideWork();
  let resolve = (_: string) => {};
  const promise = new Promise<string>((done) => {
    resolve = done;
  });
  const task = new Task((run) => {
    if (run === 3) resolve("come");
    return false;
  });
  work.add(task);
  const late = setTimeout(resolve, 20_000, "late");
  assert.is(await work.runUntil(promise), "come");
  clearTimeout(late);
  assert.is(task.runs, 3);
});

/** Wakers that write down what a wait does; a sleep takes no time. */
class LoggingWakers extends Wakers {
  readonly log: string[] = [];
  /** No yield is slow, however busy the machine is. */
  override readonly yielding: Yielding = new Yielding(
    () => this.yield(),
    () => 0,
  );
  override sleep(pe: number): void {
    this.log.push("sleep");
    this.stay(pe);
  }
  override yield(): void {
    this.log.push("yield");
  }
}

/** What a wait of a PE with side work does in so many turns. */
function wait(task: SideTask | null, turns: number): readonly string[] {
  const room = new Room(1);
  const wakers = new LoggingWakers(room.heap.i32, room.waitOffset, 1);
  const strategy = { looks: 0, spins: 64, yields: 16, sliceMs: 20 };
  const waiter = new ParkingWaiter(0, wakers, room.termination, strategy);
  if (task !== null) waiter.sideWork.add(task);
  let turn = 0;
  for (let i = 0; i < turns; i++) turn = waiter.pause(turn, -1);
  waiter.done(turn);
  return wakers.log;
}

test("a wait serves others while it spins, and from then on yields instead", () => {
  assert.equal(wait(null, 64), []);
  const idle = new Task();
  assert.equal(wait(idle, 64), []);
  assert.is(idle.runs, 8);
  const task = new Task((run) => run === 3);
  // 24 spins, and then the yields of the strategy; how long it goes on with them is a matter of time
  const log = wait(task, 64);
  assert.equal(log.slice(0, 16), new Array(16).fill("yield"));
  assert.ok(task.runs >= 3 + 16, `${task.runs}`);
});

test("a wait in which others were served does not sleep at once, but in time", () => {
  const first = (task: SideTask) => wait(task, 100_000).indexOf("sleep");
  assert.is(first(new Task()), 16);
  // 8 times while it spins, so the next time comes while it yields
  const later = first(new Task((run) => run === 10));
  // how much later is a matter of time, which a busy machine may take away
  assert.ok(later > 16, `${later}`);
});

test.run();
