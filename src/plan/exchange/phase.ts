/**
 * The work of a phase of an exchange, whatever its discipline: chunks and rounds, the network's servers, and the time
 * of a chunk when each PE sends one.
 *
 * Limits: all PEs send as much. With a skew of 1 each pair has as many chunks as any other; with more, they are drawn
 * at random.
 */
import type { ExchangeLoad } from "../../route/disciplines/options.ts";
import { HEAD_BYTES } from "../../route/disciplines/packet.ts";
import type { CostModel } from "../model/cost-model.ts";
import { voteTime } from "../model/predict.ts";
import { latencyOf, type Servers, serversFor, slowest } from "../model/servers.ts";
import { MESSAGE } from "../model/shape.ts";
import { trafficOf } from "../model/traffic.ts";
import { bestByte, byteUnder, crowdOf } from "./incast.ts";

/** The pieces in which an exchange sends. */
export interface Pieces {
  readonly chunkBytes: number;
  readonly packetBytes: number;
  readonly buffersPerLink: number;
}

/** Times are ns. */
export interface Phase {
  /** Bytes that a PE sends; with the heads of its packets. */
  readonly bytes: number;
  readonly wire: number;
  /** PEs that a PE sends to, and PEs of other nodes that send to the busiest receiver. */
  readonly destinations: number;
  readonly senders: number;
  readonly skew: number;
  /** Chunks of a PE; rounds of a shift until all pairs are done, and those of them in which any PE sends. */
  readonly chunks: number;
  readonly rounds: number;
  readonly full: number;
  /** The busy time of the network's servers, and of those of a receiver that gets the mean. */
  readonly servers: Servers;
  readonly even: Servers;
  /** Time for a byte with that many senders, by the best as measured; 1 where it was not. */
  readonly crowd: number;
  /** A PE's own work, and the least time by the buffers of a lane. */
  readonly work: number;
  readonly lane: number;
  /** Each PE sends a chunk to the PE so many ranks on; mean of all shifts: until it has left, and is received. */
  readonly leaving: number;
  readonly passing: number;
  /** Packets of a chunk in the network, the time of one at the receiver. */
  readonly packets: number;
  readonly packet: number;
  /** A message alone, of a control message, of a vote. */
  readonly latency: number;
  readonly control: number;
  readonly vote: number;
}

/** Bytes of a control message. */
const CONTROL = 12;
/** Bytes of a message that gives a buffer back. */
const RELEASE = 8;
/** Shifts that are looked at. */
const MOST_SHIFTS = 64;

export function phaseOf(model: CostModel, load: ExchangeLoad, pieces: Pieces): Phase {
  const { pes, network, costs } = model;
  const { bytes } = load;
  // all that others send, at most
  const skew = Math.min(load.skew ?? 1, Math.max(1, pes - 1));
  const destinations = destinationsOf(model, load);
  const blockBytes = blockBytesOf(model, load);
  const { chunkBytes, packetBytes, buffersPerLink } = pieces;
  const chunks = (bytes / blockBytes) * Math.ceil(blockBytes / chunkBytes);
  const chunk = bytes / chunks;
  const packets = Math.ceil(chunk / packetBytes);
  const message = chunk / packets + HEAD_BYTES;
  const order = Int32Array.from({ length: pes }, (_, rank) => rank);
  const all = trafficOf(model, order, { count: pes, at: (_, link) => link });
  const ofPair = (chunks * packets) / Math.max(1, pes - 1);
  const idle = serversFor(network, all, ofPair, message, 1);
  // what is known of real receivers is not in the network's settings
  const received = all.into * ofPair * message * receivingByteOf(model);
  const even = { ...idle, ejection: Math.max(idle.ejection, received) };
  // of the PEs of a node one gets more
  const more = (model.nodeSize - 1 + skew) / model.nodeSize;
  const near = model.near ?? { send: MESSAGE, receive: MESSAGE };
  const each = near.send + near.receive + costs.byte * message;
  const latency = latencyOf(network, message);
  const roundTrip = model.nodes === 1 ? 2 * each : latency + latencyOf(network, RELEASE);
  const shifts = shiftsOf(model, packets, message);
  // where nothing can be congested a link is busy until a message has arrived
  const underway = model.nodes > 1 && network.congestion === null ? latency : 0;
  const own = packets * each;
  const lane = (Math.ceil(packets / buffersPerLink) - 1) * roundTrip;
  const bulk = model.bulk ?? [];
  const senders = Math.max(1, Math.min(pes - model.nodeSize, Math.ceil(destinations * skew)));
  return {
    bytes,
    wire: chunks * packets * message,
    destinations,
    senders,
    skew,
    chunks,
    even,
    crowd: crowdOf(bulk, senders),
    ...roundsOf(pes, chunks, destinations, skew),
    servers: { ...even, ejection: even.ejection * more, places: even.places * more },
    work: chunks * own,
    lane: ((chunks * packets) / destinations / buffersPerLink) * roundTrip,
    leaving: Math.max(own, lane, shifts.leaving),
    passing: Math.max(own, lane, shifts.passing, underway, chunk * (bulk.length === 0 ? 0 : byteUnder(bulk, 1))),
    packets: packets * Math.ceil(message / Math.min(message, network.congestion?.packetBytes ?? message)),
    packet: packetTime(model, message),
    latency: model.nodes === 1 ? each : latency,
    control: model.nodes === 1 ? near.send + near.receive : latencyOf(network, CONTROL),
    vote: voteTime(model),
  };
}

