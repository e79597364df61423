/** The program of our PEs in `bench conveyors --cold`: one job, the first thing that their process does. */
import { f64, type PE, type Spmd, spmd } from "../../src/index.ts";
import { type ColdJob, FIRST, type TallyJob } from "./cold-jobs.ts";
import { mixedSessions } from "./mixed.ts";
import { alone, byConveyor, type Tally } from "./tally.ts";
import { timeOf } from "./timing.ts";

/** The measurements of a PE. */
export interface ColdAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  readonly entries: readonly { readonly what: string; readonly batch: number; readonly samples: number[] }[];
}

type Entries = ColdAnswer["entries"];

const program: Spmd = spmd((pe: PE, args: unknown): ColdAnswer => {
  const job = args as ColdJob;
  return { bound: pe.cpu !== null, entries: entriesOf(pe, job) };
});

function entriesOf(pe: PE, job: ColdJob): Entries {
  if (job.kind === "empty") return empty(pe, job);
  if (job.kind === "tally") return tally(pe, job);
  return job.kind === "sessions" ? sessions(pe, job) : many(pe, job);
}

/** Does something again and again for a time by rank 0's clock. */
function warm(pe: PE, ms: number, once: () => void): void {
  const begun = performance.now();
  while (pe.broadcast(Number(performance.now() - begun < ms), 0)) once();
}

/** The first sessions over one conveyor, and later ones. */
function sessions(pe: PE, { way, items, warmMs, batches }: Extract<ColdJob, { kind: "sessions" }>): Entries {
  const all = mixedSessions(pe, "8 B", way);
  all.make();
  const first: number[] = [];
  while (first.length < FIRST[FIRST.length - 1]) first.push(timeOf(pe, all, items) / items);
  warm(pe, warmMs, () => timeOf(pe, all, items));
  const later = Array.from({ length: batches }, () => timeOf(pe, all, items) / items);
  return [
    ...FIRST.map((nth) => ({ what: nthSession(nth), batch: items, samples: [first[nth - 1]] })),
    { what: "warm session", batch: items, samples: later },
  ];
}

const nthSession = (nth: number): string => `${nth}${["st", "nd", "rd"][nth - 1] ?? "th"} session`;

/** Many sessions from the first on, the conveyors made meanwhile. */
function many(pe: PE, { kind, way, items, sessions }: Extract<ColdJob, { kind: "anew" | "kept" }>): Entries {
  const all = mixedSessions(pe, "8 B", way, kind === "anew");
  pe.barrier();
  const start = performance.now();
  for (let i = 0; i < sessions; i++) {
    all.session(items);
    all.check();
  }
  const ns = (performance.now() - start) * 1e6;
  const what = `${sessions} sessions, ${kind === "anew" ? "a conveyor for each" : "one conveyor"}`;
  return [{ what, batch: sessions * items, samples: [ns / (sessions * items)] }];
}

/** Sessions without any item. */
function empty(pe: PE, { warmMs, batches }: Extract<ColdJob, { kind: "empty" }>): Entries {
  const timed = (once: () => void): number => {
    pe.barrier();
    const start = performance.now();
    once();
    return (performance.now() - start) * 1e6;
  };
  pe.barrier();
  const start = performance.now();
  const c = pe.conveyor(f64);
  const making = (performance.now() - start) * 1e6;
  const session = (): void => {
    c.begin();
    while (c.advance(true));
    c.reset();
  };
  const first = Array.from({ length: FIRST[FIRST.length - 1] }, () => timed(session));
  const count = 100;
  const batch = (): void => {
    for (let i = 0; i < count; i++) session();
  };
  warm(pe, warmMs, batch);
  const later = Array.from({ length: batches }, () => timed(batch) / count);
  return [
    { what: "making the first conveyor", batch: 1, samples: [making] },
    { what: "1st empty session", batch: 1, samples: [first[0]] },
    { what: "10th empty session", batch: 1, samples: [first[9]] },
    { what: "empty session, warm", batch: count, samples: later },
  ];
}

/** The same keys counted by one PE in a plain loop, or by several. */
function tally(pe: PE, { items, warmMs, batches }: TallyJob): Entries {
  const counting: Tally = pe.size === 1 ? alone(items) : byConveyor(pe, items);
  const once = (): number => {
    counting.clear();
    pe.barrier();
    const start = performance.now();
    counting.count();
    pe.barrier();
    const ns = (performance.now() - start) * 1e6;
    const all = pe.allreduce(counting.total(), "sum");
    if (all !== items) throw new Error(`PE ${pe.rank}: expected ${items} items, got ${all}`);
    return ns / items;
  };
  const first = once();
  warm(pe, warmMs, once);
  const later = Array.from({ length: batches }, once);
  return [
    { what: `tally of ${items}, first`, batch: items, samples: [first] },
    { what: `tally of ${items}, warm`, batch: items, samples: later },
  ];
}

export default program;
