/** The PEs of `bench loops`: one job. The overhead is measured as in peers/c/openmp/loops.c. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { forRange, type LoopOptions, tasks } from "../../../../src/loop.ts";
import { ALONE, EACH, type LoopAnswer, type LoopJob, type OverheadJob } from "./job.ts";
import { Measuring, work } from "./measuring.ts";
import { quadrature } from "./quadrature.ts";
import { sync } from "./sync.ts";

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
  return [measuring.alone(ALONE, () => body(0, EACH), EACH), ...whole, measured("task", spawned), ...kinds];
}

const RUN: { readonly [K in LoopJob["kind"]]: (pe: PE, job: Extract<LoopJob, { kind: K }>) => Entries } = {
  overhead,
  sync,
  quadrature,
};

const program: Spmd = spmd((pe: PE, args: unknown): LoopAnswer => {
  const job = args as LoopJob;
  const run = RUN[job.kind] as (pe: PE, job: LoopJob) => Entries;
  return { bound: pe.cpu !== null, entries: run(pe, job) };
});

export default program;
