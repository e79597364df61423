/** Very many small calls of every collective, and what they leave behind. */
import v8 from "node:v8";
import vm from "node:vm";
import * as assert from "uvu/assert";
import { type Group, type PE, type Spmd, spmd } from "../../../src/index.ts";
import { random } from "../support/reference.ts";
import { usedBytes } from "./groups.program.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly calls: number;
  readonly form: "blocking" | "async";
}

/** What is in use: bytes of the shared heap, and of this thread's own after a collection. */
export interface Usage {
  readonly heap: number;
  readonly own: number;
}

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;

function usage(pe: PE): Usage {
  pe.barrier();
  collect();
  return { heap: usedBytes(pe), own: v8.getHeapStatistics().used_heap_size };
}

const short = new Int32Array(5);
const long = new Float64Array(150);
const longer = new Int32Array(150);

const parts = ({ size }: Group, i: number): number[] => Array(size).fill(i);
const arrays = ({ size }: Group, first: Int32Array, rest: Int32Array) =>
  Array.from({ length: size }, (_, to) => (to === 0 ? first : rest));

/** Calls and what they must give, in both forms; the common ones more often. */
const CALLS: readonly [
  times: number,
  call: (group: Group, i: number) => unknown,
  later: (group: Group, i: number) => Promise<unknown>,
][] = [
  [30, (g) => g.barrier(), (g) => g.barrierAsync()],
  [
    20,
    (g, i) => expect(g.broadcast(i, i % g.size), i),
    async (g, i) => expect(await g.broadcastAsync(i, i % g.size), i),
  ],
  [10, (g, i) => g.reduce(i, "sum", i % g.size), (g, i) => g.reduceAsync(i, "sum", i % g.size)],
  [20, (g, i) => expect(g.allreduce(i, "max"), i), async (g, i) => expect(await g.allreduceAsync(i, "max"), i)],
  [4, (g, i) => expect(g.allreduce(short.fill(i), "min")[4], i), (g, i) => g.allreduceAsync(short.fill(i), "min")],
  [2, (g, i) => expect(g.allreduce(long.fill(i), "min")[149], i), (g, i) => g.allreduceAsync(long.fill(i), "min")],
  [
    2,
    (g, i) => expect(g.broadcast(long.fill(i), i % g.size)[149], i),
    (g, i) => g.broadcastAsync(long.fill(i), i % g.size),
  ],
  [2, (g, i) => expect(g.scan(i, "max"), i), (g, i) => g.scanAsync(i, "max")],
  [2, (g, i) => g.exscan(short.fill(i), "max"), (g, i) => g.exscanAsync(short.fill(i), "max")],
  [1, (g, i) => g.gather(i, i % g.size), (g, i) => g.gatherAsync(i, i % g.size)],
  [1, (g) => expect(g.allgather(short).length, 5 * g.size), (g) => g.allgatherAsync(short)],
  [1, (g, i) => expect(g.scatter(parts(g, i), i % g.size), i), (g, i) => g.scatterAsync(parts(g, i), i % g.size)],
  [1, (g, i) => expect(g.alltoall(parts(g, i))[1], i), (g, i) => g.alltoallAsync(parts(g, i))],
  [
    1,
    (g) => expect(g.alltoallv(arrays(g, short, longer))[0].length, g.rank === 0 ? 5 : 150),
    (g) => g.alltoallvAsync(arrays(g, short, short)),
  ],
  [1, (g, i) => g.broadcast({ i }, i % g.size), (g, i) => g.broadcastAsync({ i }, i % g.size)],
  [
    1,
    (g, i) => g.free(g.alloc(Uint8Array, i % 3000)),
    async (g, i) => g.freeAsync(await g.allocAsync(Uint8Array, i % 3000)),
  ],
  [
    1,
    (g, i) => g.free(g.allocShared(Uint8Array, i % 3000)),
    async (g, i) => g.freeAsync(await g.allocSharedAsync(Uint8Array, i % 3000)),
  ],
  [1, (g, i) => expect(g.reduceScatter(parts(g, i), "max"), i), (g, i) => g.reduceScatterAsync(parts(g, i), "max")],
  [
    1,
    (g, i) => expect(g.allreduce({ value: i, index: g.rank }, "minloc").index, 0),
    (g, i) => g.allreduceAsync({ value: i, index: g.rank }, "minloc"),
  ],
  // making a group takes a thousand times as long as a call
  [
    1,
    (g, i) => g.split(i % 16 === 0 ? 0 : null)?.leave(),
    async (g, i) => (await g.splitAsync(i % 16 === 0 ? 0 : null))?.leave(),
  ],
  [1, (g, i) => g.allreduce(BigInt(i), "xor"), (g, i) => g.allreduceAsync(BigInt(i), "xor")],
];

function expect(got: unknown, expected: unknown): void {
  if (got !== expected) assert.unreachable(`got ${String(got)}, not ${String(expected)}`);
}

const WHEEL = CALLS.flatMap(
  ([times, call, later]) =>
    Array(times).fill({ call, later }) as { call: (typeof CALLS)[0][1]; later: (typeof CALLS)[0][2] }[],
);

const program: Spmd = spmd(async (pe, args) => {
  const { calls, form } = args as Args;
  const groups: readonly Group[] = [pe, pe, pe, pe.group([...Array(pe.size).keys()].reverse())];
  const next = random(11);
  const usages: Usage[] = [];
  for (let i = 0; i < calls; i++) {
    // after a tenth everything that is made once is there
    if (i === Math.floor(calls / 10)) usages.push(usage(pe));
    const { call, later } = WHEEL[Math.floor(next() * WHEEL.length)];
    const group = groups[Math.floor(next() * groups.length)];
    if (form === "blocking") call(group, i);
    else await later(group, i);
  }
  usages.push(usage(pe));
  return usages;
});

export default program;
