/**
 * The busy time of the network's servers, with a load of messages: the slowest of them is the time of the load.
 *
 *     injection    of the node that sends the most: each packet, and each byte
 *     ejection     of the node that receives the most
 *     processor    of a node that does both by one processor, one after the other
 *     bisection    from one half of the nodes to the other: each byte
 *     links        the busiest link of the topology: each byte
 *     places       of a node's queue: each packet has one from its injection to its ejection
 *
 * They are those of the simulator (src/running/simulate/network). A network without them has only the receiver, which
 * is an ejection of so many ns for each message.
 */
import { lineOf, type NetworkSettings, type SimulatedTopology } from "../network/network.ts";
import type { Traffic } from "./traffic.ts";

/** Times for which servers are busy, ns. */
export interface Servers {
  readonly injection: number;
  readonly ejection: number;
  readonly processor: number;
  readonly bisection: number;
  readonly links: number;
  readonly places: number;
}

export const IDLE: Servers = { injection: 0, ejection: 0, processor: 0, bisection: 0, links: 0, places: 0 };
const NAMES = Object.keys(IDLE) as (keyof Servers)[];

/** Bytes of a message that gives a buffer back. */
const RELEASE = 8;
/** Bytes of a message with a node's vote, or with the result. */
export const VOTE_BYTES = 8;
/** Time of a PE to send a message to another node, and to receive one, ns. */
const AT_PE = 50;

/** The network between nodes, with its rates. */
interface Rates {
  readonly injection: { readonly message: number; readonly byte: number };
  readonly ejection: { readonly message: number; readonly byte: number };
  readonly processor: boolean;
  readonly queue: number;
  readonly packetBytes: number;
  readonly bisection: number;
  readonly topology: SimulatedTopology | null;
}

const ratesOf = ({ congestion, receiver }: NetworkSettings): Rates =>
  congestion ?? {
    injection: { message: 0, byte: 0 },
    ejection: { message: receiver, byte: 0 },
    processor: false,
    queue: Number.POSITIVE_INFINITY,
    packetBytes: Number.POSITIVE_INFINITY,
    bisection: 0,
    topology: null,
  };

/** ns per byte of the slowest link: packets pass a path as one passes it, and all PEs wait for those that do. */
const slowestLink = ({ bisection, topology }: Rates): number => {
  if (topology === null) return bisection;
  const bytes = topology.kind === "fat-tree" ? topology.levels.map(({ byte }) => byte) : [topology.byte];
  return Math.max(bisection, ...bytes);
};

/**
 * For messages of so many bytes, and what gives their buffers back.
 * @param each messages over each link of the traffic
 * @param releases messages that give buffers back, for each message
 */
export function serversFor(
  network: NetworkSettings,
  traffic: Traffic,
  each: number,
  bytes: number,
  releases: number,
): Servers {
  const there = oneWay(network, traffic, each, bytes);
  if (releases === 0) return there;
  const { out, into } = traffic;
  return sum(there, oneWay(network, { ...traffic, out: into, into: out }, releases * each, RELEASE));
}

function oneWay(network: NetworkSettings, traffic: Traffic, each: number, bytes: number): Servers {
  const { injection, ejection, processor, queue, packetBytes, bisection } = ratesOf(network);
  const { out, into, cut, link } = traffic;
  const packets = packetsOf(bytes, packetBytes);
  const packet = bytes / packets;
  const held = passing(network, packet);
  const sending = out * each * (packets * injection.message + bytes * injection.byte);
  const receiving = into * each * (packets * ejection.message + bytes * ejection.byte);
  return {
    injection: sending,
    ejection: receiving,
    processor: processor ? sending + receiving : 0,
    bisection: cut * each * bytes * bisection,
    links: link * each * bytes,
    places: (into * each * packets * held) / queue,
  };
}

const packetsOf = (bytes: number, packetBytes: number): number => Math.max(1, Math.ceil(bytes / packetBytes));

/** Time from the injection of a packet to the end of its ejection, if it waits nowhere. */
function passing(network: NetworkSettings, bytes: number): number {
  const rates = ratesOf(network);
  const { injection, ejection } = rates;
  const { alpha, beta } = lineOf(network, bytes);
  const byte = injection.byte + ejection.byte + beta + slowestLink(rates);
  return injection.message + ejection.message + alpha + byte * bytes;
}

/** Time of a message from PE to PE, if it waits nowhere, ns. */
export function latencyOf(network: NetworkSettings, bytes: number): number {
  const rates = ratesOf(network);
  const { injection, ejection, packetBytes } = rates;
  const packets = packetsOf(bytes, packetBytes);
  const packet = bytes / packets;
  // the packets follow one another through the slowest part
  const slower = Math.max(
    injection.message + injection.byte * packet,
    slowestLink(rates) * packet,
    ejection.message + ejection.byte * packet,
  );
  return 2 * AT_PE + passing(network, packet) + (packets - 1) * slower;
}

/**
 * Time from the last of so many nodes' votes to the result, ns: in hardware, or up and down a tree of messages that
 * wait nowhere (src/running/simulate/ballot.ts).
 */
export function votingOver(network: NetworkSettings, nodes: number): number {
  if (nodes === 1) return 0;
  const { alpha, receiver, barrier, congestion } = network;
  const level = congestion === null ? alpha + receiver : latencyOf(network, VOTE_BYTES);
  return barrier ?? 2 * Math.ceil(Math.log2(nodes)) * level;
}

export function sum(a: Servers, b: Servers): Servers {
  return {
    injection: a.injection + b.injection,
    ejection: a.ejection + b.ejection,
    processor: a.processor + b.processor,
    bisection: a.bisection + b.bisection,
    links: a.links + b.links,
    places: a.places + b.places,
  };
}

/** The one that is busy for longest. */
export function slowest(servers: Servers): { readonly name: keyof Servers; readonly time: number } {
  const name = NAMES.reduce((a, b) => (servers[b] > servers[a] ? b : a));
  return { name, time: servers[name] };
}
