/** What a push takes more where more buffers are open: never less for more of them, in predictions, plans and simulator. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openByCaches } from "../../../packages/tundish-bench/src/plan/open-curve.ts";
import { timeOf } from "../../../packages/tundish-bench/src/plan/plan-run.ts";
import type { MachineModel, OpenTimes } from "../../../src/machine/model/machine-model.ts";
import { makePlan } from "../../../src/plan/conveyor/make-plan.ts";
import type { Candidate } from "../../../src/plan/model/cost-model.ts";
import { costModelOf } from "../../../src/plan/model/machine.ts";
import { openPush } from "../../../src/plan/model/open-buffers.ts";
import { costModelOver } from "../../../src/plan/model/over-nodes.ts";
import { predict } from "../../../src/plan/model/predict.ts";
import { shapeCosts } from "../../../src/plan/model/shape.ts";
import { settle } from "../../../src/running/simulate/options.ts";

const test = suite("open buffers");

const ascending = (most: number) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 5 })
    .map((all) => all.sort((a, b) => a - b));
/** Any measurement, however noisy. */
const openTimes: fc.Arbitrary<OpenTimes> = fc.tuple(ascending(2000), ascending(2 ** 17)).chain(([buffers, sizes]) =>
  fc.record({
    look: fc.double({ min: 0, max: 20, noNaN: true }),
    buffers: fc.constant(buffers),
    sizes: fc.tuple(
      ...sizes.map((bytes) =>
        fc.record({
          bytes: fc.constant(bytes),
          push: fc.array(fc.double({ min: 0, max: 100, noNaN: true }), {
            ...{ minLength: buffers.length, maxLength: buffers.length },
          }),
        }),
      ),
    ),
  }),
);

const PES = 64;
/** PEs that are equally far. @param open undefined: not measured */
function machineWith(open: OpenTimes | undefined, pes = PES): MachineModel {
  const row = new Array<number>(pes).fill(50);
  return {
    ...({ schema: "tundish/machine@1", name: "m", source: "test", unit: "ns", measured: "" } as const),
    pes: row.map((_, cpu) => ({ cpu, core: cpu, numa: 0, package: 0 })),
    send: row.map((_, i) => row.map((ns, j) => (i === j ? 0 : ns))),
    receive: row.map((_, i) => row.map((ns, j) => (i === j ? 0 : ns))),
    items: { push: 3, pivot: 6, pull: 3, byte: { push: 0, pivot: 0, pull: 0 }, ...(open && { open }) },
  };
}
/** That of `items.open` of a machine that does not slow down. */
const flat: OpenTimes = { look: 0, buffers: [1, 1024], sizes: [{ bytes: 512, push: [4, 4] }] };
/** Beyond 16 buffers a push takes 40 ns more. */
const steep: OpenTimes = { look: 0, buffers: [1, 16, 32], sizes: [{ bytes: 512, push: [4, 4, 44] }] };

