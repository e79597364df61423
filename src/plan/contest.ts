/**
 * A contest: the most promising trees and barriers are run on the machine, and the fastest ones kept.
 *
 * What: one world with a group for each set of contenders; batches of each operation in turn on each group,
 * so that all meet the machine in the same state. The model's favourite stays unless another is faster by
 * more than {@link MARGIN} in the median.
 * Limits: a few tenths of a second; small messages only; the machine should be idle.
 */
import { median } from "simple-statistics";
import type { Samples } from "../../microbench/batches.ts";
import { type Contenders, contendersOn } from "../../trees/contenders.ts";
import type { Barrier, Contestant, Tree, Trees } from "../../trees/types.ts";
import type { MachineModel } from "../machine/types.ts";
import { sibling } from "../sibling.ts";
import { launch } from "../world/launch.ts";
import type { Contested, ContestJob } from "./contest.program.ts";

const BATCHES = 9;
const BATCH_MS = 1;
const LIMIT_MS = 30_000;
/** What a median must be faster by to count as faster. */
const MARGIN = 0.03;

/**
 * The trees of a machine, measured on it.
 * @param machine a model of this machine with one PE per rank
 * @throws what {@link launch} throws
 */
export async function measuredTrees(machine: MachineModel, signal?: AbortSignal): Promise<Trees> {
  const contenders = contendersOn(machine);
  const { trees } = contenders;
  if (machine.pes.length < 2) return trees;
  const samples = await run(machine, contenders, signal);
  const times = (what: Contested, count: number): number[] =>
    Array.from({ length: count }, (_, i) => {
      const one = samples.find((entry) => entry.what === `${what} ${i}`);
      return median(one?.samples ?? [Number.POSITIVE_INFINITY]);
    });
  const decide = <T extends Tree | Barrier>(what: Contested, list: readonly T[]): Decision<T> => {
    const measured = times(what, list.length);
    const best = measured.indexOf(Math.min(...measured));
    const winner = (measured[best] as number) < (measured[0] as number) * (1 - MARGIN) ? best : 0;
    const all = list.map(
      (one, i): Contestant => ({
        name: nameOf(one),
        predicted: one.latency,
        measured: measured[i] as number,
      }),
    );
    return {
      winner: list[winner] as T,
      all: [all[winner] as Contestant, ...all.filter((_, i) => i !== winner)],
    };
  };
  const broadcast = decide("broadcast", contenders.broadcast);
  const reduce = decide("reduce", contenders.reduce);
  const barrier = decide("barrier", contenders.barrier);
  return {
    ...trees,
    broadcast: broadcast.winner,
    reduce: reduce.winner,
    barrier: barrier.winner,
    contest: { broadcast: broadcast.all, reduce: reduce.all, barrier: barrier.all },
  };
}

interface Decision<T> {
  readonly winner: T;
  readonly all: readonly Contestant[];
}

async function run(
  machine: MachineModel,
  { trees, broadcast, reduce, barrier }: Contenders,
  signal: AbortSignal | undefined,
): Promise<Samples[]> {
  const sets = Math.max(broadcast.length, reduce.length, barrier.length);
  const pick = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;
  const job: ContestJob = {
    plans: Array.from({ length: sets }, (_, i) => ({
      ...trees,
      broadcast: pick(broadcast, i),
      reduce: pick(reduce, i),
      barrier: pick(barrier, i),
    })),
    counts: { broadcast: broadcast.length, reduce: reduce.length, barrier: barrier.length },
    roots: { broadcast: endsOf(trees.broadcast), reduce: endsOf(trees.reduce) },
    batches: BATCHES,
    batchMs: BATCH_MS,
  };
  const [samples] = await launch<Samples[]>(sibling("./contest.program.js", import.meta.url), {
    args: job,
    machine,
    plan: trees,
    pes: machine.pes.length,
    timeout: LIMIT_MS,
    ...(signal && { signal }),
  });
  return samples as Samples[];
}

/** The root of a tree and a PE far from it: by turns, so that nobody runs ahead. */
function endsOf(tree: Tree): readonly [number, number] {
  let last = tree.root;
  for (let next: number | undefined = last; next !== undefined; next = tree.children[last]?.[0]) last = next;
  return [tree.root, last];
}

function nameOf(one: Tree | Barrier): string {
  return "kind" in one ? one.kind : (one.from ?? one.algorithm);
}
