/**
 * The algorithms of barrier, broadcast, reduce and allreduce over nodes, each as a schedule: within each subgroup as on
 * one node, between the leaders by messages.
 *
 * - Barrier: dissemination between the leaders.
 * - Allreduce: recursive doubling, as node/exchange.ts does it with PEs in place of subgroups; so all compute the same,
 *   bit for bit.
 * - Broadcast: a tree in which PEs send that are no leaders, too. Reduce: a tree of leaders.
 *
 * Each of barrier, allreduce and broadcast has a second schedule, in which the step between the leaders is the MPI
 * library's own collective (mpi-collectives.ts); calls/mpi-choice.ts says which is taken.
 *
 * Limits: an array goes whole from subgroup to subgroup, so a broadcast of long arrays over many nodes takes as many
 * steps as the tree is deep, each of the whole length.
 *
 * Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4.5
 * (recursive doubling); Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988 (dissemination);
 * subgroup-tree.ts (trees).
 */
import type { RemoteCosts } from "../../machine/model/remote-costs.ts";
import { exchangePartners } from "../team/link-map.ts";
import {
  BROADCAST_WITHIN,
  COPY_IN,
  COPY_OUT,
  isCopy,
  MAKE_MPI,
  MPI_BARRIER,
  MPI_BROADCAST,
  MPI_SUM,
  RECEIVE,
  REDUCE,
  REDUCE_BEFORE,
  REDUCE_WITHIN,
  type Schedule,
  SEND,
  type Step,
  type StepKind,
} from "./schedule.ts";
import { treePlace } from "./subgroup-tree.ts";
import type { Subgroups } from "./subgroups.ts";

/** The schedules of one PE in one group, each made once. */
export class Schedules {
  readonly barrier: Schedule;
  readonly allreduce: Schedule;
  /** The handle of the communicator of the next three, at each; when all leaders have come. */
  readonly making: Schedule;
  readonly mpiBarrier: Schedule;
  readonly mpiSum: Schedule;
  readonly #subgroups: Subgroups;
  readonly #costs: RemoteCosts;
  readonly #copies: boolean;
  /** By root; most programs have few. */
  readonly #broadcasts: (Schedule | undefined)[] = [];
  readonly #reduces: (Schedule | undefined)[] = [];
  readonly #mpiBroadcasts: (Schedule | undefined)[] = [];

  /** @param copies whether with the steps that copy */
  constructor(subgroups: Subgroups, costs: RemoteCosts, copies: boolean) {
    this.#subgroups = subgroups;
    this.#costs = costs;
    this.#copies = copies;
    this.barrier = this.#made(toAll(subgroups, dissemination(subgroups)));
    this.allreduce = this.#made(toAll(subgroups, recursiveDoubling(subgroups)));
    this.making = toAll(subgroups, [...dissemination(subgroups), step(MAKE_MPI)]).filter((one) => !isCopy(one));
    this.mpiBarrier = this.#made(toAll(subgroups, [step(MPI_BARRIER)]));
    this.mpiSum = this.#made(toAll(subgroups, [step(MPI_SUM)]));
  }

  /** The root's value, at each. */
  broadcast(root: number): Schedule {
    const known = this.#broadcasts[root];
    if (known !== undefined) return known;
    const schedule = this.#made(broadcastFrom(this.#subgroups, this.#costs, root));
    this.#broadcasts[root] = schedule;
    return schedule;
  }

  /** As {@link broadcast}, by the MPI library. */
  mpiBroadcast(root: number): Schedule {
    const known = this.#mpiBroadcasts[root];
    if (known !== undefined) return known;
    const schedule = this.#made(mpiBroadcastFrom(this.#subgroups, root));
    this.#mpiBroadcasts[root] = schedule;
    return schedule;
  }

