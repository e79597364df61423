/**
 * One listener of ours for each AbortSignal, whatever the number of waits and runs that it ends; none when they have
 * ended.
 */

import { getEventListeners } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openReplica, openTwoPhaseCommit } from "../../../src/agree.ts";
import { AbortedError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { onAbort } from "../../../src/ground/wait/abort.ts";
import { messenger as messengerOf } from "../../../src/messages.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { open } from "../../../src/running/launch/open.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { openStore } from "../../../src/store.ts";

const WAITS = 30;
const program = sibling("./stay.program.js", import.meta.url);
const times = <T>(count: number, one: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));
const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;
const aborted = (calls: readonly Promise<unknown>[]): Promise<void> =>
  Promise.allSettled(calls).then((ends) => {
    for (const end of ends) assert.instance((end as PromiseRejectedResult).reason, AbortedError);
  });

const test = suite("signals");
const warnings: string[] = [];
const hear = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
test.before(() => void process.on("warning", hear));
test.after(async () => {
  // warnings come a little later
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", hear);
  assert.equal(warnings, []);
});

test("all are told, in order; none that has ended its listening, also if it does so meanwhile", () => {
  const control = new AbortController();
  const told: number[] = [];
  const ends = times(1000, (i) => onAbort(control.signal, () => void told.push(i)));
  assert.is(listenersOf(control.signal), 1);
  ends[1]?.();
  ends[1]?.();
  const both = () => {
    told.push(-1);
    last();
  };
  onAbort(control.signal, both);
  onAbort(control.signal, both);
  const last = onAbort(control.signal, () => assert.unreachable());
  control.abort();
  assert.equal(told, [...times(1000, (i) => i).filter((i) => i !== 1), -1, -1]);
});

test("who ends last ends the listener of the signal; a new one begins anew", () => {
  const { signal } = new AbortController();
  for (let round = 0; round < 3; round++) {
    const ends = times(3, () => onAbort(signal, () => {}));
    for (const end of ends) {
      assert.is(listenersOf(signal), 1);
      end();
      end();
    }
    assert.is(listenersOf(signal), 0);
    const other = onAbort(signal, () => {});
    for (const end of ends) end();
    assert.is(listenersOf(signal), 1, "of another one");
    other();
  }
  onAbort(undefined, () => assert.unreachable())();
  onAbort(AbortSignal.abort(), () => assert.unreachable())();
});

test("a thousand runs of an open world at once, and launches", async () => {
  const control = new AbortController();
  const { signal } = control;
  const options = { signal, timeout: 60_000 };
  await using world = await open({ pes: 1 });
  const runs = times(1000, (i) => world.run(program, { ...options, args: { value: i } }));
  assert.is(listenersOf(signal), 1);
  assert.equal(
    (await Promise.all(runs)).flat(),
    times(1000, (i) => i),
  );
  assert.is(listenersOf(signal), 0);
  await Promise.all(times(12, (value) => launch(program, { ...options, pes: 1, args: { value } })));
  assert.is(listenersOf(signal), 0);
  const waiting = times(12, () => world.run(program, { ...options, args: { value: "stay" } }));
  control.abort();
  await aborted(waiting);
});

test("waits of all kinds", async () => {
  const { results } = await simulateAsync({ pes: 2, memoryBytes: 2 ** 26, timeout: 1000 }, async (pe) => {
    const control = new AbortController();
    const { signal } = control;
    const nothing = () => new Uint8Array();
    const replica = openReplica(pe, { apply: nothing, snapshot: nothing, restore() {} });
    const commit = openTwoPhaseCommit(pe, { vote: () => true, decide() {} });
    const store = openStore(pe, { replicas: [0] });
    const messenger = messengerOf(pe);
    const before = listenersOf(signal);
    const calls =
      pe.rank === 0
        ? []
        : times(WAITS, (i) => [
            store.setAsync("a", `${i}`, { signal }),
            replica.serveAsync(() => false, { signal }),
            commit.serveAsync(() => false, { signal }),
            ...(i === 0 ? [messenger.receiveAsync({ signal })] : []),
          ]).flat();
    const during = listenersOf(signal);
    control.abort("enough");
    await aborted(calls);
    await pe.barrierAsync();
    return [before, during, listenersOf(signal)];
  });
  assert.equal(results, [
    [0, 0, 0],
    [0, 1, 0],
  ]);
});

test("collectives, whose world ends with them", async () => {
  const control = new AbortController();
  const { signal } = control;
  const run = simulateAsync({ pes: 2, memoryBytes: 2 ** 24, timeout: 1000 }, async (pe) => {
    if (pe.rank === 0) return;
    const calls = times(WAITS, () => pe.barrierAsync({ signal }));
    control.abort("enough");
    await Promise.all(calls);
  });
  await aborted([run]);
  assert.is(listenersOf(signal), 0);
});

test.run();
