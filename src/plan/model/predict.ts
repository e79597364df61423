/**
 * The model of the time of a session, by which plans are made.
 *
 * A session has two parts. While buffers become full, a PE works (it pushes, forwards and pulls items, sends and
 * receives buffers, waits for room where all buffers of a link are in flight), and the network's servers (servers.ts)
 * are busy with the buffers of all hops at the same time. Then the hops end, one after another: what is left in its
 * buffers is sent, passes the network, and arrives.
 *
 *     time = begin + max([work + waits for room | slowest server], round trips of a link's buffers)
 *          + sum over hops of ([work | slowest server] + latency + end)
 *     [a | b] = max(a, b) + overlap * min(a, b)
 *
 * Limits: items for PEs drawn at random, the same number from each PE. The factors (fit.ts) are fitted to the
 * simulator. Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.3.1, for the
 * numbers of messages; the rest is ours.
 */
import { beginsByVote, type EndKind, endOf } from "../../route/geometry/ends.ts";
import { meshTagBytes } from "../../route/geometry/make-route.ts";
import { memoryOn } from "./candidates.ts";
import { capacityOf } from "./capacity.ts";
import type { Candidate, ConveyorWorkload, CostModel } from "./cost-model.ts";
import { buffersOf, untilFull } from "./fill.ts";
import { FIT, type FitFactors } from "./fit.ts";
import { bytesOfLink, openPush } from "./open-buffers.ts";
import { waitForRoom } from "./room.ts";
import { IDLE, latencyOf, type Servers, serversFor, slowest, sum, votingOver } from "./servers.ts";
import { awayOf, type HopCost, MESSAGE } from "./shape.ts";

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
  /** Its parts, ns: the PE's work; what the network's slowest server is busy for; what neither of the two hides. */
  readonly work: number;
  readonly network: number;
  readonly waiting: number;
  /** That server; documents from before it was said do not have it. */
  readonly server?: keyof Servers | undefined;
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
  fit: FitFactors = FIT,
): Prediction {
  const isSimple = candidate.type === "simple";
  const ends = endsFor(hops, candidate.mesh !== undefined);
  const areAwaited = hops.map((_, number) => !isSimple && areReturnsAwaited(hops, ends, number));
  const passages = hops.map((_, number) =>
    passageOf(model, workload, candidate, hops, number, areAwaited[number], isSimple || ends[0] === "vote", fit),
  );
  const work = passages.reduce((total, { full, last }) => total + full.work + last.work, 0);
  const { name: server, time: network } = slowest(
    passages.map(({ full, last }) => sum(full.servers, last.servers)).reduce(sum, IDLE),
  );
  const time = isSimple
    ? timeOfRounds(model, passages, { work, network }, fit)
    : timeOfTensor(model, workload, candidate, passages, ends, fit);
  return {
    ...candidate,
    time,
    work,
    network,
    waiting: Math.max(0, time - Math.max(work, network)),
    server,
    hopsTaken: passages.map(({ links, buffers, fill, remote }) => ({ links, buffers, fill, remote })),
    memory: memoryOn(model, () => hops, workload.scratch)(candidate),
  };
}

/** The time of some buffers of a hop, ns. */
interface Effort {
  /** Of a PE. */
  readonly work: number;
  readonly servers: Servers;
}

/** One hop, its buffers that become full and the last ones. */
interface Passage extends HopPrediction {
  readonly hop: HopCost;
  readonly items: number;
  readonly capacity: number;
  readonly full: Effort;
  readonly last: Effort;
  /** Number of the last ones; and messages that give back one without items. */
  readonly lastBuffers: number;
  readonly emptyReturns: number;
  /** Latency of a full buffer, and of a last one, ns. */
  readonly oneWay: number;
  readonly lastWay: number;
}

