/** waitTimeout in sessions of programs that await: a wait for other PEs ends, and one's own work is none. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { biconveyor, conveyor, selector } from "../../../src/conveyor.ts";
import { biBeltOf } from "../../../src/facilities/conveyor/faces/bi.ts";
import { type EventLoopDriven, EventLoopDriver } from "../../../src/facilities/conveyor/front/event-loop-driver.ts";
import { createWorld, join, type PE, u32 } from "../../../src/index.ts";
import { DONE, OK } from "../../../src/links/status/state.ts";

const patience = suite("waitTimeout of programs that await");

const forever = (): Promise<never> => new Promise(() => {});

/** Two PEs in this thread; what the first one's session ends with. */
async function failure(act: (first: PE, second: PE) => Promise<unknown>): Promise<string> {
  using host = await createWorld({ pes: 2, heapBytes: 2 ** 24, waitTimeout: 200 });
  const [first, second] = [await join(host.ticket(0)), await join(host.ticket(1))];
  try {
    await act(first, second);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  } finally {
    host.close();
    first.leave();
    second.leave();
  }
  return "nothing";
}

const consume = async (batches: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of batches);
};

patience("a session that not all begin", async () => {
  const message = await failure((pe) => consume(conveyor(pe, u32).batches()));
  assert.match(
    message,
    /^ERR_TUNDISH_TIMEOUT PE 0 waited .*the conveyor of u32, .*state (working|endgame).*200 ms.*waitTimeout/,
  );
});

patience("a selector's begin", async () => {
  const message = await failure((pe) => selector(pe, { a: u32 }).runAsync(() => {}, { a() {} }));
  assert.match(message, /^ERR_TUNDISH_TIMEOUT .*mailbox a/);
});

patience("a source elsewhere that never ends", async () => {
  const message = await failure((first, second) => {
    consume(conveyor(second, u32).batches(forever)).catch(() => {});
    return consume(conveyor(first, u32).batches());
  });
  assert.match(message, /^ERR_TUNDISH_TIMEOUT PE 0 .*state endgame/);
});

patience("room that never comes", async () => {
  const message = await failure(async (first, second) => {
    const options = { bufferBytes: 64, buffersPerLink: 1 } as const;
    const lazy = conveyor(second, u32, options).batches(forever);
    void lazy.next().catch(() => {});
    await consume(
      conveyor(first, u32, options).batches(async (push) => {
        for (let i = 0; i < 1000; i++) await push(1, i);
        await forever();
      }),
    );
  });
  assert.match(message, /^ERR_TUNDISH_TIMEOUT PE 0 .*state working/);
});

patience("a question that nobody answers", async () => {
  const message = await failure(async (first, second) => {
    const [asker, deaf] = [first, second].map((pe) => biconveyor(pe, u32, u32, (x) => x));
    const session = asker?.runAsync(async () => {
      await asker.ask(1, 5);
    });
    // it begins, and then does nothing
    const begin = deaf && biBeltOf(deaf).beginning(false);
    while (!begin?.next().done) await new Promise(setImmediate);
    await session;
  });
  assert.match(message, /^ERR_TUNDISH_TIMEOUT PE 0 .*queries of u32, .*state working/);
});

patience("what runs beside the driver may take its time", async () => {
  let time = 0;
  let isAnswered = false;
  let looks = 0;
  const late: number[] = [];
  const c: EventLoopDriven = {
    moved: false,
    proceed: (done) => (done ? DONE : OK),
    now: () => time,
    checkWait: (began) => {
      if (time - began > 10) late.push(time);
    },
    async until(ready) {
      for (; !ready(); looks++) time++;
    },
    *beginning() {},
    endSession() {},
    fail: (error) => error,
  };
  const loopDriver = new EventLoopDriver(c);
  await loopDriver.begin();
  assert.is(
    await loopDriver.turn(
      () => {},
      () => looks >= 50,
    ),
    false,
  );
  assert.equal(late, [], "own work");
  assert.is(
    await loopDriver.turn(
      () => {},
      () => looks >= 100,
      () => true,
    ),
    false,
  );
  assert.is(late.length > 0, true, "waiting for replies");
  late.length = 0;
  const pushed = loopDriver.push("push", () => isAnswered);
  assert.is(
    await loopDriver.turn(
      () => {},
      () => looks >= 150,
    ),
    false,
  );
  assert.is(late.length > 0, true, "waiting for room");
  isAnswered = true;
  loopDriver.end();
  assert.is(
    await loopDriver.turn(
      () => {},
      () => false,
    ),
    true,
  );
  await pushed;
});

patience.run();
