/**
 * What messages between the nodes of a cluster cost: measured by all processes of an MPI job, one a node, together.
 *
 * What: half round trips and streams by size, with 1, 2, 4, … and all PEs of each node at the same time, each talking to its like on
 * the next node; and one receiver that is hit by 1, 2, 4, … and all PEs of the other nodes. All straight on MPI, from threads of their
 * own, from shared memory, with one MPI_Testsome a turn, as a porter does it: what koffi and V8 cost is in the figures.
 *
 * Limits: streams go one way; nodes 0 and 1, 2 and 3, … talk, so the last of an odd number rests but for the incast, and what a switch
 * further up takes is in the figures only by chance. MPI chooses the way, the figures are those of its settings.
 *
 * Source: LogP (Culler et al. 1993), LogGP (Alexandrov et al. 1995); receivers and their senders: papers/smelt.txt 3.2.
 */

import { NoMpiError } from "../../src/base/errors.ts";
import { median } from "../../src/base/math.ts";
import { sibling } from "../../src/base/package-file.ts";
import { countText } from "../../src/base/units.ts";
import type { Internode } from "../../src/machine/internode.ts";
import type { Topology } from "../../src/machine/types.ts";
import type { Mpi } from "../../src/mpi/mpi.ts";
import type { Progress } from "../pairs/types.ts";
import type { InternodeSeat } from "./internode.thread.ts";
import { jobTopologyOf } from "./job-topology.ts";
import { Meeting } from "./meeting.ts";
import { type Found, modelOf } from "./model.ts";
import type { Outcome } from "./slices.ts";
import { MOST_PES, SMALLEST, type Stage, stages, type Task, tasksOf } from "./tasks.ts";
import { Team } from "./team.ts";

/** How {@link measureInternode} works. */
export interface InternodeOptions {
  readonly topology: Topology;
  /** The CPUs of the PEs of this process. */
  readonly cpus: readonly number[];
  /** Time that all of it is to take, ms; slow networks take longer. @default 20000 */
  readonly budgetMs?: number | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What was measured, and what its reader should know. */
export interface InternodeMeasured {
  readonly internode: Internode;
  readonly notes: readonly string[];
}

/** Of one stage's window, ms. */
const SHORTEST_MS = 4;
const LONGEST_MS = 100;
/** Of the time of a stage, what its window takes: the rest is warming up, meeting and ending. */
const SHARE = 0.5;

/**
 * Measures between nodes; all processes of the job call it, and get the same.
 * @throws NoMpiError for one process; the signal's reason; MpiError, TimeoutError. The job is to be aborted then: others wait.
 */
export async function measureInternode(mpi: Mpi, options: InternodeOptions): Promise<InternodeMeasured> {
  const { topology, cpus, budgetMs = 20_000, onProgress, signal } = options;
  if (mpi.size < 2) throw new NoMpiError("Expected two processes or more to measure between, got one.");
  const meeting = new Meeting(mpi, signal);
  const jobTopology = await jobTopologyOf(meeting, topology, cpus);
  const notes = [...jobTopology.notes];
  let pes = Math.min(jobTopology.pes, MOST_PES);
  if (!mpi.isMultiple && pes > 1) {
    pes = 1;
    notes.push("this MPI library admits one thread at a time: one PE of each node talks");
  }
  const size = { nodes: mpi.size, pes };
  const planned = stages(size);
  const windowMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (SHARE * budgetMs) / planned.length));

  await using team = await Team.start<Task, Outcome>(
    sibling("./internode.thread.js", import.meta.url),
    Array.from(
      { length: pes },
      (_, pe): InternodeSeat => ({
        cpu: jobTopology.isOversubscribed ? null : (cpus[pe] ?? null),
        oversubscribed: jobTopology.isOversubscribed,
      }),
    ),
  );
  const measure = async (stage: Stage): Promise<Found> => {
    const outcomes = await team.run(tasksOf(stage, mpi.rank, size, windowMs * 1e6));
    const found = combine(await meeting.exchange(numbersOf(outcomes)));
    signal?.throwIfAborted();
    return { stage, ...found };
  };
  onProgress?.({ stage: "warming up", done: 0 });
  for (const kind of ["latency", "stream"] as const) await measure({ kind, pes, bytes: SMALLEST });
  const found: Found[] = [];
  for (const [i, stage] of planned.entries()) {
    onProgress?.({ stage: wordsOf(stage), done: i / planned.length });
    found.push(await measure(stage));
  }
  onProgress?.({ stage: "measured between nodes", done: 1 });
  // the lines below the first say how it was built, and some end with a NUL
  const library = (mpi.version.split(/[\n\0]/)[0] as string).replaceAll(/\s+/g, " ");
  return { internode: modelOf(found, { ...size, machines: jobTopology.machines, library }), notes };
}

const wordsOf = (stage: Stage): string =>
  stage.kind === "incast"
    ? `one receiver: ${countText(stage.senders, "sender")}`
    : `${stage.kind} with ${countText(stage.pes, "PE")} a node: ${stage.bytes} bytes`;

/** The three numbers of a process: medians of those of its PEs that have measured; 0 where none has. */
function numbersOf(outcomes: readonly Outcome[]): number[] {
  const measured = outcomes.filter(({ value }) => value > 0);
  if (measured.length === 0) return [0, 0, 0];
  return (["value", "spread", "busy"] as const).map((name) => median(measured.map((one) => one[name])));
}

/** The medians of those processes that have measured. */
function combine(all: readonly (readonly number[])[]): Outcome {
  const measured = all.filter(([value]) => value > 0);
  const [value, spread, busy] = [0, 1, 2].map((i) => median(measured.map((one) => one[i])));
  return { value, spread, busy };
}
