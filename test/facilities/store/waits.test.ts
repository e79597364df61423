/** How calls wait: one loop for all that do not block, and what ends them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Pending } from "../../../src/facilities/agree/waits.ts";
import type { Members } from "../../../src/facilities/messages/members.ts";
import { waitsOf } from "../../../src/facilities/store/waits.ts";
import { AbortedError, TimeoutError } from "../../../src/ground/base/errors.ts";
import { errorOf } from "./support/error-of.ts";

const test = suite("waits of a store");

class Call implements Pending<string> {
  isDone = false;
  readonly #result: string | Error;
  constructor(result: string | Error = "result") {
    this.#result = result;
  }
  take(): string {
    if (typeof this.#result === "string") return this.#result;
    throw this.#result;
  }
}

/** Members whose time passes while they wait, and what they advance. */
function stage() {
  const at = {
    now: 0,
    sleeps: [] as number[],
    advances: 0,
    idleFor: 50,
    /** What happens in an advance or a sleep. */
    onAdvance: (): boolean => false,
    onSleep: async (): Promise<void> => {},
  };
  const members = {
    get now() {
      return at.now;
    },
    wait(ms: number) {
      at.sleeps.push(ms);
      at.now += ms;
    },
    async waitAsync(ms: number) {
      at.sleeps.push(ms);
      await at.onSleep();
      at.now += ms;
    },
  } as Members;
  const waits = waitsOf(members, {
    advance() {
      at.advances++;
      return at.onAdvance();
    },
    get idleFor() {
      return at.idleFor;
    },
  });
  return { at, waits };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );
const none = {};

test("what is done at once needs no advance", async () => {
  const { at, waits } = stage();
  const done = Object.assign(new Call(), { isDone: true });
  assert.is(waits.block("get", done, 0), "result");
  assert.is(await waits.until("get", done, none), "result");
  assert.is(at.advances, 0);
});

test("blocking: sleeps end at the deadline, or when advancing has something to do", () => {
  const { at, waits } = stage();
  const error = errorOf(() => waits.block("set", new Call(), 120)) as Error;
  assert.instance(error, TimeoutError);
  assert.match(error.message, /^set: no reply in 120 ms/);
  assert.equal(at.sleeps, [50, 50, 20]);
  const call = new Call(new Error("its error"));
  at.onAdvance = () => {
    call.isDone = true;
    return true;
  };
  assert.is((errorOf(() => waits.block("set", call, 10)) as Error).message, "its error");
});

test("one loop for all calls: each ends by itself", async () => {
  const { at, waits } = stage();
  const [first, second, third] = [new Call("1"), new Call(new Error("2")), new Call("3")];
  at.onAdvance = () => {
    first.isDone = at.advances >= 2;
    second.isDone = at.advances >= 3;
    return false;
  };
  const calls = [
    waits.until("a", first, none),
    failure(waits.until("b", second, none)),
    failure(waits.until("c", third, { timeout: 130 })),
  ];
  const [one, two, three] = await Promise.all(calls);
  assert.is(one, "1");
  assert.is((two as Error).message, "2");
  assert.match((three as Error).message, /^c: no reply in 130 ms/);
  assert.equal(at.sleeps, [50, 50, 30]);
});

test("a call that comes while the loop sleeps is sent at once", async () => {
  const { at, waits } = stage();
  at.onSleep = () => new Promise(() => {});
  const first = new Call("1");
  const open = waits.until("a", first, none);
  await new Promise(setImmediate);
  const before = at.advances;
  const second = new Call("2");
  at.onAdvance = () => {
    first.isDone = true;
    second.isDone = true;
    return true;
  };
  assert.equal(await Promise.all([open, waits.until("b", second, none)]), ["1", "2"]);
  assert.is(at.advances, before + 1);
});

test("an abort ends a call that sleeps, and one that has not begun", async () => {
  const { at, waits } = stage();
  at.onSleep = () => new Promise(() => {});
  const controller = new AbortController();
  const open = failure(waits.until("a", new Call(), { signal: controller.signal }));
  await new Promise(setImmediate);
  controller.abort();
  assert.instance(await open, AbortedError);
  assert.instance(await failure(waits.until("b", new Call(), { signal: controller.signal })), AbortedError);
});

for (const where of ["onAdvance", "onSleep"] as const) {
  test(`an error of ${where === "onSleep" ? "the members" : "advancing"} ends all calls, and later ones begin anew`, async () => {
    const { at, waits } = stage();
    at[where] = () => {
      throw new Error("the world has ended");
    };
    const calls = [waits.until("a", new Call(), none), waits.until("b", new Call(), none)].map(failure);
    for (const error of await Promise.all(calls)) assert.is((error as Error).message, "the world has ended");
    const call = new Call();
    at.onSleep = async () => {};
    at.onAdvance = () => {
      call.isDone = true;
      return true;
    };
    assert.is(await waits.until("c", call, none), "result");
  });
}

test("a condition that throws ends its call alone", async () => {
  const { at, waits } = stage();
  const call = new Call();
  const open = waits.until("a", call, none);
  let asked = 0;
  const broken: Pending<void> = {
    get isDone(): boolean {
      if (++asked > 2) throw new Error("the condition's");
      return false;
    },
    take() {},
  };
  assert.match(((await failure(waits.until("b", broken, none))) as Error).message, /^the condition's$/);
  at.onAdvance = () => {
    call.isDone = true;
    return true;
  };
  assert.is(await open, "result");
  assert.is(await waits.until("c", call, none), "result");
});

test("a loop in which something always happens lets others run", async () => {
  const { at, waits } = stage();
  const call = new Call();
  at.onAdvance = () => true;
  at.onSleep = () => new Promise((resolve) => setImmediate(resolve));
  setImmediate(() => {
    call.isDone = true;
  });
  assert.is(await waits.until("a", call, none), "result");
  assert.ok(at.sleeps.every((ms) => ms === 0));
});

test.run();