/**
 * The busy time of the slowest part, a PE or one of the network, ns. With few places at a receiver, what waits for a
 * link holds up the rest, as in a shift of all PEs.
 */
export function streamOf(
  { network: { congestion } }: CostModel,
  { servers, work, lane, chunks, passing }: Pick<Phase, "servers" | "work" | "lane" | "chunks" | "passing">,
): number {
  const isLimited = Number.isFinite(congestion?.queue ?? Number.POSITIVE_INFINITY) && congestion?.topology;
  return Math.max(slowest(servers).time, work, lane, isLimited ? chunks * passing : 0);
}

/** A node's best time for a byte, ns: in an unmeasured network bytes come out as fast as they go in. */
export function receivingByteOf({ bulk = [], countsLastReturns, network }: CostModel): number {
  if (bulk.length > 0) return bestByte(bulk);
  const { injection, ejection } = network.congestion ?? { injection: { byte: 0 }, ejection: { byte: 0 } };
  return countsLastReturns ? injection.byte : ejection.byte;
}

/** PEs that a PE sends to. */
export const destinationsOf = ({ pes }: Pick<CostModel, "pes">, { destinations }: ExchangeLoad): number =>
  Math.max(1, Math.min(pes - 1, destinations ?? pes - 1));

export const blockBytesOf = (model: Pick<CostModel, "pes">, load: ExchangeLoad): number =>
  Math.min(load.bytes, load.blockBytes ?? Math.ceil(load.bytes / destinationsOf(model, load)));

/**
 * Rounds of a shift: until the pair with the most chunks is done; and those that are not empty: for each distance until
 * its pair with the most is done. Blocks that are drawn at random are as uneven as the skew says: as much as Poisson
 * numbers, at most.
 */
function roundsOf(pes: number, chunks: number, destinations: number, skew: number): Pick<Phase, "rounds" | "full"> {
  const others = Math.max(1, pes - 1);
  const each = chunks / destinations;
  if (skew === 1) {
    const rounds = destinations === others ? Math.max(chunks, 1) : others * Math.ceil(each);
    return { rounds, full: rounds };
  }
  const most = (mean: number, draws: number) => Math.sqrt(2 * mean * Math.log(draws));
  const share = Math.min(1, ((skew - 1) * chunks) / most(chunks, pes));
  // of all pairs, those with the receiver that gets the most among them
  const largest = (pairs: number, hot: number) =>
    Math.max(each + share * most(each, pairs), each * skew + share * most(each * skew, hot));
  return { rounds: others * Math.ceil(largest(pes * others, others)), full: others * largest(pes, 1) };
}

function shiftsOf(model: CostModel, packets: number, message: number): { leaving: number; passing: number } {
  const { pes, network } = model;
  const order = Int32Array.from({ length: pes }, (_, rank) => rank);
  const step = Math.max(1, Math.ceil((pes - 1) / MOST_SHIFTS));
  let [leaving, passing, count] = [0, 0, 0];
  for (let shift = 1; shift < pes; shift += step) {
    const traffic = trafficOf(model, order, { count: 1, at: (place) => (place + shift) % pes });
    const servers = serversFor(network, traffic, packets, message, 0);
    leaving += slowest({ ...servers, ejection: 0, places: 0 }).time;
    passing += slowest(servers).time;
    count++;
  }
  return { leaving: leaving / Math.max(1, count), passing: passing / Math.max(1, count) };
}

/** Time of a packet at its receiver. */
function packetTime({ network: { congestion, receiver } }: CostModel, message: number): number {
  if (congestion === null) return receiver;
  const { ejection, packetBytes } = congestion;
  return ejection.message + ejection.byte * Math.min(message, packetBytes);
}
