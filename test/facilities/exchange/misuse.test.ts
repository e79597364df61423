/** Exchanges called wrongly: what is thrown, and what is left as it was. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exchange } from "../../../src/exchange.ts";
import type { Exchange } from "../../../src/facilities/exchange/exchange.ts";
import { MismatchError, type PE, StateError, type TundishError, UsageError } from "../../../src/index.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

type Thrown = new (...of: never[]) => TundishError;

/** Runs a program on three virtual PEs. */
const run = <T>(program: (pe: PE, x: Exchange) => Promise<T>) =>
  simulateAsync({ pes: 3, nodes: 3, timeout: 10_000 }, async (pe: PE) => {
    const x = exchange(pe, { chunkBytes: 1000, packetBytes: 1000 });
    const result = await program(pe, x);
    x.free();
    return result;
  });

/** Of a run that fails: its first error, and those that caused it. */
async function failing(kind: Thrown, message: RegExp, program: (pe: PE, x: Exchange) => Promise<unknown>) {
  const error: unknown = await run(program).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const chain: unknown[] = [];
  for (let one = error; one instanceof Error; one = one.cause) chain.push(one);
  const found = chain.find((one) => one instanceof kind && message.test(one.message));
  assert.ok(found !== undefined, `${error}`);
}

const refused = async (call: () => Promise<unknown>, kind: Thrown, message: RegExp): Promise<void> => {
  const error = await call().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, kind);
  assert.match((error as Error).message, message);
};

const test = suite("exchanges called wrongly");

test("a function that is async is refused before anything happens", async () => {
  const { results } = await run(async (pe, x) => {
    const take = (async () => {}) as () => void;
    for (const call of [() => x.finishAsync(take), () => x.serviceQueueAsync(take)]) {
      await refused(call, UsageError, /Async: expected a function that is not async, .* copy the bytes/);
    }
    assert.is(x.state, "dormant");
    const got = await x.allAsync(Array.from({ length: pe.size }, () => Uint8Array.of(pe.rank)));
    return got.map(([from]) => from);
  });
  assert.equal(results, Array(3).fill([0, 1, 2]));
});

test("a promise that it returns ends the phase", async () => {
  await failing(UsageError, /^onChunk returned a promise, which is not awaited: copy the bytes/, async (pe, x) => {
    x.schedule((pe.rank + 1) % pe.size, new Uint8Array(10));
    await x.finishAsync((() => Promise.resolve()) as () => void);
  });
});

test("a call while another one is awaited is refused, and the other goes on", async () => {
  const { results } = await run(async (pe, x) => {
    let came = 0;
    const take = ({ bytes }: { readonly bytes: Uint8Array }) => {
      came += bytes.length;
    };
    x.schedule((pe.rank + 1) % pe.size, new Uint8Array(5000));
    const first = x.finishAsync(take);
    await refused(() => x.finishAsync(take), StateError, /^finishAsync: finishAsync is not over/);
    await refused(() => x.serviceQueueAsync(take), StateError, /^serviceQueueAsync: finishAsync is not over/);
    await first;
    return [came, x.state];
  });
  assert.equal(results, Array(3).fill([5000, "dormant"]));
});

test("memory that has gone", async () => {
  const gone = () => {
    const data = new Uint8Array(100);
    structuredClone(data, { transfer: [data.buffer] });
    return data;
  };
  await run(async (_pe, x) => {
    assert.throws(
      () => x.schedule(1, gone()),
      (error: unknown) => error instanceof UsageError && /whose memory was transferred/.test(error.message),
    );
    assert.is(x.state, "dormant");
  });
  for (const own of [true, false]) {
    const message = /^schedule: expected 4000 bytes that stay until the phase is over/;
    await failing(UsageError, message, async (pe, x) => {
      const data = new Uint8Array(4000);
      x.schedule(own ? pe.rank : (pe.rank + 1) % pe.size, data);
      if (pe.rank === 1) structuredClone(data, { transfer: [data.buffer] });
      await x.finishAsync(() => {});
    });
  }
});

test("all meets schedule of another PE", async () => {
  for (const [tag, bytes, message] of [
    [999, 8, /^all: PE 0 has sent a block of 8 bytes with tag 999\. All PEs must call all/],
    [7, 3, /^all: PE 0 has sent a block of 3 bytes with tag 7/],
  ] as const) {
    await failing(MismatchError, message, async (pe, x) => {
      if (pe.rank > 0) return void (await x.allAsync(Array(3).fill(Float64Array.of(1))));
      x.schedule(1, new Uint8Array(bytes), tag);
      await x.finishAsync(() => {});
    });
  }
  await failing(MismatchError, /^all: PE 0 has sent a second block/, async (pe, x) => {
    if (pe.rank > 0) return void (await x.allAsync(Array(3).fill(Uint8Array.of(1))));
    for (let length = 1; length <= 2; length++) x.schedule(1, new Uint8Array(length), 1);
    await x.finishAsync(() => {});
  });
});

test("a Buffer is bytes for all", async () => {
  const { results } = await run(async (pe, x) => {
    const got = await x.allAsync(Array.from({ length: 3 }, (_, to) => Buffer.from([pe.rank, to])));
    return got.map((part) => [part.constructor.name, ...part]);
  });
  assert.equal(
    results,
    [0, 1, 2].map((to) => [0, 1, 2].map((from) => ["Uint8Array", from, to])),
  );
});

test.run();
