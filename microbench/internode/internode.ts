/**
 * Measures the costs of messages between nodes, in all processes of an MPI job together, one process per node.
 *
 * It measures half round trips and streams by size, with 1, 2, 4, … and all PEs of each node at the same time, each
 * with its counterpart on the next node; and one receiver with 1, 2, 4, … and all PEs of the other nodes as concurrent
 * senders, of the smallest messages and of large ones. Everything uses MPI directly, from threads of its own, in shared
 * memory, with one MPI_Testsome per turn, as a porter does: the figures include the costs of koffi and V8.
 *
 * What varies too much is measured again; what still does is named in the result (noise.ts).
 *
 * At the end barrier, broadcast and sum are timed by messages and by the MPI library's own collectives
 * (collectives.ts), with one PE of each node.
 *
 * Limits: streams have one direction; nodes 0 and 1, 2 and 3, … communicate, so the last of an odd number takes part in
 * the incast only, and the effect of higher switches is measured only by chance. MPI chooses the transport; the figures
 * are those of its settings.
 *
 * Source: LogP (Culler et al. 1993), LogGP (Alexandrov et al. 1995); receivers and their senders: Kaestle et al.,
 * "Machine-Aware Atomic Broadcast Trees for Multicores", section 3.2.
 */

import { NoMpiError } from "../../src/ground/base/errors.ts";
import { median } from "../../src/ground/base/math.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { Internode, MpiTime, MpiTimes } from "../../src/machine/model/internode.ts";
import type { Topology } from "../../src/machine/model/machine-model.ts";
import type { Mpi } from "../../src/machine/mpi/mpi.ts";
import type { Progress } from "../pairs/profiled.ts";
import { CALLS } from "./collectives.ts";
import type { InternodeSeat } from "./internode.thread.ts";
import { jobTopologyOf } from "./job-topology.ts";
import { Meeting } from "./meeting.ts";
import { type Found, modelOf } from "./model.ts";
import { farFrom, isDoubtful, noisyFigures } from "./noise.ts";
import type { Outcome } from "./slices.ts";
import { MOST_PES, SMALLEST, type Stage, stages, type ThreadTask, tasksOf, wordsOf } from "./tasks.ts";
import { Team } from "./team.ts";