function passageOf(
  model: CostModel,
  workload: ConveyorWorkload,
  candidate: Candidate,
  hops: readonly HopCost[],
  number: number,
  areAwaited: boolean,
  looksAtEnd: boolean,
  fit: FitFactors,
): Passage {
  const { network, pes, costs } = model;
  const { itemBytes, load: pushed, destinations = Number.POSITIVE_INFINITY } = workload;
  const hop = hops[number] as HopCost;
  const { links, send, receive, remote, traffic } = hop;
  // in a mesh what is at its coordinate already leaves a hop out
  const isLast = number === hops.length - 1;
  const { mesh } = candidate;
  const load = mesh === undefined || isLast ? pushed : (pushed * links) / (links + 1);
  const tag = mesh === undefined ? tagBytes(hops.length, number, links, pes) : meshTagBytes(mesh);
  const capacity = capacityOf(workload, candidate, tag);
  const used = usedLinks(links, destinations);
  const items = load / used;
  const buffers = used * buffersOf(items, capacity);
  // the last buffer of a link is in part full
  const lastBuffers = capacity === 1 ? 0 : Math.min(buffers, used * -Math.expm1(-items));
  const fullBuffers = buffers - lastBuffers;
  const fullItems = Math.min(load, fullBuffers * capacity);
  // no more of its buffers is filled than its items take
  const filled = Math.min(bytesOfLink(candidate), items * (itemBytes + tag));
  const itemTime = itemTimeOf(model, number, hops.length) + openPush(costs.open, used, filled);
  const looks = looksOf(model, hop, fit);
  const returned = areAwaited || model.countsLastReturns ? 1 : fit.releasesAtEnd;
  const effort = (count: number, all: number, releases: number, looks: number): Effort => {
    const bytes = count === 0 ? 0 : (all / count) * (itemBytes + tag);
    return {
      work: all * itemTime + count * (handlingOf(model, hop, bytes, fit) + looks),
      servers: serversFor(network, traffic, count / links, bytes, releases),
    };
  };
  const latency = (count: number, all: number): number => {
    const bytes = count === 0 ? 0 : (all / count) * (itemBytes + tag);
    return remote > 0 ? costs.byte * bytes + latencyOf(network, bytes) : send + costs.byte * bytes + receive;
  };
  return {
    hop,
    links,
    items,
    capacity,
    buffers,
    fill: load / buffers / capacity,
    remote: buffers * remote,
    full: effort(fullBuffers, fullItems, fit.releases, looks),
    last: effort(lastBuffers, load - fullItems, returned, looksAtEnd ? looks : 0),
    lastBuffers,
    emptyReturns: areAwaited ? 1 : 0,
    oneWay: latency(Math.max(fullBuffers, 1e-9), capacity * Math.max(fullBuffers, 1e-9)),
    lastWay: latency(lastBuffers, load - fullItems),
  };
}

function timeOfTensor(
  model: CostModel,
  { elastic = false }: ConveyorWorkload,
  { type, buffersPerLink }: Candidate,
  passages: readonly Passage[],
  ends: readonly EndKind[],
  fit: FitFactors,
): number {
  const { pes, costs } = model;
  const vote = voteTime(model);
  const waits = passages.map(({ hop, links, items, capacity, oneWay }) => {
    const itemTime = costs.push + costs.pull;
    const handling = hop.send + hop.receive + (costs.buffer ?? 0);
    const passage = { pes, links, items, capacity, buffersPerLink, oneWay, handling, itemTime };
    return waitForRoom({ ...passage, each: costs.wait ?? 0 }, fit);
  });
  const longest = Math.max(0, ...waits);
  const others = waits.reduce((total, wait) => total + wait, 0) - longest;
  const work = passages.reduce((total, { full }) => total + full.work, 0);
  const servers = passages.map(({ full }) => full.servers).reduce(sum, IDLE);
  let time = beginsByVote(type, ends, elastic && model.nodes > 1) ? vote : 0;
  // with few buffers for each link the network is not always given enough to send
  const idle = 1 + fit.lone / buffersPerLink ** 2;
  // a link has no more buffers under way than it has: further ones wait until these have come back
  const trips = passages.map(
    ({ links, buffers, lastBuffers, oneWay }) => ((buffers - lastBuffers) / links / buffersPerLink) * 2 * oneWay,
  );
  const filling = both(work + fit.stalls * (longest + fit.others * others), idle * slowest(servers).time, fit.overlap);
  time += Math.max(filling, fit.trips * Math.max(...trips));
  // what comes over the network is handled while the rest of it comes
  let before = 0;
  for (const [number, { hop, links, last, lastBuffers, emptyReturns, lastWay }] of passages.entries()) {
    const isVote = ends[number] === "vote";
    const empty = Math.max(0, links - lastBuffers);
    // last messages that carry no items, or a vote when all is known to be read
    const said = isVote ? 0 : empty * handlingOf(model, hop, 0, fit);
    const servers = isVote
      ? last.servers
      : sum(last.servers, serversFor(model.network, hop.traffic, empty / links, 0, emptyReturns));
    // senders meet at receivers: as far as ends wait for each other, the other end counts, too
    const busy = slowest(servers).time + fit.after * Math.min(servers.injection, servers.ejection);
    time += both(last.work + said, busy, fit.overlapAtEnd) - fit.meanwhile * Math.min(last.work, before);
    before = busy;
    // others have to be awaited, too, with what they do
    time += fit.ends * (lastWay + (costs.wait ?? 0));
    if (isVote) time += vote + fit.read * lastWay;
  }
  return time;
}

