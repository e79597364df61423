/** What each PE does with kernels; its answer says what was found. */

import { webAssembly } from "../../../../src/facilities/kernel/web-assembly.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { addressOf, type Kernel, kernel, kernelAsync, memoryOf } from "../../../../src/kernel.ts";
import type { State } from "../support/state.ts";

export interface Job {
  readonly what:
    | "state"
    | "module"
    | "stacks"
    | "overrun"
    | "differing"
    | "one fails"
    | "again"
    | "throws"
    | "compiled";
  readonly bytes: ArrayLike<number>;
  readonly isAsync?: boolean;
  readonly rounds?: number;
  readonly stackBytes?: number;
}

const made = <E>(pe: PE, { bytes, isAsync }: Job, options = {}): Kernel<E> | Promise<Kernel<E>> =>
  isAsync ? kernelAsync<E>(pe, bytes as Uint8Array, options) : kernel<E>(pe, bytes as Uint8Array, options);
const sum = (pe: PE, x: number): Promise<number> => pe.allreduceAsync(x, "sum");

interface Plain {
  load(at: number): number;
  store(at: number, x: number): void;
}

/** Static data is one for a node, thread-local data and the stack are the PE's own. */
async function state(pe: PE, job: Job): Promise<unknown> {
  const offset = () => pe.rank;
  using k = await made<State>(pe, job, { imports: { env: { offset } } });
  const { rounds = 100 } = job;
  await pe.barrierAsync();
  for (let i = 0; i < rounds; i++) k.exports.count();
  const calls = [k.exports.callsHere(), k.exports.callsHere()];
  await pe.barrierAsync();
  const counted = k.exports.count() >= 3 + rounds * pe.nodeSize;
  const numbers = [k.exports.number(0), k.exports.number(1)];
  const applied = [k.exports.apply(0, 5) - pe.rank, k.exports.apply(1, 5) - pe.rank];
  return { calls, counted, numbers, applied, constructed: k.exports.constructedTimes7() };
}

/** All PEs have values on their stacks at the same time. */
async function stacks(pe: PE, job: Job): Promise<unknown> {
  using k = await made<State>(pe, job, { imports: { env: { offset: () => 0 } }, stackBytes: 8192 });
  await pe.barrierAsync();
  let found = 1000;
  for (let i = 0; i < 50; i++) found = Math.min(found, k.exports.onStack(pe.rank + 1, job.rounds ?? 10));
  return found;
}

async function overrun(pe: PE, job: Job): Promise<unknown> {
  // room below the stack, so that nothing else is overwritten
  const before = await pe.allocAsync(Float64Array, 2000);
  const k = await made<State>(pe, job, { imports: { env: { offset: () => 0 } }, stackBytes: 3968 });
  await pe.barrierAsync();
  if (pe.rank === 0) k.exports.onStack(1, 1);
  await pe.barrierAsync();
  try {
    k.free();
    return before.length;
  } catch (error) {
    return (error as Error).message;
  }
}

async function plain(pe: PE, job: Job): Promise<unknown> {
  const k = await made<Plain>(pe, job);
  const x = await pe.allocSharedAsync(Float64Array, pe.nodeSize);
  k.exports.store(addressOf(x) + 8 * pe.nodeRank, pe.rank + 0.5);
  await pe.barrierAsync();
  const first = k.exports.load(addressOf(x.subarray(pe.nodeSize - 1)));
  k.free();
  k.free();
  return [first, memoryOf(pe).buffer === x.buffer];
}

/** What the call throws at each PE; the world goes on. */
async function thrown(pe: PE, job: Job): Promise<unknown> {
  try {
    await made(pe, job, { stackBytes: job.stackBytes });
    return "nothing";
  } catch (error) {
    return [(error as Error).message, await sum(pe, 1)];
  }
}

async function differing(pe: PE, job: Job): Promise<unknown> {
  const bytes = pe.rank === 1 ? Uint8Array.from([...Array.from(job.bytes), 0, 2, 1, 0x61]) : job.bytes;
  return thrown(pe, { ...job, bytes });
}

/** @returns bytes of the heap that are free before and after many kernels */
async function again(pe: PE, job: Job): Promise<unknown> {
  const offset = () => 0;
  const constructed: number[] = [];
  const tops: number[] = [];
  for (let i = 0; i < (job.rounds ?? 20); i++) {
    await pe.barrierAsync();
    const k = await made<State>(pe, job, { imports: { env: { offset } } });
    constructed.push(k.exports.constructedTimes7(), k.exports.number(0));
    await pe.barrierAsync();
    k.free();
    await pe.barrierAsync();
    const array = await pe.allocSharedAsync(Uint8Array, 1);
    tops.push(addressOf(array));
    await pe.freeAsync(array);
  }
  return [Math.min(...constructed), Math.max(...constructed), tops.at(-1) === tops[2]];
}

/** A module that the program has compiled: with static data that a linker has placed, and without. */
function compiled(pe: PE, { bytes }: Job): unknown {
  using k = kernel<State>(pe, new webAssembly.Module(bytes as Uint8Array), { imports: { env: { offset: () => 0 } } });
  return [k.exports.callsHere(), k.exports.number(0), k.exports.constructedTimes7()];
}

const program: Spmd = spmd((pe: PE, args: unknown) => {
  const given = args as Job;
  // over nodes arguments are JSON
  const job = { ...given, bytes: Uint8Array.from(given.bytes) };
  const { what } = job;
  if (what === "state") return state(pe, job);
  if (what === "stacks") return stacks(pe, job);
  if (what === "overrun") return overrun(pe, job);
  if (what === "module") return plain(pe, job);
  if (what === "differing") return differing(pe, job);
  if (what === "one fails") return thrown(pe, pe.rank === 1 ? { ...job, bytes: Uint8Array.of(1) } : job);
  if (what === "compiled") return compiled(pe, job);
  if (what === "again") return again(pe, job);
  return thrown(pe, job);
});
export default program;
