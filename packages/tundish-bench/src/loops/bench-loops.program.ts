/** The PEs of `bench loops`: one job. The overhead is measured as in peers/c/loops.c. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { forEach, forRange, type LoopOptions, tasks } from "../../../../src/loop.ts";
import { compare } from "../programs/bench-programs.program.ts";
import { ALONE, EACH, type LoopAnswer, type LoopJob, type OverheadJob, type UnevenJob } from "./job.ts";
import { Measuring, work } from "./measuring.ts";
import { quadrature } from "./quadrature.ts";
import { sync } from "./sync.ts";
import { UNEVEN } from "./works.ts";

type Entries = LoopAnswer["entries"];

function spawnMany(one: () => void): void {
  for (let i = 0; i < EACH; i++) one();
}

function overhead(pe: PE, job: OverheadJob): Entries {
  const measuring = new Measuring(pe, job);
  const sink = new Float64Array(1);
  const n = EACH * pe.size;
  // as a compiler of OpenMP makes it: a loop over each chunk
  const body = (begin: number, end: number): void => {
    let x = sink[0] as number;
    for (let i = begin; i < end; i++) {
      x = work(x);
      measuring.iterations++;
    }
    sink[0] = x;
  };
  const scheduled = (options: LoopOptions) => (): void => {
    forRange(pe, n, body, options);
  };
  const measured = (what: string, loop: () => void) => measuring.measured(what, loop, EACH);
  const kinds = (["static", "dynamic", "guided", "steal"] as const).flatMap((schedule) =>
    job.chunks.map((chunk) => measured(`${schedule}, ${chunk}`, scheduled({ schedule, chunk }))),
  );
  const whole = (["static", "steal", "auto"] as const).map((schedule) => measured(schedule, scheduled({ schedule })));
  const each = tasks(pe, {
    one() {
      sink[0] = work(sink[0] as number);
      measuring.iterations++;
    },
  });
  const spawned = (): void => each.run((spawn) => spawnMany(spawn.one));
  return [measured(ALONE, () => body(0, EACH)), ...whole, measured("task", spawned), ...kinds];
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

const RUN: { readonly [K in LoopJob["kind"]]: (pe: PE, job: Extract<LoopJob, { kind: K }>) => Entries } = {
  overhead,
  uneven,
  sync,
  quadrature,
};

const program: Spmd = spmd((pe: PE, args: unknown): LoopAnswer => {
  const job = args as LoopJob;
  const run = RUN[job.kind] as (pe: PE, job: LoopJob) => Entries;
  return { bound: pe.cpu !== null, entries: run(pe, job) };
});

export default program;