  /** The values of all combined, at the root; what the others have then may be anything. */
  reduce(root: number): Schedule {
    const known = this.#reduces[root];
    if (known !== undefined) return known;
    const schedule = this.#made(reduceTo(this.#subgroups, this.#costs, root));
    this.#reduces[root] = schedule;
    return schedule;
  }

  #made(steps: Schedule): Schedule {
    return this.#copies ? steps : steps.filter((one) => !isCopy(one));
  }
}

const step = (kind: StepKind, peer = -1): Step => ({ kind, peer });

/** A step of the whole subgroup; none where it is this PE alone. */
const within = ({ isAlone }: Subgroups, kind: StepKind, leader: number): Step[] =>
  isAlone ? [] : [step(kind, leader)];

/** The subgroup's values to its leader, `between` there, and the result back to all. */
function toAll(subgroups: Subgroups, between: readonly Step[]): Schedule {
  const leader = subgroups.teamLeader();
  return [
    ...within(subgroups, REDUCE_WITHIN, leader),
    ...(subgroups.leads() ? [step(COPY_IN), ...between, step(COPY_OUT)] : []),
    ...within(subgroups, BROADCAST_WITHIN, leader),
  ];
}

/** Each leader goes on when all have come: ceil(log2 n) rounds. */
function dissemination(subgroups: Subgroups): Step[] {
  const { all, own } = subgroups;
  const steps: Step[] = [];
  for (let distance = 1; distance < all.length; distance *= 2) {
    steps.push(step(SEND, subgroups.leader((own + distance) % all.length)));
    steps.push(step(RECEIVE, subgroups.leader((own - distance + all.length) % all.length)));
  }
  return steps;
}

/** The values of all leaders combined, at each; the lower subgroup's is the left operand. */
function recursiveDoubling(subgroups: Subgroups): Step[] {
  const { all, own } = subgroups;
  const { core, folded, rounds } = exchangePartners(all.length, own);
  const peer = folded < 0 ? -1 : subgroups.leader(folded);
  if (own >= core) return [step(SEND, peer), step(RECEIVE, peer)];
  const steps = rounds.flatMap((partner) => {
    const other = subgroups.leader(partner);
    return [step(SEND, other), step(partner > own ? REDUCE : REDUCE_BEFORE, other)];
  });
  return folded < 0 ? steps : [step(REDUCE, peer), ...steps, step(SEND, peer)];
}

function broadcastFrom(subgroups: Subgroups, costs: RemoteCosts, root: number): Schedule {
  const { parent, children } = treePlace(subgroups, costs, root, true);
  const sends = children.map((child) => step(SEND, child));
  const spread = within(subgroups, BROADCAST_WITHIN, subgroups.teamLeader(root));
  if (parent >= 0) return [step(RECEIVE, parent), ...sends, step(COPY_OUT), ...spread];
  if (sends.length > 0) sends.unshift(step(COPY_IN));
  return subgroups.leads(root) ? [...sends, ...spread] : [...spread, ...sends];
}

function mpiBroadcastFrom(subgroups: Subgroups, root: number): Schedule {
  const spread = within(subgroups, BROADCAST_WITHIN, subgroups.teamLeader(root));
  if (!subgroups.leads(root)) return spread;
  const between = step(MPI_BROADCAST, subgroups.of(root));
  const isRoot = subgroups.rank === root;
  return [...(isRoot ? [step(COPY_IN), between] : [between, step(COPY_OUT)]), ...spread];
}

function reduceTo(subgroups: Subgroups, costs: RemoteCosts, root: number): Schedule {
  const collect = within(subgroups, REDUCE_WITHIN, subgroups.teamLeader(root));
  if (!subgroups.leads(root)) return collect;
  const { parent, children } = treePlace(subgroups, costs, root, false);
  // from the back: who was reached first has the most below it, and comes last
  const combine = children.toReversed().map((child) => step(REDUCE, child));
  return [...collect, step(COPY_IN), ...combine, parent < 0 ? step(COPY_OUT) : step(SEND, parent)];
}