/** Options of {@link measureInternode}. */
export interface InternodeOptions {
  readonly topology: Topology;
  /** The CPUs of the PEs of this process. */
  readonly cpus: readonly number[];
  /** Target time of the whole measurement, ms; slow networks take longer. @default 20000 */
  readonly budgetMs?: number | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The result, and notes for its reader. */
export interface InternodeMeasured {
  readonly internode: Internode;
  readonly notes: readonly string[];
}

/** Window of a stage with several senders of bulk data, ms: long enough for stalls of a transport to count. */
const BULK_MS = 150;
/** Shortest window of a stage, ms. */
const SHORTEST_MS = 4;
const LONGEST_MS = 100;
/**
 * A message whose bytes take as long is large enough: on a slow link larger ones would take minutes. The same at all
 * processes. Shorter ones than LONG_BYTES take as long only where others use the CPUs.
 */
const SLOW_NS = 20e6;
export const LONG_BYTES = 4096;
/** Times that a figure is measured, at most. */
const TRIES = 3;
/** The share of a stage's time for its window: the rest is for warming up, synchronising and ending. */
const SHARE = 0.5;

/**
 * Measures between nodes; all processes of the job call it, and get the same result.
 * @throws NoMpiError for one process; the signal's reason; MpiError, TimeoutError. The job must then be aborted, as
 *   others wait.
 */
export async function measureInternode(mpi: Mpi, options: InternodeOptions): Promise<InternodeMeasured> {
  const { topology, cpus, budgetMs = 20_000, onProgress, signal } = options;
  if (mpi.size < 2) throw new NoMpiError("Expected at least two processes to measure between, got one.");
  const meeting = new Meeting(mpi, signal);
  const jobTopology = await jobTopologyOf(meeting, topology, cpus);
  const notes = [...jobTopology.notes];
  let pes = Math.min(jobTopology.pes, MOST_PES);
  if (!mpi.isMultiple && pes > 1) {
    pes = 1;
    notes.push("this MPI library supports one thread at a time: one PE of each node takes part");
  }
  const size = { nodes: mpi.size, pes };
  const planned = stages(size);
  const short = planned.filter(({ kind }) => kind !== "bulk").length;
  const windowMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (SHARE * budgetMs) / short));

  await using team = await Team.start<ThreadTask, Outcome>(
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
    const ms = stage.kind === "bulk" ? BULK_MS : windowMs;
    const outcomes = await team.run(tasksOf(stage, mpi.rank, size, ms * 1e6));
    const found = combine(await meeting.exchange(numbersOf(outcomes)));
    signal?.throwIfAborted();
    return { stage, ...found };
  };
  onProgress?.({ stage: "warming up", done: 0 });
  for (const kind of ["latency", "stream"] as const) await measure({ kind, pes, bytes: SMALLEST });
  const found: Found[] = [];
  let largest = Number.POSITIVE_INFINITY;
  for (const [i, one] of planned.entries()) {
    const stage = one.kind === "bulk" ? { ...one, bytes: Math.min(one.bytes, largest) } : one;
    if (stage.bytes > largest) continue;
    onProgress?.({ stage: wordsOf(stage), done: i / planned.length });
    let measured = await measure(stage);
    for (let tries = 1; isDoubtful(measured) && tries < TRIES; tries++) {
      const again = await measure(stage);
      if (again.spread < measured.spread) measured = again;
    }
    found.push(measured);
    if (stage.kind === "latency" && stage.bytes >= LONG_BYTES && measured.value > SLOW_NS) largest = stage.bytes;
  }
  // until the line is near all of its figures; other work on the machine only adds time
  for (const [i, { stage, value }] of found.entries()) {
    if (!farFrom(found).has(stage)) continue;
    onProgress?.({ stage: wordsOf(stage), done: 1 });
    const again = await measure(stage);
    if (again.value < value) found[i] = again;
  }
  onProgress?.({ stage: "collectives between nodes", done: 1 });
  const collectives = await measureCollectives(team, meeting);
  signal?.throwIfAborted();
  onProgress?.({ stage: "measured between nodes", done: 1 });
  // the lines after the first describe the build, and some end with a NUL
  const library = (mpi.version.split(/[\n\0]/)[0] as string).replaceAll(/\s+/g, " ");
  const facts = { ...size, machines: jobTopology.machines, library };
  const noisy = noisyFigures(found);
  return { internode: { ...modelOf(found, facts), collectives, ...(noisy.length > 0 && { noisy }) }, notes };
}

/** All measurements of the first process. */
async function measureCollectives(team: Team<ThreadTask, Outcome>, meeting: Meeting): Promise<MpiTimes> {
  const [outcome] = await team.run([{ kind: "collectives" }]);
  const own = outcome?.collectives as MpiTimes;
  const flat = CALLS.flatMap((call) => [own[call].messages, own[call].mpi, own[call].faster === "mpi" ? 1 : 0]);
  const [first] = (await meeting.exchange(flat)) as [number[]];
  const timeOf = (call: (typeof CALLS)[number]): MpiTime => {
    const [messages, mpi, isMpi] = first.slice(3 * CALLS.indexOf(call)) as [number, number, number];
    return { messages, mpi, faster: isMpi === 1 ? "mpi" : "messages" };
  };
  const [barrier, broadcast, allreduce] = CALLS.map(timeOf) as [MpiTime, MpiTime, MpiTime];
  return { nodes: own.nodes, barrier, broadcast, allreduce };
}

/** The three numbers of a process: medians of its PEs that have measured; 0 if none has. */
function numbersOf(outcomes: readonly Outcome[]): number[] {
  const measured = outcomes.filter(({ value }) => value > 0);
  if (measured.length === 0) return [0, 0, 0];
  return (["value", "spread", "busy"] as const).map((name) => median(measured.map((one) => one[name])));
}

/** The medians over the processes that have measured. */
function combine(all: readonly (readonly number[])[]): Outcome {
  const measured = all.filter(([value]) => value > 0);
  const [value, spread, busy] = [0, 1, 2].map((i) => median(measured.map((one) => one[i])));
  return { value, spread, busy };
}
