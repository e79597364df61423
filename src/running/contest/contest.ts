/**
 * A contest: the most promising trees and barriers are measured on the machine, and the fastest are kept.
 *
 * One world has a group for each set of candidates. There are {@link TURNS} turns; in each, every group does a few
 * batches of each operation, one group after another, so that all run in the same state of the machine. decision.ts
 * chooses the winner. In a world over nodes each node measures its own PEs, on their CPUs, before the world begins.
 *
 * Limits: it takes a few tenths of a second; it measures small messages only; the machine should be idle. Two contests
 * at once would disturb each other: see lock.ts.
 */

import { type Contenders, contendersOn } from "../../../trees/generate/contenders.ts";
import type { Barrier, Contestant, Tree, Trees } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { sibling } from "../../ground/base/package-file.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { runModule } from "../run/run.ts";
import type { Samples } from "./batches.ts";
import type { Contested, ContestJob } from "./contest.program.ts";
import { decide, type Measured } from "./decision.ts";

const TURNS = 7;
/** Batches of each candidate in a turn. */
const PER_TURN = 3;
const BATCH_MS = 0.5;
const LIMIT_MS = 30_000;

/**
 * Measures and chooses the trees of a machine.
 * @param machine a model of this machine with one PE per rank
 * @param channel the kind of channels that they are for
 * @throws what {@link runModule} throws
 */
export async function measuredTrees(machine: MachineModel, channel: ChannelKind, signal?: AbortSignal): Promise<Trees> {
  const contenders = contendersOn(machine);
  const { trees } = contenders;
  if (machine.pes.length < 2) return trees;
  const samples = await run(machine, channel, contenders, signal);
  const outcome = <T extends Tree | Barrier>(what: Contested, list: readonly T[]): Outcome<T> => {
    const times = list.map((_, i) => (samples.find((entry) => entry.what === `${what} ${i}`) as Samples).samples);
    const { winner, all: measured, steady } = decide(times, PER_TURN);
    const all = list.map(
      (one, i): Contestant => ({
        name: nameOf(one),
        predicted: one.latency,
        ...(measured[i] as Measured),
      }),
    );
    return {
      winner: list[winner] as T,
      all: [all[winner] as Contestant, ...all.filter((_, i) => i !== winner)],
      steady,
    };
  };
  const broadcast = outcome("broadcast", contenders.broadcast);
  const reduce = outcome("reduce", contenders.reduce);
  const barrier = outcome("barrier", contenders.barrier);
  return {
    ...trees,
    broadcast: broadcast.winner,
    reduce: reduce.winner,
    barrier: barrier.winner,
    contest: {
      turns: TURNS,
      steady: broadcast.steady && reduce.steady && barrier.steady,
      broadcast: broadcast.all,
      reduce: reduce.all,
      barrier: barrier.all,
    },
  };
}

interface Outcome<T> {
  readonly winner: T;
  readonly all: readonly Contestant[];
  readonly steady: boolean;
}

async function run(
  machine: MachineModel,
  channel: ChannelKind,
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
    batches: TURNS * PER_TURN,
    batchMs: BATCH_MS,
  };
  const options = {
    args: job,
    machine,
    channel,
    pes: machine.pes.length,
    timeout: LIMIT_MS,
    ...(signal && { signal }),
  };
  const program = sibling("./contest.program.js", import.meta.url);
  const [samples] = await runModule<Samples[]>(program, options, { trees: () => trees, isAlone: true });
  return samples as Samples[];
}

/** The root of a tree and a distant PE; they alternate as the root, so that the root cannot run ahead. */
function endsOf(tree: Tree): readonly [number, number] {
  let last = tree.root;
  for (let next: number | undefined = last; next !== undefined; next = tree.children[last]?.[0]) last = next;
  return [tree.root, last];
}

function nameOf(one: Tree | Barrier): string {
  return "kind" in one ? one.kind : (one.from ?? one.algorithm);
}
