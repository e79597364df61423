/** The PEs of `bench loops` with iterations that take different times: under one schedule, the first time and later. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { forEach } from "../../../../src/loop.ts";
import { compare } from "../programs/bench-programs.program.ts";
import { ALONE, FIRST, LATER, type LoopAnswer, type UnevenJob } from "./job.ts";
import { UNEVEN } from "./works.ts";

function uneven(pe: PE, { name, schedule, quick, later }: UnevenJob): LoopAnswer["entries"] {
  const { count, one } = UNEVEN[name](quick, pe);
  const alone = (): number => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += one(i);
    return sum;
  };
  const run = schedule === null ? alone : () => forEach(pe, count, one, { schedule, reduce: "sum" });
  const samples: number[] = [];
  const sums: number[] = [];
  for (let k = 0; k <= later; k++) {
    pe.barrier();
    const start = performance.now();
    sums.push(run());
    samples.push((performance.now() - start) * 1e6);
  }
  const whole = alone();
  const way = `${name}, ${schedule ?? ALONE}`;
  for (const sum of sums) compare(pe, way, { first: 0, values: [sum] }, [whole], 0);
  const [first, ...others] = samples as [number, ...number[]];
  return [
    { what: `${way}, ${FIRST}`, batch: 1, samples: [first] },
    { what: `${way}, ${LATER}`, batch: 1, samples: others },
  ];
}

const program: Spmd = spmd(
  (pe: PE, job: unknown): LoopAnswer => ({ bound: pe.cpu !== null, entries: uneven(pe, job as UnevenJob) }),
);

export default program;
