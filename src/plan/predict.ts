/**
 * The model of the time of a session, by which plans are made.
 *
 * The time is the larger of a PE's work (pushing, forwarding and pulling items, sending and receiving buffers) and of
 * the work of the node's network (one message after another), plus the waits: for room, while all buffers of a link are
 * in flight; for the last buffers of each hop; for votes.
 *
 *     time = max(work, network) + overlap * min(work, network) + waits for room + latency of each hop + votes
 *
 * Limits: items for PEs drawn at random, the same number from each PE. The factors (fit.ts) are fitted to the
 * simulator. Source: papers/conveyors.txt, section 4.3.1, for the numbers of messages; the rest is ours.
 */
import { beginsByVote, endOf } from "../conveyor/geometry/ends.ts";
import { packingOf } from "../conveyor/geometry/packing.ts";
import { memoryOf } from "./candidates.ts";
import { buffersOf, untilFull } from "./fill.ts";
import { FIT } from "./fit.ts";
import { waitForRoom } from "./room.ts";
import { type HopCost, MESSAGE } from "./shape.ts";
import type { Candidate, ConveyorWorkload, CostModel } from "./types.ts";

/** One hop, for one PE. */
export interface HopPrediction {
  readonly links: number;
  /** Number of buffers that it sends. */
  readonly buffers: number;
  /** Their filled fraction, 0 to 1. */
  readonly fill: number;
  /** Number of buffers to other nodes. */
  readonly remote: number;
}

/** The prediction for a candidate. */
export interface Prediction extends Candidate {
  /** Total time, ns. */
  readonly time: number;
  /** Its parts, ns: the PE's work, the network's work, and waits. */
  readonly work: number;
  readonly network: number;
  readonly waiting: number;
  readonly hopsTaken: readonly HopPrediction[];
  /** Bytes of the heap for each PE. */
  readonly memory: number;
}

/** Predicts the time of a session. @param hops the costs of its messages (shape.ts) */
export function predict(
  model: CostModel,
  workload: ConveyorWorkload,
  candidate: Candidate,
  hops: readonly HopCost[],
): Prediction {
  const { costs, network, nodeSize } = model;
  const { load } = workload;
  const pivot = costs.pivot ?? costs.push + costs.pull;
  const vote = voteTime(model);
  const isSimple = candidate.type === "simple";
  let work = load * (costs.push + costs.pull + (hops.length - 1) * pivot);
  let busy = 0;
  const ends = hops.map(({ links, remote }) => endOf(links, links * remote));
  let waiting = beginsByVote(candidate.type, ends, false) ? vote : 0;
  const waits: number[] = [];
  const hopsTaken = hops.map((hop, number): HopPrediction => {
    const { links, send, receive, remote } = hop;
    const { items, capacity, buffers, bytes } = fillOf(model, workload, candidate, hops, number);
    const oneWay =
      remote > 0
        ? network.alpha + network.beta * bytes + network.receiver + MESSAGE
        : send + costs.byte * bytes + receive;
    work += buffers * handlingOf(model, hop, bytes);
    busy += buffers * remote * (1 + FIT.tells) * nodeSize * network.receiver;
    waiting += FIT.ends * oneWay;
    // last messages that carry no items, or a vote
    waiting +=
      isSimple || ends[number] === "vote" ? vote : Math.max(0, links - buffers) * handlingOf(model, hop, 0);
    if (isSimple) {
      const rounds = items / untilFull(links * model.pes, capacity - 1);
      waiting += FIT.last * vote + rounds * (FIT.rounds * vote + oneWay);
    } else {
      const { pes } = model;
      const { buffersPerLink } = candidate;
      const [handling, itemTime] = [send + receive, costs.push + costs.pull];
      waits.push(waitForRoom({ pes, links, items, capacity, buffersPerLink, oneWay, handling, itemTime }));
    }
    return { links, buffers, fill: load / buffers / capacity, remote: buffers * remote };
  });
  if (isSimple) work *= FIT.even;
  const longest = Math.max(0, ...waits);
  const others = waits.reduce((sum, wait) => sum + wait, 0) - longest;
  waiting += FIT.stalls * (longest + FIT.others * others);
  return {
    ...candidate,
    time: Math.max(work, busy) + FIT.overlap * Math.min(work, busy) + waiting,
    work,
    network: busy,
    waiting,
    hopsTaken,
    memory: memoryOf(candidate, model.pes, workload.scratch),
  };
}

/** How one PE's items fill the buffers of a hop. */
function fillOf(
  { pes }: CostModel,
  { itemBytes, load, destinations = Number.POSITIVE_INFINITY }: ConveyorWorkload,
  { type, bufferBytes }: Candidate,
  hops: readonly HopCost[],
  number: number,
): { readonly items: number; readonly capacity: number; readonly buffers: number; readonly bytes: number } {
  const { links } = hops[number];
  const tag = tagBytes(hops.length, number, links, pes);
  const capacity = type === "trivial" ? 1 : packingOf(itemBytes, tag, bufferBytes).capacity;
  const used = usedLinks(links, destinations);
  const items = load / used;
  const buffers = used * buffersOf(items, capacity);
  return { items, capacity, buffers, bytes: (load / buffers) * (itemBytes + tag) };
}

/** A PE's work per buffer: sending one, receiving one, and the associated messages. */
function handlingOf({ costs }: CostModel, { send, receive, remote, worst }: HopCost, bytes: number): number {
  const messages = (1 + FIT.tells) * send + receive;
  return messages * (1 + FIT.worst * (worst - 1)) + FIT.turns * costs.advance + remote * costs.byte * bytes;
}

/** Mean number of `links` that are used for so many destinations. */
const usedLinks = (links: number, destinations: number): number =>
  Math.max(1, -links * Math.expm1(-destinations / links));

/** As in src/conveyor/geometry/route.ts. */
function tagBytes(hops: number, hop: number, links: number, pes: number): number {
  if (hops === 1) return 0;
  if (hops === 3) return hop !== 1 ? 4 : 2;
  return pes / links <= 256 ? 1 : 2;
}

/** Time from the last vote to the result: up and down a tree in each node, and one over the nodes. */
function voteTime({ nodes, nodeSize, network }: CostModel): number {
  const inside = 2 * Math.ceil(Math.log2(nodeSize)) * 2 * MESSAGE;
  return inside + 2 * Math.ceil(Math.log2(nodes)) * (network.alpha + network.receiver);
}