/** As endsOf (geometry/ends.ts): all links of a PE to other nodes, at the hop out of the group; a mesh: each hop. */
function endsFor(hops: readonly HopCost[], isMesh: boolean): EndKind[] {
  if (isMesh) return hops.map(({ links, away }) => endOf(links, away));
  const away = awayOf(hops);
  const leaving = Math.min(1, hops.length - 1);
  return hops.map(({ links }, number) => endOf(links, number === leaving ? away : 0));
}

/**
 * Whether the messages that give the last buffers of a hop back take time from the session: a vote waits for them, and
 * what a later hop sends over the network is behind them.
 */
const areReturnsAwaited = (hops: readonly HopCost[], ends: readonly EndKind[], number: number): boolean =>
  ends[number] === "vote" || hops.some(({ remote }, at) => at > number && remote > 0);

/** Simple conveyors: rounds in which all PEs push, exchange and pull, one after another. */
function timeOfRounds(
  model: CostModel,
  passages: readonly Passage[],
  { work, network }: { readonly work: number; readonly network: number },
  fit: FitFactors,
): number {
  const vote = voteTime(model);
  let time = vote + both(fit.even * work, fit.exchange * network, fit.apart);
  for (const { links, items, capacity, oneWay } of passages) {
    const rounds = items / untilFull(links * model.pes, capacity - 1);
    time += (1 + fit.last) * vote + fit.ends * oneWay + rounds * (fit.rounds * vote + oneWay);
  }
  return time;
}

/** Both at the same time, as far as they overlap. */
const both = (a: number, b: number, overlap: number): number => Math.max(a, b) + overlap * Math.min(a, b);

/** A PE's time for an item at a hop: half of each forwarding belongs to the hop before. */
function itemTimeOf({ costs }: CostModel, number: number, hops: number): number {
  const { push, pull, pivot = push + pull } = costs;
  return (number === 0 ? push : pivot / 2) + (number === hops - 1 ? pull : pivot / 2);
}

/** A PE's work per buffer: sending one, receiving one, and the associated messages. */
export function handlingOf(
  { costs }: CostModel,
  { send, receive, remote, worst }: HopCost,
  bytes: number,
  fit: FitFactors,
): number {
  const messages = (1 + fit.tells) * send + receive;
  return (
    messages * (1 + fit.worst * (worst - 1)) + (costs.buffer ?? fit.turns * costs.advance) + remote * costs.byte * bytes
  );
}

/** Per buffer: the looks of its advances at links, until the last buffers of all links are sent. */
export const looksOf = ({ costs }: CostModel, { entries }: HopCost, fit: FitFactors): number =>
  costs.open === undefined ? 0 : fit.turns * costs.open.look * entries;

/** Mean number of `links` that are used for so many destinations. */
export const usedLinks = (links: number, destinations: number): number =>
  Math.max(1, -links * Math.expm1(-destinations / links));

/** As in src/route/geometry/make-route.ts. */
export function tagBytes(hops: number, hop: number, links: number, pes: number): number {
  if (hops === 1) return 0;
  if (hops === 3) return hop !== 1 ? 4 : 2;
  return pes / links <= 256 ? 1 : 2;
}

/** Time from the last vote to the result: up and down a tree in each node, and over nodes; all are awaited. */
export function voteTime({ nodes, nodeSize, network, costs }: CostModel): number {
  const inside = 2 * Math.ceil(Math.log2(nodeSize)) * 2 * MESSAGE;
  return inside + votingOver(network, nodes) + (costs.wait ?? 0);
}
