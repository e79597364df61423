/**
 * Traffic between virtual PEs: messages, cache lines, votes; what they cost, and when they arrive.
 *
 * Between nodes there is a network that can be congested (network/), or a line: alpha + beta b, and a receiver that
 * takes one message after another.
 */

import { votingOver } from "../../plan/model/servers.ts";
import { lineOf } from "../../plan/network/network.ts";
import { Network } from "./network/network.ts";
import type { SimulationSettings } from "./options.ts";
import type { Timeline } from "./time/timeline.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** Cost of a message to its sender and to its receiver within a node without a model, ns. */
const DEFAULT_COST = 50;

/** More about a message. */
export interface MessageOptions {
  /** Arrival times by link; messages of the same `link` arrive in the order in which they were sent. @default none */
  readonly times?: Float64Array;
  readonly link?: number;
  /** Called when all of it has entered a network that can be congested. */
  readonly onInjected?: ((time: number) => void) | undefined;
  /** Whether it is a control message. All of a link are, or none. @default false */
  readonly isControl?: boolean;
}

/** What answers a message: that a buffer is free, or the vote of a node. */
export const CONTROL: MessageOptions = { isControl: true };
const NOTHING: MessageOptions = {};

/** An ordered stream from one PE to another. */
export interface VirtualLine {
  /** When the last of it arrives, ns. */
  arrivesAt: number;
}

export class SimulatedMessages {
  /** null if it cannot be congested. */
  readonly network: Network | null;
  readonly #settings: SimulationSettings;
  readonly #timeline: Timeline;
  /** By node: when it can receive the next message, where there is no such network. */
  readonly #receives: Float64Array;

  /** @param takesFrom from when on a PE takes packets out of the network, ns */
  constructor(settings: SimulationSettings, timeline: Timeline, takesFrom: (pe: number) => number) {
    const { nodes, network } = settings;
    const { congestion } = network;
    this.#settings = settings;
    this.#timeline = timeline;
    this.#receives = new Float64Array(nodes);
    this.network = congestion === null ? null : new Network(timeline, network, congestion, nodes, takesFrom);
  }

  /**
   * Sends a message of `bytes` bytes now, which advances the sender's clock, and calls `deliver` when it arrives.
   * @returns when it leaves the sender's node; Infinity if `onInjected` says that
   */
  send(
    from: VirtualPE,
    to: VirtualPE,
    bytes: number,
    deliver: (time: number) => void,
    more: MessageOptions = NOTHING,
  ): number {
    const { times = null, link = 0, onInjected, isControl = false } = more;
    if (this.network !== null && from.node !== to.node) {
      from.clock += this.#timeline.delay(this.#settings.costs.byte * bytes + DEFAULT_COST);
      const sent = { from: from.node, to: to.node, pe: to.rank, bytes, deliver, times, link, onInjected, isControl };
      this.network.send(sent, from.clock);
      return Number.POSITIVE_INFINITY;
    }
    if (from.awaiting !== null && from.node !== to.node) {
      this.#sendBetweenNodes(from, to, bytes, deliver, times, link);
      return from.clock;
    }
    let time = this.#arrival(from, to, bytes);
    // a link keeps its order for any delays; the times must differ, as events at the same time are ordered at random
    if (times !== null) {
      time = Math.max(time, times[link] + 1);
      times[link] = time;
    }
    this.#timeline.at(time, () => deliver(time));
    return from.clock;
  }

