/**
 * A network that can be congested: messages between nodes share servers, each of which has a queue.
 *
 *     sender's node                the network                                      receiver's node
 *
 *     message ── injection ──┬── half to half ── link ── link ── alpha + beta b ──── ejection ── deliver
 *                   │        │   (bisection)       (topology)                            │
 *              in packets    └──────────── a place in the receiver's queue ──────────────┘
 *
 * Limits: a path is the same for all messages of a pair of nodes (no adaptive routing), the queues of links are not
 * limited, and time in the network itself (alpha, beta) is not shared.
 *
 * Source of the parts: Brewer et al. 1996 (receivers that are slower than senders, stalls on injection, packets of
 * several receivers interleaved), LogGP (o, g and G as rates of injection and ejection).
 */
import { type Congestion, lineOf, type NetworkSettings } from "../../../plan/network/network.ts";
import { type NetworkTopology, topologyOf } from "../../../plan/network/topology.ts";
import type { Timeline } from "../time/timeline.ts";
import { Ejection } from "./ejection.ts";
import { Injection } from "./injection.ts";
import { Link } from "./link.ts";
import { NetworkMessage, Packet, type SentMessage } from "./packet.ts";
import { Processor } from "./processor.ts";

/** The work of a network. */
export interface NetworkUse {
  /** Number of messages between nodes, the releases of buffers among them; of packets; of bytes. */
  readonly messages: number;
  readonly packets: number;
  readonly bytes: number;
  /** Time for which the busiest node was injecting, and ejecting, ns. */
  readonly injection: number;
  readonly ejection: number;
  /** Time for which the busiest link was busy, and the busier direction of the bisection, ns. */
  readonly link: number;
  readonly bisection: number;
  /** Time for which messages that were first in line waited for a place at their receivers, ns, of all nodes. */
  readonly blocked: number;
  /** Largest number of messages that waited at a node for injection; of packets that waited at one for ejection. */
  readonly peakInjection: number;
  readonly peakEjection: number;
}

/** The directions across the cut, by whether the receiver is beyond; numbers of links are >= 0. */
const CUT = [-1, -2] as const;

export class Network {
  readonly #timeline: Timeline;
  readonly #settings: NetworkSettings;
  readonly #congestion: Congestion;
  readonly #topology: NetworkTopology;
  readonly #ejections: readonly Ejection[];
  readonly #injections: readonly Injection[];
  /** By number; made when they are first used, as there may be a link for each pair of nodes. */
  readonly #links = new Map<number, Link>();
  #messages = 0;
  #packets = 0;
  #bytes = 0;

  /** @param takesFrom from when on a PE takes packets out of the network, ns */
  constructor(
    timeline: Timeline,
    settings: NetworkSettings,
    congestion: Congestion,
    nodes: number,
    takesFrom: (pe: number) => number = () => 0,
  ) {
    this.#timeline = timeline;
    this.#settings = settings;
    this.#congestion = congestion;
    this.#topology = topologyOf(congestion.topology, nodes);
    const { injection, ejection, queue, processor } = congestion;
    const processors = Array.from({ length: nodes }, () => new Processor(processor));
    this.#ejections = processors.map((one) => new Ejection(timeline, ejection, one, queue, takesFrom, this.#received));
    this.#injections = processors.map(
      (one) => new Injection(timeline, injection, congestion, one, this.#ejections, this.#inject),
    );
  }

  /** Sends a message at a time that is not over. */
  send(sent: SentMessage, departure: number): void {
    this.#messages++;
    this.#bytes += sent.bytes;
    const isControl = sent.isControl && this.#congestion.control;
    this.#timeline.schedule(new NetworkMessage(sent, this.#pathOf(sent), isControl, this.#depart), departure);
  }

  use(): NetworkUse {
    const most = (times: Iterable<number>) => [...times].reduce((a, b) => Math.max(a, b), 0);
    const links = [...this.#links];
    return {
      messages: this.#messages,
      packets: this.#packets,
      bytes: this.#bytes,
      injection: most(this.#injections.map(({ busy }) => busy)),
      ejection: most(this.#ejections.map(({ busy }) => busy)),
      link: most(links.map(([number, { busy }]) => (number >= 0 ? busy : 0))),
      bisection: most(links.map(([number, { busy }]) => (number >= 0 ? 0 : busy))),
      blocked: this.#injections.reduce((sum, { blocked }) => sum + blocked, 0),
      peakInjection: most(this.#injections.map(({ peak }) => peak)),
      peakEjection: most(this.#ejections.map(({ peak }) => peak)),
    };
  }

  #pathOf({ from, to }: SentMessage): readonly number[] {
    const topology = this.#topology;
    const path = topology.path(from, to);
    const isBeyond = topology.isBeyond(to);
    if (this.#congestion.bisection === 0 || topology.isBeyond(from) === isBeyond) return path;
    return [CUT[isBeyond ? 1 : 0], ...path];
  }

  readonly #depart = (message: NetworkMessage): void => this.#injections[message.sent.from].add(message);

  readonly #inject = (message: NetworkMessage, bytes: number): void => {
    this.#packets++;
    const packet = new Packet(message, bytes, this.#arrive);
    packet.tail = this.#timeline.now;
    this.#onward(packet);
  };

  readonly #onward = (packet: Packet): void => {
    const { sent, path } = packet.message;
    if (packet.entered < path.length) {
      this.#link(path[packet.entered++]).enter(packet);
      return;
    }
    const timeline = this.#timeline;
    const { alpha, beta } = lineOf(this.#settings, packet.bytes);
    let arrival = packet.tail + timeline.delay(alpha + beta * packet.bytes);
    const { times, link } = sent;
    // a link keeps its order for any delays; the times must differ, as events at the same time are ordered at random
    if (times !== null) {
      arrival = Math.max(arrival, times[link] + 1);
      times[link] = arrival;
    }
    timeline.schedule(packet, arrival);
  };

  readonly #arrive = (packet: Packet): void => this.#ejections[packet.message.sent.to].arrive(packet);

  readonly #received = ({ message, bytes }: Packet): void => {
    message.missing -= bytes;
    if (message.missing === 0) message.sent.deliver(this.#timeline.now);
  };

  #link(number: number): Link {
    let link = this.#links.get(number);
    if (link === undefined) {
      const byte = number < 0 ? this.#congestion.bisection : this.#topology.byte(number);
      link = new Link(this.#timeline, byte, this.#onward);
      this.#links.set(number, link);
    }
    return link;
  }
}
