/** Arrays of allocShared that are larger than the heap: seen by all PEs of a node, taken by collectives, loops and shared data as others. */
import * as assert from "uvu/assert";
import { f64, HeapError, type PE, type Spmd, spmd, struct, UsageError, u8 } from "../../../src/index.ts";
import { addressOf } from "../../../src/kernel.ts";
import { forRangeAsync, mapEachAsync, reduceEachAsync, scanEachAsync } from "../../../src/loop.ts";
import { seatOf } from "../../../src/pe/seat-of.ts";
import { sharedMatrix, sharedStructs } from "../../../src/shared.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly isAsync: boolean;
  /** Elements of 8 bytes: more than the heap has room for. */
  readonly length: number;
}

/** The call, blocking or not. */
async function call<T>(pe: PE, { isAsync }: Args, name: string, ...args: readonly unknown[]): Promise<T> {
  const calls = pe as unknown as Record<string, (...args: readonly unknown[]) => T>;
  return (await calls[isAsync ? `${name}Async` : name]?.apply(pe, args as unknown[])) as T;
}

const failureOf = (failing: Promise<unknown>): Promise<Error> =>
  failing.then(
    () => assert.unreachable("not refused") as never,
    (error: Error) => error,
  );

/** One memory for the PEs of a node, zeroed, which each of them reads and writes. */
async function seen(pe: PE, args: Args): Promise<Float64Array> {
  const x = await call<Float64Array>(pe, args, "allocShared", Float64Array, args.length);
  assert.equal([x.length, x.byteOffset], [args.length, 0]);
  assert.ok(x.every((value) => value === 0));
  await call(pe, args, "barrier");
  x[args.length - 1 - pe.nodeRank] = pe.nodeRank + 1;
  await call(pe, args, "barrier");
  for (let one = 0; one < pe.nodeSize; one++) assert.is(x[args.length - 1 - one], one + 1);
  await call(pe, args, "barrier");
  return x;
}

async function collectives(pe: PE, args: Args, x: Float64Array): Promise<void> {
  const each = args.length / pe.size;
  const part = (of: Float64Array) => of.subarray(pe.rank * each, (pe.rank + 1) * each);
  const y = await call<Float64Array>(pe, args, "allocShared", Float64Array, args.length);
  // parts of this PE's own, at their place already, and of the heap; into both arrays in turn
  for (const [round, into] of pe.nodes > 1 ? [] : [x, y, y, x].entries()) {
    const own = round === 2 ? part(y) : Float64Array.from({ length: each }, (_, i) => round * 1e6 + pe.rank * each + i);
    if (round === 2) for (let i = 0; i < each; i++) own[i] = round * 1e6 + pe.rank * each + i;
    assert.is(await call(pe, args, "allgather", own, { into }), into);
    assert.ok(
      into.every((value, i) => value === round * 1e6 + i),
      `round ${round}`,
    );
    // the next one writes it
    await call(pe, args, "barrier");
  }
  await call(pe, args, "gather", part(x).subarray(0, 1000), 0);
  const small = x.subarray(pe.nodeRank * 100, pe.nodeRank * 100 + 100).fill(pe.rank);
  await call(pe, args, "allreduce", small, "max");
  assert.ok(small.every((value) => value === pe.size - 1));
  const whole = pe.nodeSize > 1 && (await failureOf(call(pe, args, "allreduce", x, "sum")));
  if (whole) assert.match(whole.message, /got one of allocShared\(\) that PE \d+ of the group shares/);
  await call(pe, args, "free", y);
  assert.match((await failureOf(call(pe, args, "gather", y))).message, /given back with free/);
}

async function loops(pe: PE, x: Float64Array): Promise<void> {
  const n = x.length;
  await forRangeAsync(pe, n, (begin, end) => {
    for (let i = begin; i < end; i++) x[i] = i;
  });
  assert.is(await reduceEachAsync(pe, n, (i) => x[i] as number, "sum"), (n * (n - 1)) / 2);
  await mapEachAsync(pe, n, (i) => n - i, { into: x });
  assert.equal([x[0], x[n - 1]], [n, 1]);
  await pe.barrierAsync();
  await scanEachAsync(pe, n, () => 1, "sum", { into: x });
  assert.ok(x.every((value, i) => value === i + 1));
  assert.is(await reduceEachAsync(pe, x, (value) => value, "max"), n);
}

/** Matrices and structs, of real PEs: of virtual ones these calls cannot wait. */
function data(pe: PE, length: number): void {
  const rows = 300;
  const columns = Math.ceil(length / rows);
  const grid = sharedMatrix(pe, f64, rows, columns, { name: "grid" });
  for (let i = pe.rank; i < rows; i += pe.size) grid.row(i).fill(i);
  pe.barrier();
  for (let i = 0; i < rows; i++) assert.equal([grid.data[i * columns], grid.data[(i + 1) * columns - 1]], [i, i]);
  const bodies = sharedStructs(pe, struct({ mass: f64, kind: u8 }), length);
  for (let i = pe.rank; i < length; i += pe.size) {
    bodies.columns.mass[i] = i;
    bodies.at(i).kind = i % 200;
  }
  pe.barrier();
  for (let i = 0; i < length; i += 997) assert.equal([bodies.at(i).mass, bodies.columns.kind[i]], [i, i % 200]);
  pe.barrier();
  grid.leave();
  bodies.leave();
}

/** What has no room says how much was asked for and how much there is, at all PEs, and the world goes on. */
async function refused(pe: PE, args: Args): Promise<void> {
  // virtual PEs have one process
  process.availableMemory = () => 1_000_000;
  await call(pe, args, "barrier");
  const error = await failureOf(call(pe, args, "allocShared", Float64Array, args.length));
  await call(pe, args, "barrier");
  process.availableMemory = AVAILABLE;
  await call(pe, args, "barrier");
  assert.instance(error, HeapError);
  const bytes = args.length * 8;
  assert.match(
    error.message,
    new RegExp(`^allocShared: cannot have ${bytes} bytes .*: 1000000 are free .* 124992 elements have room\\.`),
  );
}

const AVAILABLE = process.availableMemory;

/** All of it. @returns bytes that the heap has left */
async function round(pe: PE, args: Args): Promise<number> {
  const x = await seen(pe, args);
  assert.throws(
    () => addressOf(x),
    (error: Error) => error instanceof UsageError && /one that is larger than the heap/.test(error.message),
  );
  await collectives(pe, args, x);
  if (pe.nodes === 1) await loops(pe, x);
  await call(pe, args, "free", x);
  await refused(pe, args);
  if (!args.isAsync) data(pe, args.length);
  await call(pe, args, "barrier");
  const { unused } = seatOf(pe, "test").heap;
  await call(pe, args, "barrier");
  return unused;
}

const main: Spmd<string> = spmd(async (pe, given: unknown) => {
  const args = given as Args;
  assert.ok(args.length * 8 > seatOf(pe, "test").heap.bytes);
  // in the first one staging memory is taken, which is kept
  const lefts = [await round(pe, args), await round(pe, args), await round(pe, args)];
  assert.is(lefts[2], lefts[1]);
  return "fine";
});

export default main;