test("more buffers never make a push cheaper, however noisy the measurement; beyond it the last time counts", () => {
  const number = fc.double({ min: 1, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(openTimes, number, number, number, (open, a, b, bytes) => {
      const [few, many] = [openPush(open, Math.min(a, b), bytes), openPush(open, Math.max(a, b), bytes)];
      assert.ok(few >= 0 && many >= few, `${few} ${many}`);
      const most = open.buffers.at(-1) as number;
      assert.is(openPush(open, 10 * most, bytes), openPush(open, most, bytes));
      const largest = open.sizes.at(-1) as OpenTimes["sizes"][number];
      assert.is(openPush(open, a, 10 * largest.bytes), openPush(open, a, largest.bytes));
      assert.is(openPush(undefined, a, bytes), 0);
    }),
  );
});

test("where it was measured it is the difference to one buffer; between, half the way at the geometric mean", () => {
  const open: OpenTimes = {
    ...{ look: 1, buffers: [1, 4, 64] },
    sizes: [
      { bytes: 512, push: [3, 4, 7] },
      { bytes: 8192, push: [2, 6, 10] },
    ],
  };
  const found = [512, 2048, 8192].map((bytes) => [1, 2, 4, 16, 64].map((links) => openPush(open, links, bytes)));
  assert.equal(found, [
    [0, 0.5, 1, 2.5, 4],
    [0, 1.25, 2.5, 4.25, 6],
    [0, 2, 4, 6, 8],
  ]);
});

test("a session takes no less by the model where open buffers take time, and more of it with more of them", () => {
  const candidate = fc.record({
    ...{ type: fc.constantFrom("tensor" as const, "simple" as const), hops: fc.constant(1) },
    ...{ groupSize: fc.constant(PES), bufferBytes: fc.constantFrom(256, 4096, 65_536) },
    buffersPerLink: fc.constantFrom(1 as const, 2 as const, 4 as const),
  });
  const work = (open: OpenTimes | undefined, one: Candidate, destinations: number) => {
    const model = costModelOf(machineWith(open), { itemBytes: 16 });
    return predict(model, { itemBytes: 16, load: 10_000, destinations }, one, shapeCosts(model)(one)).work;
  };
  fc.assert(
    fc.property(openTimes, candidate, fc.integer({ min: 1, max: 1000 }), (open, one, destinations) => {
      assert.ok(work(open, one, destinations) >= work(undefined, one, destinations));
      // what an item takes is that of its push alone
      const extra = (to: number) => work({ ...open, look: 0 }, one, to) - work(undefined, one, to);
      // fewer destinations have the larger buffers, as more items come for each
      if (open.sizes.length === 1) assert.ok(extra(2 * destinations) >= extra(destinations) - 1e-6);
    }),
  );
});

test("a machine that was not measured so, or does not slow down, plans as before", () => {
  for (const load of [100, 10_000, 1_000_000]) {
    const [before, after] = [undefined, flat].map((open) => {
      const { options, expected, others, ...plan } = makePlan(machineWith(open), { itemBytes: 16, load });
      return { options, expected, others, text: plan.explain() };
    });
    assert.equal(after, before);
  }
});

test("more hops where one has many open buffers, and the reason in words", () => {
  const plan = (open: OpenTimes) => makePlan(machineWith(open), { itemBytes: 16, load: 1_000_000 });
  assert.is(plan(flat).expected.hops, 1);
  assert.not.match(plan(flat).explain(), /open buffers/);
  assert.is(plan(steep).expected.hops, 2);
  const reason =
    /^not \w+, 1 hop, .*; most of that is due to open buffers: 40\.0 ns instead of \d.* in a push, 0 instead of 0 in an advance$/m;
  assert.match(plan(steep).explain(), reason);
  // each of 64 links takes 500 ns
  const looking = plan({ ...flat, look: 500 });
  assert.is(looking.expected.hops, 2);
  assert.match(
    looking.explain(),
    /^not \w+, 1 hop, .* open buffers: 0 ns instead of 0 in a push, 32000 instead of \S+ in an advance$/m,
  );
});

test("the simulator takes as long as the model says, beside what it takes without", () => {
  const load = 20_000;
  for (const [open, groupSize, hops] of [
    [steep, PES, 1],
    [openByCaches(16), PES, 1],
    [openByCaches(16), 8, 2],
    [{ ...flat, look: 5 }, PES, 1],
    // until the last buffers are sent, over which nothing comes any more
    [{ ...flat, look: 5 }, 8, 2],
  ] as const) {
    const one: Candidate = { type: "tensor", hops, groupSize, bufferBytes: 4096, buffersPerLink: 2 };
    const [without, within] = [undefined, open].map((curve) => {
      const options = { pes: PES, machine: machineWith(curve) };
      const model = settle(options);
      const predicted = predict(model, { itemBytes: 16, load }, one, shapeCosts(model)(one)).time;
      return { predicted, simulated: timeOf({ name: "", options, itemBytes: 16, load, maxBytes: 2 ** 24 }, one) };
    });
    const [predicted, simulated] = (["predicted", "simulated"] as const).map((name) => within[name] - without[name]);
    assert.ok(simulated > 0 && Math.abs(predicted / simulated - 1) < 0.25, `${predicted} ${simulated} ns more`);
  }
});

test("PEs that share a CPU take turns at that too; over nodes the slowest one's counts", () => {
  const shared = machineWith(steep, 2);
  const { open } = costModelOf(
    { ...shared, pes: shared.pes.map((pe) => ({ ...pe, cpu: 0 })) },
    { itemBytes: 16 },
  ).costs;
  assert.is(openPush(open, 1024, 512), 80);
  const none = { source: null, near: null, internode: null, cpus: null };
  const nodes = [flat, undefined, steep].map((curve) => ({ ...none, items: machineWith(curve, 2).items ?? null }));
  const layout = { nodeOf: Int32Array.of(0, 1, 2), sizes: [1, 1, 1], areMapped: false, levels: [], costs: nodes };
  assert.equal(costModelOver(layout, 16).costs.open, steep);
});

test.run();
