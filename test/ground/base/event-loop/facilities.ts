/**
 * Everything that an async program awaits of its PE, once, for two PEs: each facility calls `saw` in each function of
 * the program that is called later. What it gives is the same on all PEs, real and virtual.
 */

import * as assert from "uvu/assert";
import { openReplica, openTwoPhaseCommit, type StateMachine } from "../../../../src/agree.ts";
import { appendBufferAsync } from "../../../../src/append.ts";
import { array, containers, countingMap, disjointSet, map, text } from "../../../../src/containers.ts";
import { biconveyor, calls as callsOf, conveyor, DONE, selector } from "../../../../src/conveyor.ts";
import { exchange } from "../../../../src/exchange.ts";
import { type PE, u32 } from "../../../../src/index.ts";
import { channel, messenger, orderedBroadcast } from "../../../../src/messages.ts";
import { openStore } from "../../../../src/store.ts";

/** Begins a call of another part of the program. */
export type Elsewhere = <T>(call: () => T) => T;

/** @param saw is to be called where a function of the program runs */
export type Facility = (pe: PE, saw: () => void, elsewhere: Elsewhere) => Promise<void>;

const A = new Uint8Array([1, 2, 3, 4]);
const other = (pe: PE): number => 1 - pe.rank;

async function collectives(pe: PE, saw: () => void): Promise<void> {
  const add = (a: number, b: number): number => {
    saw();
    return a + b;
  };
  await pe.barrierAsync();
  assert.is(await pe.broadcastAsync(pe.rank === 1 ? 7 : 0, 1), 7);
  assert.is(await pe.allreduceAsync(1, add), 2);
  assert.equal(await pe.allreduceAsync(Float64Array.of(1, 2), add), Float64Array.of(2, 4));
  assert.is(await pe.reduceAsync(1, add, 0), pe.rank === 0 ? 2 : undefined);
  assert.is(await pe.scanAsync(1, add), pe.rank + 1);
  await pe.exscanAsync(1, add);
  await pe.reduceScatterAsync(Float64Array.of(1, 2), add);
  await pe.gatherAsync(Float64Array.of(pe.rank));
  await pe.allgatherAsync({ rank: pe.rank });
  await pe.scatterAsync(Float64Array.of(1, 2));
  await pe.alltoallAsync(Float64Array.of(1, 2));
  await pe.alltoallvAsync([Float64Array.of(1), Float64Array.of(2, 3)]);
  await (await pe.splitAsync(0))?.barrierAsync();
}

async function arrays(pe: PE): Promise<void> {
  const shared = await pe.allocAsync(Float64Array, 4);
  await pe.barrierAsync();
  await pe.freeAsync(shared);
}

async function conveyors(pe: PE, saw: () => void): Promise<void> {
  using c = conveyor(pe, u32, { bufferBytes: 256 });
  let sum = 0;
  const batches = c.batches(async (push) => {
    for (let i = 0; i < 100; i++) {
      saw();
      await push(other(pe), i);
    }
  });
  for await (const { columns } of batches) for (const item of columns) sum += item;
  assert.is(sum, 4950);
  await c.beginAsync();
  let status = await c.advanceAsync(true);
  for (; status !== DONE; status = await c.advanceAsync(true)) while (c.pull());
  c.reset();
}

async function biconveyors(pe: PE, saw: () => void): Promise<void> {
  using c = biconveyor(pe, u32, u32, (query) => {
    saw();
    return query + 1;
  });
  await c.runAsync(async () => {
    saw();
    assert.is(await c.ask(other(pe), 5), 6);
  });
}

async function selectors(pe: PE, saw: () => void): Promise<void> {
  using s = selector(pe, { ask: u32, reply: u32 });
  let got = 0;
  await s.runAsync(
    async (send) => {
      saw();
      await send.ask(other(pe), 5);
    },
    {
      ask(value, from) {
        saw();
        s.send.reply(from, value);
      },
      reply(value) {
        saw();
        got = value;
      },
    },
  );
  assert.is(got, 5);
}

async function calls(pe: PE, saw: () => void): Promise<void> {
  let got = 0;
  using c = callsOf(pe, {
    add(x: number) {
      saw();
      got += x;
    },
  });
  await c.runAsync(async (call) => {
    saw();
    await call(other(pe), "add", 3);
  });
  assert.is(got, 3);
}

async function exchanges(pe: PE, saw: () => void): Promise<void> {
  const x = exchange(pe);
  assert.equal(await x.allAsync([Uint8Array.of(1), Uint8Array.of(1)]), [Uint8Array.of(1), Uint8Array.of(1)]);
  x.schedule(other(pe), A);
  await x.serviceQueueAsync(saw);
  await x.finishAsync(saw);
  x.free();
}

