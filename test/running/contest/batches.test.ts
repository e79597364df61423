/** The sizes of batches, by a clock that is made up: nothing depends on how fast this machine is. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type TimedCalls, timeBatches } from "../../../src/running/contest/batches.ts";

const test = suite("batches");
/** One PE: it waits for nobody. */
let now = 0;
const pe: TimedCalls = {
  barrier: () => {},
  broadcast: (x: number) => x,
  get now() {
    return now * 1e6;
  },
};

test.before.each(() => {
  now = 0;
});

/** 20 us for each call until V8 has compiled it, 0.2 us afterwards. */
function slowAtFirst(): (count: number) => void {
  let calls = 0;
  return (count) => {
    for (let i = 0; i < count; i++) now += calls++ < 5000 ? 0.02 : 0.0002;
  };
}

test("are counted out when what they time is warm", () => {
  const volume = { batches: 3, batchMs: 4 };
  const [cold] = timeBatches(pe, [["x", slowAtFirst()]], volume);
  const [warm] = timeBatches(pe, [["x", slowAtFirst()]], { ...volume, warmMs: 200 });
  assert.ok(cold.batch <= 400, `${cold.batch}`);
  assert.is(warm.batch, 20_000);
  assert.equal(
    warm.samples.map((ns) => Math.round(ns)),
    [200, 200, 200],
  );
  assert.is(warm.probes, undefined);
});

test("have probes before and after each that counts", () => {
  let probes = 0;
  const probe = (): number => ++probes;
  const [{ samples, probes: found }] = timeBatches(pe, [["x", slowAtFirst()]], { batches: 2, batchMs: 1 }, 2, probe);
  assert.is(samples.length, 2);
  // the first is that of the batch that is dropped
  assert.equal(found, [
    [2, 3],
    [4, 5],
  ]);
});

test.run();
