/** Async calls: beside timers, several at once, beside blocking ones; what refuses and what ends them. */
import { setTimeout as delay } from "node:timers/promises";
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";
import { makeCall, WAITS } from "../support/waits.ts";
import { tell } from "./failing.program.ts";

export type Part =
  | "timers"
  | "queue"
  | "alone"
  | "at once"
  | "late each"
  | "queued limits"
  | "aborted before"
  | "own error"
  | "own error later"
  | "many";

/** What a call throws, or rejects with. */
async function caught(body: () => unknown): Promise<ReturnType<typeof tell> | null> {
  try {
    await body();
    return null;
  } catch (error) {
    return tell(error);
  }
}

const parts: Record<Part, (pe: PE) => unknown> = {
  /** Timers run while PE 0 keeps the others waiting. */
  async timers(pe) {
    const ticked = await pe.allocSharedAsync(Int32Array, 1);
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks === 3) Atomics.add(ticked, 0, 1);
    }, 5);
    // however busy the machine is
    const until = performance.now() + 60_000;
    while (pe.rank === 0 && Atomics.load(ticked, 0) < pe.size && performance.now() < until) await delay(5);
    await pe.barrierAsync();
    assert.is(await pe.allreduceAsync(1, "sum"), pe.size);
    clearInterval(timer);
    return ticks;
  },

  /** Calls that are not awaited one by one go in the order in which they were made. */
  async queue(pe) {
    for (let round = 0; round < 20; round++) {
      const x = new Int32Array(3).fill(1);
      const got = await Promise.all([
        pe.allreduceAsync(x, "sum"),
        pe.scanAsync(1, "sum"),
        pe.barrierAsync(),
        pe.broadcastAsync(pe.rank, round % pe.size),
        pe.gatherAsync(pe.rank, 0),
        pe.allreduceAsync(x, "max"),
      ]);
      assert.equal(got.slice(1, 4), [pe.rank + 1, undefined, round % pe.size]);
      assert.equal([...x], Array(3).fill(pe.size));
    }
  },

  /** A blocking call beside an Async one of the same group is refused; of another group it is not. */
  async alone(pe) {
    const other = pe.group([...Array(pe.size).keys()]);
    const refused = [];
    for (let rank = 0; rank < pe.size; rank++) {
      // cannot end before the others call it too
      const later = pe.rank === rank ? pe.barrierAsync() : undefined;
      if (later) for (const name of WAITS) refused.push(caughtNow(() => makeCall(pe, name, false)));
      assert.is(other.allreduce(1, "sum"), pe.size);
      await (later ?? pe.barrierAsync());
    }
    assert.is(pe.allreduce(1, "sum"), pe.size);
    return refused;
  },

  /** A call has begun when the function returns: one of another group may block after it. */
  async "at once"(pe) {
    const pair = pe.group([0, 1]);
    for (let round = 0; round < 50; round++) {
      if (pe.rank === round % 2) {
        const later = pair.barrierAsync();
        pe.barrier();
        await later;
      } else {
        pair.barrier();
        pe.barrier();
      }
    }
  },

  /** waitTimeout is for each wait, not for all calls that are queued, nor for all waits of one. */
  async "late each"(pe) {
    const calls = [];
    for (let i = 0; i < 6; i++) {
      if (pe.rank === 1) await delay(250);
      const call = pe.allgatherAsync(pe.rank);
      if (pe.rank === 1) await call;
      calls.push(call);
    }
    return (await Promise.all(calls)).length;
  },

  /** A call that waits for its turn has its limits all the same; what it ends with is the world's end. */
  async "queued limits"(pe) {
    if (pe.rank === 1) return delay(20_000);
    const started = performance.now();
    const first = caught(() => pe.barrierAsync());
    const signal = pe.nodeSize === 2 ? undefined : AbortSignal.timeout(100);
    const options = signal === undefined ? { timeout: 100 } : { signal };
    const told = [await caught(() => pe.barrierAsync(options)), await first];
    assert.ok(performance.now() - started < 10_000);
    return told;
  },

  /** A signal that has fired already refuses the call, whatever its form, and tells nobody. */
  async "aborted before"(pe) {
    const signal = AbortSignal.abort(new RangeError("too late"));
    const told = [];
    for (const name of WAITS) {
      for (const later of [false, true])
        told.push(await caught(() => makeCall(pe, name, later, undefined, { signal })));
    }
    assert.is(pe.allreduce(1, "sum"), pe.size);
    return told;
  },

  /** A user's op that throws: its PE gets that error, all others one that names the PE. */
  async "own error"(pe) {
    return ownError(pe, (op) => pe.allreduce(new Float64Array(1000), op));
  },
  async "own error later"(pe) {
    return ownError(pe, (op) => pe.reduceAsync(1, op, 0));
  },

  /** Many Async calls, for what they leave behind. */
  async many(pe) {
    for (let i = 0; i < 200; i++) await makeCall(pe, WAITS[i % WAITS.length], true);
    await delay(20);
    return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  },
};

function caughtNow(body: () => unknown): ReturnType<typeof tell> | null {
  try {
    body();
    return null;
  } catch (error) {
    return tell(error);
  }
}

async function ownError(pe: PE, call: (op: (a: number, b: number) => number) => unknown): Promise<unknown> {
  const failing = (a: number, b: number) => {
    if (pe.rank === 0) throw new SyntaxError("no such op");
    return a + b;
  };
  const first = await caught(async () => {
    await call(failing);
    pe.barrier();
  });
  return [first, await caught(() => pe.barrier()), await caught(() => pe.scanAsync(1, "sum"))];
}

const program: Spmd = spmd((pe, part) => {
  const { name, quietly } = part as { name: Part; quietly?: SharedArrayBuffer };
  const result = parts[name](pe);
  if (quietly === undefined) return result;
  // the run is going to fail, and its results with it
  return Promise.resolve(result).then((told) => {
    new Uint8Array(quietly, pe.rank * 4096).set(new TextEncoder().encode(JSON.stringify(told)));
  });
});

export default program;
