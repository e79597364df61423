/** The program of our PEs in `bench conveyors --cold`: one job, the first thing that their process does. */

import type { Sessions } from "../../../../microbench/conveyors/job.ts";
import { timeOf } from "../../../../microbench/conveyors/timing.ts";
import type { Entry } from "../../../../microbench/turns/turns.ts";
import { type Conveyor, conveyor } from "../../../../src/conveyor.ts";
import { f64, type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { cpuTime } from "../turns/cpu-time.ts";
import { type ColdJob, FIRST, nthSession, SPENT, type TallyJob } from "./cold-jobs.ts";
import { columnSessions } from "./columns-run.ts";
import { mixedSessions } from "./mixed.ts";
import { ownSessions } from "./own-ring.ts";
import { alone, byConveyor, type Tally } from "./tally.ts";

/** The measurements of a PE. */
export interface ColdAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  readonly entries: readonly Omit<Entry, "name">[];
}

type Entries = ColdAnswer["entries"];

const program: Spmd = spmd((pe: PE, args: unknown): ColdAnswer => {
  const job = args as ColdJob;
  return { bound: pe.cpu !== null, entries: entriesOf(pe, job) };
});

function entriesOf(pe: PE, job: ColdJob): Entries {
  if (job.kind === "empty") return empty(pe, job);
  if (job.kind === "tally") return tally(pe, job);
  if (job.kind === "own") return sessions(pe, job, ownSessions(pe, job.way));
  if (job.kind === "columns") return sessions(pe, job, columnSessions(pe, job.items));
  if (job.kind !== "sessions") return many(pe, job);
  const all = mixedSessions(pe, "8 B", job.way);
  all.make();
  return sessions(pe, job, all);
}

/** Does something again and again for a time by rank 0's clock. */
function warm(pe: PE, ms: number, once: () => void): void {
  const begun = performance.now();
  while (pe.broadcast(Number(performance.now() - begun < ms), 0)) once();
}

const times = (count: number, sampleOf: () => number): number[] => Array.from({ length: count }, sampleOf);

/** The first sessions over one conveyor, and later ones. */
function sessions(
  pe: PE,
  { items, warmMs, batches }: Extract<ColdJob, { kind: "sessions" | "own" | "columns" }>,
  all: Sessions,
): Entries {
  const session = (): number => timeOf(pe, all, items) / items;
  const first = Array.from({ length: FIRST[FIRST.length - 1] }, (_, at) =>
    accounted(pe, items, nthSession(at + 1), session),
  );
  warm(pe, warmMs, session);
  return [
    ...FIRST.flatMap((nth) => first[nth - 1]),
    { what: "warm session", batch: items, samples: times(batches, session) },
  ];
}

/** The time of a session, and what CPUs did meanwhile, for each item of a PE: the means of all PEs. */
function accounted(pe: PE, items: number, what: string, session: () => number): Entries {
  const before = cpuTime();
  const ns = session();
  const after = cpuTime();
  const entry = (what: string, ns: number) => ({ what, batch: items, samples: [ns] });
  if (before === null || after === null) return [entry(what, ns)];
  const spent = (key: keyof typeof after): number => (after[key] - before[key]) / items;
  const [cpu, waiting] = (["thread", "waiting"] as const).map((key) => pe.allreduce(spent(key), "sum"));
  return [
    entry(what, ns),
    entry(`${what}, ${SPENT.cpu}`, cpu / pe.size),
    entry(`${what}, ${SPENT.waiting}`, waiting / pe.size),
    // the clocks of threads and process do not tick together
    entry(`${what}, ${SPENT.others}`, Math.max(0, spent("process") - cpu)),
  ];
}

/** Many sessions from the first on, the conveyors made meanwhile. */
function many(pe: PE, { kind, way, items, sessions }: Extract<ColdJob, { kind: "anew" | "kept" }>): Entries {
  const all = mixedSessions(pe, "8 B", way, kind === "anew");
  const what = `${sessions} sessions, ${kind === "anew" ? "a conveyor for each" : "one conveyor"}`;
  const batch = sessions * items;
  const run = (): void => {
    for (let i = 0; i < sessions; i++) {
      all.session(items);
      all.check();
    }
  };
  return [{ what, batch, samples: [timed(pe, run) / batch] }];
}

/** ns from when all PEs have come, and are awake: who has slept in the first barrier comes out of it later. */
function timed(pe: PE, run: () => void): number {
  pe.barrier();
  pe.barrier();
  const start = performance.now();
  run();
  return (performance.now() - start) * 1e6;
}

/** Sessions without any item. */
function empty(pe: PE, { warmMs, batches }: Extract<ColdJob, { kind: "empty" }>): Entries {
  let c: Conveyor<typeof f64>;
  const making = timed(pe, () => {
    c = conveyor(pe, f64);
  });
  const session = (): void => {
    c.begin();
    while (c.advance(true));
    c.reset();
  };
  const first = times(10, () => timed(pe, session));
  const count = 100;
  const many = (): number => {
    const run = (): void => {
      for (let i = 0; i < count; i++) session();
    };
    return timed(pe, run) / count;
  };
  warm(pe, warmMs, many);
  return [
    { what: "making the first conveyor", batch: 1, samples: [making] },
    { what: "1st empty session", batch: 1, samples: [first[0]] },
    { what: "10th empty session", batch: 1, samples: [first[9]] },
    { what: "empty session, warm", batch: count, samples: times(batches, many) },
  ];
}

/** The same keys counted by one PE in a plain loop, or by several. */
function tally(pe: PE, { items, warmMs, batches }: TallyJob): Entries {
  const counting: Tally = pe.size === 1 ? alone(items) : byConveyor(pe, items);
  const once = (): number => {
    counting.clear();
    const ns = timed(pe, () => {
      counting.count();
      pe.barrier();
    });
    const all = pe.allreduce(counting.total(), "sum");
    if (all !== items) throw new Error(`PE ${pe.rank}: expected ${items} items, got ${all}`);
    return ns / items;
  };
  const first = once();
  warm(pe, warmMs, once);
  return [
    { what: `tally of ${items}, first`, batch: items, samples: [first] },
    { what: `tally of ${items}, warm`, batch: items, samples: times(batches, once) },
  ];
}

export default program;
