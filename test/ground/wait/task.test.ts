/** Tasks: one text for a call that blocks and for one that does not. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AsyncLimits, AsyncWaits } from "../../../src/ground/wait/async.ts";
import type { Condition } from "../../../src/ground/wait/condition.ts";
import { awaitOn, blockOn, ReusableTask, type Task, type Waiters } from "../../../src/ground/wait/task.ts";
import type { TeamWaiter } from "../../../src/ground/wait/waiter.ts";
import { type Watcher, watcherOf } from "../../../src/ground/wait/watcher.ts";

const test = suite("tasks");

/** One that is true after some looks; or never, and then its wait ends with an error. */
function after(looks: number, watcher?: Watcher): Condition {
  const ready = () => --looks < 0;
  return { peer: -1, ready, spin: ready, ...(watcher && { watcher }) };
}

const COMMON = watcherOf("a call");
const OWN = watcherOf("a part of it");
const ended = new Error("the wait has ended");

/** Waits that end with an error after some turns, and what they were told of. */
function stage(turns = 10) {
  const seen: { call: string | undefined; deadline: number; timeout: number }[] = [];
  const waiter: TeamWaiter = {
    ...{ mayBlock: true, looks: 1, timeout: 100, deadline: Number.POSITIVE_INFINITY, given: 0 },
    watcher: null,
    pause(turn) {
      if (turn === 0) seen.push({ call: this.watcher?.call, deadline: this.deadline, timeout: this.timeout });
      if (turn >= turns) throw ended;
      return turn + 1;
    },
    done() {},
  };
  const waits: AsyncWaits = {
    now: () => 5,
    turn: () => new Promise(setImmediate),
    async until(condition: Condition, { watcher, deadline }: AsyncLimits) {
      seen.push({ call: watcher.call, deadline, timeout: waiter.timeout });
      for (let turn = 0; !condition.ready(); turn++) if (turn >= turns) throw ended;
    },
  };
  const waiting: Waiters = { waiter, waits, watcher: COMMON };
  return { waiting, waiter, seen };
}

class Machine extends ReusableTask<string> {
  readonly result = "machine";
  #left = 2;

  advance(): Condition | null {
    return this.#left-- > 0 ? after(1) : null;
  }
}

function* whole(said: string[]): Task<string> {
  try {
    yield after(3, OWN);
    said.push(yield* new Machine());
    yield after(1000);
  } catch (error) {
    said.push((error as Error).message);
    yield after(2);
    return "caught";
  } finally {
    said.push("finally");
  }
  return "done";
}

const drivers: readonly [string, (waiting: Waiters, task: Task<string>, limit?: number) => unknown][] = [
  ["blocking", (waiting, task, limit) => blockOn(waiting, task, limit)],
  ["awaiting", (waiting, task, timeout) => awaitOn(waiting, task, { timeout })],
];
for (const [name, drive] of drivers) {
  test(`${name}: conditions and machines in turn; what ends a wait is thrown into the task`, async () => {
    const { waiting, waiter, seen } = stage();
    const said: string[] = [];
    assert.is(await drive(waiting, whole(said)), "caught");
    assert.equal(said, ["machine", ended.message, "finally"]);
    assert.is(seen[0]?.call, OWN.call);
    assert.ok(seen.slice(1).every(({ call }) => call === COMMON.call));
    assert.is(waiter.watcher, null);
  });

  test(`${name}: the limit of a call takes the place of the world's`, async () => {
    const { waiting, waiter, seen } = stage();
    await drive(waiting, whole([]), 5000);
    assert.ok(seen.every(({ deadline }) => deadline > 1000 && deadline < Number.POSITIVE_INFINITY));
    assert.is(waiter.timeout, 100);
  });
}

test("what the PE itself makes true is awaited without the world's limit", async () => {
  const { waiting, seen } = stage(0);
  let isOver = false;
  const own: Condition = {
    ...{ peer: -1, ready: () => isOver, spin: () => isOver },
    ended: Promise.resolve().then(() => {
      isOver = true;
    }),
  };
  await awaitOn(
    waiting,
    (function* (): Task<void> {
      yield own;
    })(),
  );
  assert.ok(isOver);
  assert.equal(seen, []);
});

test("a task whose waits are over at once lets the event loop turn", async () => {
  const { waiting } = stage();
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await awaitOn(
    waiting,
    (function* (): Task<void> {
      while (!turned) yield after(0);
    })(),
  );
});

test.run();