async function appendBuffers(pe: PE): Promise<void> {
  const b = await appendBufferAsync(pe, 4096);
  await b.pushAsync(other(pe), A);
  await b.syncAsync();
  await b.waitUntilAsync({ bytes: 4 });
  await pe.barrierAsync();
  b.free();
}

async function messengers(pe: PE): Promise<void> {
  using m = messenger(pe);
  await m.sendAsync(other(pe), A);
  assert.is((await m.receiveAsync()).from, other(pe));
  await pe.barrierAsync();
}

async function channels(pe: PE): Promise<void> {
  using c = channel(pe, other(pe));
  await c.sendAsync(A);
  assert.equal(await c.receiveAsync(), A);
  await pe.barrierAsync();
}

async function orderedBroadcasts(pe: PE): Promise<void> {
  using b = orderedBroadcast(pe, { item: u32 });
  await b.submitAsync(pe.rank);
  assert.is((await b.deliverAsync()) + (await b.deliverAsync()), 1);
  await pe.barrierAsync();
}

async function inContainers(pe: PE, saw: () => void): Promise<void> {
  using data = containers(pe, {
    ages: map(text, u32, {
      add: {
        args: u32,
        run(entry, x) {
          saw();
          entry.value = (entry.value ?? 0) + x;
        },
      },
    }),
    words: countingMap(text),
    list: array(u32, 4),
    sets: disjointSet(4),
  });
  await data.runAsync(async ({ ages, words, list, sets }) => {
    saw();
    await ages.visit(`${pe.rank}`, "add", 2);
    await ages.visit(`${other(pe)}`, "add", 2);
    await words.insert("word");
    await list.add(3, 1);
    await sets.union(0, 3);
  });
  assert.equal(await data.ages.getAllAsync(["0", "1"]), [4, 4]);
  assert.is(await data.words.totalAsync(), 2);
  assert.is(await data.sets.countSetsAsync(), 3);
  await data.list.gatherAsync();
}

async function stores(pe: PE, saw: () => void, elsewhere: Elsewhere): Promise<void> {
  const store = openStore(pe);
  const over = new AbortController();
  const beside = elsewhere(() => store.serveAsync(() => false, { signal: over.signal })).catch(() => {});
  await store.setAsync(`${pe.rank}`, A);
  await store.serveAsync(() => {
    saw();
    return store.size === 2;
  });
  await store.syncAsync();
  assert.equal(await store.getLatestAsync(`${other(pe)}`), A);
  await pe.barrierAsync();
  assert.is(await store.deleteAsync(`${pe.rank}`), true);
  await pe.barrierAsync();
  over.abort();
  await beside;
  await store.closeAsync();
}

async function replicas(pe: PE, saw: () => void, elsewhere: Elsewhere): Promise<void> {
  let count = 0;
  const machine: StateMachine = {
    apply() {
      saw();
      count++;
      return A;
    },
    snapshot: () => A,
    restore() {},
  };
  using replica = openReplica(pe, machine, { suspectAfter: 60_000 });
  const over = new AbortController();
  const beside = elsewhere(() => replica.serveAsync(() => false, { signal: over.signal })).catch(() => {});
  assert.equal(await replica.proposeAsync(A), A);
  await replica.serveAsync(() => {
    saw();
    return count === 2;
  });
  await replica.syncAsync();
  // others still need this one
  await pe.barrierAsync();
  over.abort();
  await beside;
}

async function commits(pe: PE, saw: () => void, elsewhere: Elsewhere): Promise<void> {
  let decided = 0;
  const participant = {
    vote() {
      saw();
      return true;
    },
    decide() {
      saw();
      decided++;
    },
  };
  using commit = openTwoPhaseCommit(pe, participant);
  const beside = elsewhere(() => commit.serveAsync(() => decided === 1));
  if (pe.rank === 0) assert.is(await commit.waitAsync(commit.propose(A)), "committed");
  await commit.serveAsync(() => {
    saw();
    return decided === 1;
  });
  await beside;
  await pe.barrierAsync();
}

/** By name. */
export const FACILITIES: Readonly<Record<string, Facility>> = {
  ...{ collectives, arrays, conveyors, biconveyors, selectors, calls, exchanges, appendBuffers },
  ...{ messengers, channels, orderedBroadcasts, containers: inContainers, stores, replicas, commits },
};

/** Those that call functions of the program. */
export const CALLING: readonly string[] = [
  ...["collectives", "conveyors", "biconveyors", "selectors", "calls", "exchanges", "containers"],
  ...["stores", "replicas", "commits"],
];