  /**
   * Sends a cache line within a node now, as the model of trees has it (trees/model/latency.ts): it occupies the
   * sender, and is at the receiver when it has propagated; seeing it takes {@link receiving}. A PE forwards, and has
   * its relay, when it has taken a line of another PE since it last sent one.
   * @param line keeps the order of what is sent along it
   */
  sendLine(from: VirtualPE, to: VirtualPE, line: VirtualLine, deliver: (time: number) => void): void {
    const { send, propagate, relay } = this.#settings;
    const [row, column] = [from.nodeRank, to.nodeRank];
    const forwards = relay !== null && from.heard >= 0 && from.heard !== to.rank;
    from.heard = -1;
    from.clock =
      Math.max(from.clock, this.#timeline.now) +
      (forwards ? this.#timeline.delay(relay[row]) : 0) +
      this.#timeline.delay(send === null ? DEFAULT_COST : send[row][column]);
    let time = from.clock + (propagate === null ? 0 : this.#timeline.delay(propagate[row][column]));
    // as in send()
    if (time <= line.arrivesAt) time = line.arrivesAt + 1;
    line.arrivesAt = time;
    this.#timeline.at(time, () => deliver(time));
  }

  /** Time from when a PE changes a word until another can see it, ns, if it only has to look. */
  showing(from: VirtualPE, to: VirtualPE): number {
    const { send } = this.#settings;
    return this.#timeline.delay(send === null ? DEFAULT_COST : send[from.nodeRank][to.nodeRank]);
  }

  /** When a message that is sent now arrives, where nothing but its receiver is shared. */
  #arrival(from: VirtualPE, to: VirtualPE, bytes: number): number {
    const { send, network, costs } = this.#settings;
    if (from.node === to.node) {
      from.clock += this.#timeline.delay(send === null ? DEFAULT_COST : send[from.nodeRank][to.nodeRank]);
      return from.clock + this.#timeline.delay(costs.byte * bytes);
    }
    from.clock += this.#timeline.delay(costs.byte * bytes + DEFAULT_COST);
    const { alpha, beta } = lineOf(network, bytes);
    const arrival = from.clock + this.#timeline.delay(alpha + beta * bytes);
    const done = Math.max(arrival, this.#receives[to.node]) + this.#timeline.delay(network.receiver);
    this.#receives[to.node] = done;
    return done;
  }

  /**
   * As {@link send}, where the receiving node is taken when the message is there. The sender's clock may be far ahead,
   * after declared work, and messages that others send meanwhile come before.
   */
  #sendBetweenNodes(
    from: VirtualPE,
    to: VirtualPE,
    bytes: number,
    deliver: (time: number) => void,
    times: Float64Array | null,
    link: number,
  ): void {
    const { network, costs } = this.#settings;
    from.clock += this.#timeline.delay(costs.byte * bytes + DEFAULT_COST);
    const { alpha, beta } = lineOf(network, bytes);
    let arrival = from.clock + this.#timeline.delay(alpha + beta * bytes);
    if (times !== null) {
      arrival = Math.max(arrival, times[link] + 1);
      times[link] = arrival;
    }
    this.#timeline.at(arrival, () => {
      const done = Math.max(arrival, this.#receives[to.node]) + this.#timeline.delay(network.receiver);
      this.#receives[to.node] = done;
      this.#timeline.at(done, () => deliver(done));
    });
  }

  /** Time for which `to` is busy receiving a message, ns. */
  receiving(from: VirtualPE, to: VirtualPE): number {
    const { receive } = this.#settings;
    if (from.node !== to.node || receive === null) return this.#timeline.delay(DEFAULT_COST);
    return this.#timeline.delay(receive[from.nodeRank][to.nodeRank]);
  }

  /** Whether votes over nodes are messages through the network; if not, they take {@link voting}. */
  get votesByMessages(): boolean {
    return this.network !== null && this.#settings.network.barrier === null;
  }

  /**
   * Time from the last PE's vote to the result, ns: that over the nodes, and up and down a tree in the node.
   * @param among the nodes of those who vote, and PEs of the largest
   */
  voting({ nodes, nodeSize }: Pick<SimulationSettings, "nodes" | "nodeSize">): number {
    return this.#timeline.delay(2 * treeTime(nodeSize) + votingOver(this.#settings.network, nodes));
  }

  /** Time from the last vote of a node's PEs to when one of them has all, or from the result at that one to all, ns. */
  alongNode(nodeSize: number): number {
    return this.#timeline.delay(treeTime(nodeSize));
  }
}

/** Time up a binary tree over the PEs of a node, or down, ns. */
const treeTime = (nodeSize: number): number => Math.ceil(Math.log2(nodeSize)) * 2 * DEFAULT_COST;
