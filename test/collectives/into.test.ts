/** Arrays that are given for results: what is refused, when, and what goes on then. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError, UsageError } from "../../src/ground/base/errors.ts";
import { createWorld, join, type PE } from "../../src/index.ts";

const into = suite("into");

/** Two PEs of a world in this thread. */
async function withTwo(body: (a: PE, b: PE) => Promise<void>): Promise<void> {
  using host = await createWorld({ pes: 2, heapBytes: 2 ** 24 });
  using a = await join(host.ticket(0));
  using b = await join(host.ticket(1));
  await body(a, b);
}

/** Calls with what the types refuse. */
const callLoose = (pe: PE, call: string, ...args: unknown[]): Promise<unknown> =>
  (pe as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[call]?.(...args) ??
  Promise.reject(new Error(call));
const messageOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => new Error("no error"),
    (error: unknown) => error as Error,
  );
  assert.instance(error, UsageError);
  return error.message;
};

into("what does not fit is refused before the call, which affects nobody", () =>
  withTwo(async (a, b) => {
    const x = Float64Array.of(1, 2, 3, 4);
    const shared = await Promise.all([a, b].map((pe) => pe.allocSharedAsync(Float64Array, 8)));
    const freed = await Promise.all([a, b].map((pe) => pe.allocAsync(Float64Array, 4)));
    await Promise.all([a.freeAsync(freed[0] as Float64Array), b.freeAsync(freed[1] as Float64Array)]);
    const longer = new Float64Array(6);
    const cases: readonly (readonly [call: string, args: unknown[], into: unknown, RegExp])[] = [
      ["alltoallAsync", [x], new Float64Array(3), /^into: expected at least 4 elements for the result, got 3/],
      ["alltoallAsync", [x], new Float32Array(4), /^into: expected a Float64Array for the result, got /],
      ["alltoallAsync", [x], [1, 2, 3, 4], /^into: expected one array, or a list of 2, got a list of 4/],
      ["alltoallAsync", [x], [1, 2], /^into: expected a Float64Array for the result, got 1/],
      ["alltoallAsync", [x], [longer, new Float64Array(1)], /^into: expected at least 2 elements/],
      ["alltoallAsync", [x], [longer, x], /^into: expected memory of its own, got some that x has/],
      ["allgatherAsync", [x], [longer, longer.subarray(5)], /^into: expected memory of its own/],
      ["allgatherAsync", ["a"], [longer, longer], /^into: expected none, as the result is no array/],
      ["gatherAsync", [x, 0], [longer], /^into: expected one array, or a list of 2, got a list of 1/],
      ["scatterAsync", [x, 0], [longer, longer], /^into: expected a Float64Array for the result/],
      ["reduceScatterAsync", [x, "sum"], [longer, longer], /^into: expected a Float64Array for the result/],
      ["alltoallAsync", [x], x, /^into: expected memory of its own, got some that x has/],
      ["alltoallAsync", [longer.subarray(0, 4)], longer.subarray(3), /^into: expected (memory|at least)/],
      ["alltoallAsync", [["a", "b"]], longer, /^into: expected none, as the result is no array/],
      ["alltoallAsync", [x], shared[0], /^Expected an array of this PE's own/],
      ["alltoallAsync", [x], freed[0], /given back with free/],
      ["allgatherAsync", [1], longer, /^into: expected none/],
      ["gatherAsync", [x, 0], new DataView(new ArrayBuffer(8)), /^into: expected a Float64Array/],
      ["scatterAsync", [x, 0], new Float64Array(1), /^into: expected at least 2 elements/],
      ["reduceScatterAsync", [x, "sum"], new Float64Array(1), /^into: expected at least 2 elements/],
      ["reduceScatterAsync", [[1, 2], "sum"], longer, /^into: expected none/],
      ["alltoallvAsync", [[x, x]], [longer], /^into: expected one array, or a list of 2, got a list of 1/],
      ["alltoallvAsync", [[x, x]], [longer, longer], /^into: expected memory of its own/],
      ["alltoallvAsync", [[x, x]], [longer, undefined], /^into: expected a Float64Array/],
    ];
    for (const [call, args, given, expected] of cases) {
      const message = await messageOf(callLoose(a, call, ...args, { into: given }));
      assert.match(message, expected, `${call}: ${message}`);
    }
    // the calls that have no such option
    assert.match(await messageOf(callLoose(a, "barrierAsync", { into: x })), /unknown option 'into'/i);
    const results = await Promise.all([a.allreduceAsync(1, "sum"), b.allreduceAsync(1, "sum")]);
    assert.equal(results, [2, 2], "the world goes on");
  }),
);

into("what turns out to be too short is refused at its PE only, and the world goes on", () =>
  withTwo(async (a, b) => {
    const short = () => ({ into: new Float64Array(2) });
    const x = (n: number) => new Float64Array(n).fill(n);
    const calls: readonly (readonly [there: Promise<unknown>, here: Promise<unknown>, expected: unknown])[] = [
      [a.gatherAsync(x(1), 0, short()), b.gatherAsync(x(3), 0), undefined],
      [a.allgatherAsync(x(1), short()), b.allgatherAsync(x(3)), Float64Array.of(1, 3, 3, 3)],
      [a.alltoallvAsync([x(1), x(2)], short()), b.alltoallvAsync([x(3), x(1)]), [x(2), x(1)]],
      [a.alltoallvAsync([x(1), x(2)], { into: [x(1), x(2)] }), b.alltoallvAsync([x(3), x(1)]), [x(2), x(1)]],
      [a.gatherAsync(x(1), 0, { into: [x(1), x(2)] }), b.gatherAsync(x(3), 0), undefined],
      [a.allgatherAsync(x(1), { into: [x(0), x(3)] }), b.allgatherAsync(x(3), { into: [x(2), x(4)] }), [x(1), x(3)]],
      [a.scatterAsync<Float64Array>(undefined as never, 1, short()), b.scatterAsync(x(6), 1), x(3).fill(6)],
      [
        a.scatterAsync<Float64Array>(undefined as never, 1, { into: new Float32Array(9) as never }),
        b.scatterAsync(x(6), 1),
        x(3).fill(6),
      ],
    ];
    for (const [there, here, expected] of calls) {
      assert.match(
        await messageOf(there),
        /^into(\[[01]\])?: expected a Float64Array with room for [134], got a Float(64|32)Array of \d\. The other PEs have their results; pass a (larger one|Float64Array) in/,
      );
      assert.equal(await here, expected);
    }
    assert.equal(await Promise.all([a.allreduceAsync(1, "sum"), b.allreduceAsync(1, "sum")]), [2, 2]);
  }),
);

into("only the root's counts in a gather, and nobody's is kept", () =>
  withTwo(async (a, b) => {
    const [first, second] = [new Float64Array(4), new Float64Array(4)];
    for (const given of [first, second]) {
      const results = await Promise.all([
        a.gatherAsync(Float64Array.of(1, 2), 0, { into: given }),
        b.gatherAsync(Float64Array.of(3, 4), 0, { into: new Float64Array(1) }),
      ]);
      assert.ok(results[0] === given);
      assert.equal([...given], [1, 2, 3, 4]);
      given.fill(0);
    }
    await Promise.all([a.allgatherAsync(first.subarray(0, 1)), b.allgatherAsync(second.subarray(0, 1))]);
    assert.equal([...first, ...second], Array(8).fill(0));
  }),
);

for (const [name, given, told] of [
  [
    "another one",
    1,
    /PE 0 called allgather of f64\[\] \(into an array that all share, at byte \d+\); PE 1 called .*, at byte \d+\)/,
  ],
  ["none", 2, /PE 1 called allgather of f64\[\] \(call number/],
] as const)
  into(`an array that all share, and ${name} at another PE`, () =>
    withTwo(async (a, b) => {
      const x = new Float64Array(500);
      const rooms = await Promise.all(
        [0, 1].map(() => Promise.all([a, b].map((pe) => pe.allocSharedAsync(Float64Array, 1000)))),
      );
      const calls = [
        a.allgatherAsync(x, { into: rooms[0]?.[0] }),
        b.allgatherAsync(x, given === 1 ? { into: rooms[1]?.[1] } : {}),
      ];
      for (const one of await Promise.allSettled(calls)) {
        const { reason } = one as PromiseRejectedResult;
        assert.instance(reason, MismatchError);
        assert.match(reason.message, told);
      }
    }),
  );

into(
  "parts of different lengths that fill the array: each in its place, though a PE's own is copied early",
  async () => {
    using host = await createWorld({ pes: 3, heapBytes: 2 ** 26 });
    const pes = await Promise.all([0, 1, 2].map((rank) => join(host.ticket(rank))));
    for (const unit of [1, 5000, 40_000]) {
      for (const lengths of [
        [1, 2, 3],
        [3, 2, 1],
        [2, 2, 2],
        [0, 3, 3],
      ]) {
        const parts = await Promise.all(
          pes.map(async (pe, rank) => {
            const x = await pe.allocAsync(Float64Array, 3 * unit);
            return x.fill(rank + 1).subarray(0, unit * (lengths[rank] as number));
          }),
        );
        const rooms = await Promise.all(pes.map((pe) => pe.allocAsync(Float64Array, 6 * unit)));
        const whole = (got: unknown): number[] => {
          const room = rooms.find(({ byteOffset }) => byteOffset === (got as Float64Array).byteOffset) as Float64Array;
          const all = [...room];
          room.fill(0);
          return all;
        };
        const filled = lengths.flatMap((length, rank) => new Array<number>(length * unit).fill(rank + 1));
        const expected = [...filled, ...new Array<number>(6 * unit - filled.length).fill(0)];
        for (const root of [0, 1, 2]) {
          const all = pes.map((pe, rank) => pe.gatherAsync(parts[rank] as Float64Array, root, { into: rooms[rank] }));
          assert.equal(whole((await Promise.all(all))[root]), expected);
        }
        const all = pes.map((pe, rank) => pe.allgatherAsync(parts[rank] as Float64Array, { into: rooms[rank] }));
        for (const got of await Promise.all(all)) assert.equal([...got], expected);
      }
    }
    for (const pe of pes) await pe.leave();
  },
);

into("an option that is unknown beside `into`", () =>
  withTwo(async (a) => {
    const x = await Promise.resolve(new Float64Array(2));
    const message = await messageOf(callLoose(a, "allgatherAsync", x, { into: new Float64Array(4), timeuot: 1 }));
    assert.match(message, /^allgather: unknown option 'timeuot'; did you mean 'timeout'\?/);
  }),
);

into.run();
