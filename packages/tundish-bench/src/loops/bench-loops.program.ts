/** The PEs of `bench loops`: one job. The overhead is measured as in peers/c/loops.c, whose work and batches it has. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { forEach, forRange, type LoopOptions, tasks } from "../../../../src/loop.ts";
import { compare } from "../programs/bench-programs.program.ts";
import { ALONE, EACH, type LoopAnswer, type OverheadJob, type UnevenJob } from "./job.ts";
import { UNEVEN } from "./works.ts";

type Entries = LoopAnswer["entries"];

/** Sixteen dependent multiplications and additions. */
function work(from: number): number {
  let x = from;
  for (let i = 0; i < 16; i++) x = x * 0.5 + 1;
  return x;
}

function spawnMany(one: () => void): void {
  for (let i = 0; i < EACH; i++) one();
}

function overhead(pe: PE, { batches, batchMs, chunks }: OverheadJob): Entries {
  const sink = new Float64Array(1);
  let iterations = 0;
  const n = EACH * pe.size;
  // as a compiler of OpenMP makes it: a loop over each chunk
  const body = (begin: number, end: number): void => {
    let x = sink[0] as number;
    for (let i = begin; i < end; i++) {
      x = work(x);
      iterations++;
    }
    sink[0] = x;
  };
  const alone = (): void => body(0, EACH);
  const scheduled = (options: LoopOptions) => (): void => {
    forRange(pe, n, body, options);
  };
  /** ns of some loops. */
  const time = (loop: () => void, count: number, isAlone: boolean): number => {
    pe.barrier();
    const start = performance.now();
    if (!isAlone || pe.rank === 0) for (let k = 0; k < count; k++) loop();
    pe.barrier();
    return (performance.now() - start) * 1e6;
  };
  const measured = (what: string, loop: () => void): Entries[number] => {
    const isAlone = what === ALONE;
    const batchNs = batchMs * 1e6;
    let batch = 1;
    let quickest = 0;
    for (; ; batch *= 2) {
      quickest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 4; i++) quickest = Math.min(quickest, time(loop, batch, isAlone));
      quickest = pe.broadcast(quickest, 0);
      if (quickest >= batchNs / 4) break;
    }
    batch = Math.floor((batch * batchNs) / quickest) + 1;
    time(loop, batch, isAlone);
    iterations = 0;
    const samples = Array.from({ length: batches }, () => time(loop, batch, isAlone) / batch / EACH);
    const expected = batches * batch * (isAlone ? EACH : n);
    const run = pe.allreduce(iterations, "sum");
    if (run !== expected) throw new Error(`${what}: expected ${expected} iterations, got ${run}`);
    return { what, batch: batch * EACH, samples };
  };
  const kinds = (["static", "dynamic", "guided", "steal"] as const).flatMap((schedule) =>
    chunks.map((chunk) => measured(`${schedule}, ${chunk}`, scheduled({ schedule, chunk }))),
  );
  const whole = (["static", "steal", "auto"] as const).map((schedule) => measured(schedule, scheduled({ schedule })));
  const each = tasks(pe, {
    one() {
      sink[0] = work(sink[0] as number);
      iterations++;
    },
  });
  const spawned = (): void => each.run((spawn) => spawnMany(spawn.one));
  return [measured(ALONE, alone), ...whole, measured("task", spawned), ...kinds];
}

function uneven(pe: PE, { name, quick, runs }: UnevenJob): Entries {
  const { count, one } = UNEVEN[name](quick);
  const alone = (): number => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += one(i);
    return sum;
  };
  const ways: readonly (readonly [string, () => number])[] =
    pe.size === 1
      ? [[ALONE, alone]]
      : (["static", "dynamic", "guided", "steal", "auto"] as const).map((schedule) => [
          schedule,
          () => forEach(pe, count, one, { schedule, reduce: "sum" }),
        ]);
  const whole = alone();
  // in turn, so that what the machine does meanwhile hits all alike; the first round is not counted
  const samples = ways.map((): number[] => []);
  for (let round = 0; round <= runs; round++) {
    for (const [k, [way, run]] of ways.entries()) {
      pe.barrier();
      const start = performance.now();
      const sum = run();
      const ns = (performance.now() - start) * 1e6;
      compare(pe, `${name}, ${way}`, { first: 0, values: [sum] }, [whole], 0);
      if (round > 0) samples[k]?.push(ns);
    }
  }
  return ways.map(([way], k) => ({ what: `${name}, ${way}`, batch: 1, samples: samples[k] as number[] }));
}

const program: Spmd = spmd((pe: PE, args: unknown): LoopAnswer => {
  const job = args as OverheadJob | UnevenJob;
  return { bound: pe.cpu !== null, entries: job.kind === "overhead" ? overhead(pe, job) : uneven(pe, job) };
});

export default program;
