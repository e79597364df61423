/**
 * Votes of the PEs of a conveyor: when each gets the result.
 *
 * Where votes take a fixed time (one node, a barrier in hardware, a network that cannot be congested) it counts from
 * the last vote on. Else the nodes' votes are messages through the same network as all others, up and down a binomial
 * tree over the nodes: they queue behind data, for injection, for places, and for ejection. The first PE of a node
 * answers them at once, as it does active messages.
 *
 * Example, 6 nodes: 1 and 2 and 4 tell 0; 3 tells 2, and 5 tells 4, before that. The result goes the same way back, to
 * 4 first.
 */
import { VOTE_BYTES } from "../../plan/model/servers.ts";
import { CONTROL } from "./messages.ts";
import type { Peers } from "./porter.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** Gives the result of a vote to a PE. @param rank in the conveyor @param time when it has it, ns */
type Announce = (rank: number, result: number, time: number) => void;

export interface Ballot {
  /** A PE votes. @param rank in the conveyor @param time when, ns */
  cast(rank: number, bits: number, time: number): void;
}

export const ballotOf = (peers: Peers, announce: Announce): Ballot =>
  peers.nodes > 1 && peers.machine.messages.votesByMessages
    ? new MessageBallot(peers, announce)
    : new TimedBallot(peers, announce);

/** The votes of some PEs, as far as they have come. */
class Count {
  bits = 0;
  latest = 0;
  #cast = 0;
  readonly #all: number;

  constructor(all: number) {
    this.#all = all;
  }

  /** @returns whether it was the last one */
  add(bits: number, time: number): boolean {
    this.bits |= bits;
    this.latest = Math.max(this.latest, time);
    return ++this.#cast === this.#all;
  }

  reset(): void {
    this.bits = 0;
    this.latest = 0;
    this.#cast = 0;
  }
}

class TimedBallot implements Ballot {
  readonly #peers: Peers;
  readonly #announce: Announce;
  readonly #count: Count;

  constructor(peers: Peers, announce: Announce) {
    this.#peers = peers;
    this.#announce = announce;
    this.#count = new Count(peers.pes.length);
  }

  cast(_rank: number, bits: number, time: number): void {
    const count = this.#count;
    if (!count.add(bits, time)) return;
    const { machine, pes } = this.#peers;
    const result = count.bits;
    const done = count.latest + machine.messages.voting(this.#peers);
    count.reset();
    for (let rank = 0; rank < pes.length; rank++) {
      // slightly different times for the PEs
      const own = done + machine.delay(1);
      machine.at(own, () => this.#announce(rank, result, own));
    }
  }
}

/** A node in the tree over the nodes. */
interface Branch {
  readonly leader: VirtualPE;
  /** Its PEs, by rank in the conveyor. */
  readonly ranks: number[];
  readonly parent: number;
  /** Those with the most nodes below them first. */
  readonly children: number[];
  /** Of its PEs; then of them as one, and of the branches below. */
  readonly own: Count;
  readonly all: Count;
}

class MessageBallot implements Ballot {
  readonly #peers: Peers;
  readonly #announce: Announce;
  readonly #branches: readonly Branch[];
  /** By rank in the conveyor. */
  readonly #branchOf: readonly Branch[];

  constructor(peers: Peers, announce: Announce) {
    this.#peers = peers;
    this.#announce = announce;
    const ranksOf = new Map<number, number[]>();
    for (const [rank, { node }] of peers.pes.entries()) {
      const ranks = ranksOf.get(node);
      if (ranks === undefined) ranksOf.set(node, [rank]);
      else ranks.push(rank);
    }
    const nodes = [...ranksOf.values()];
    this.#branches = nodes.map((ranks, number) => {
      const children = childrenOf(number, nodes.length);
      return {
        leader: peers.pes[ranks[0]],
        ranks,
        parent: number & (number - 1),
        children,
        own: new Count(ranks.length),
        all: new Count(1 + children.length),
      };
    });
    const branchOf: Branch[] = [];
    for (const branch of this.#branches) for (const rank of branch.ranks) branchOf[rank] = branch;
    this.#branchOf = branchOf;
  }

  cast(rank: number, bits: number, time: number): void {
    const branch = this.#branchOf[rank];
    const { own, leader } = branch;
    if (!own.add(bits, time)) return;
    const { machine } = this.#peers;
    const result = own.bits;
    const ready = own.latest + this.#alongNode();
    own.reset();
    machine.at(ready, () => machine.interrupt(leader, ready, () => this.#join(branch, result)));
  }

  /** A leader has the votes of its PEs, or of a branch below. */
  #join(branch: Branch, bits: number): void {
    const { all, parent } = branch;
    if (!all.add(bits, 0)) return;
    const result = all.bits;
    all.reset();
    if (branch === this.#branches[0]) this.#finish(branch, result);
    else this.#tell(branch, this.#branches[parent], (above) => this.#join(above, result));
  }

  /** A leader has the result. */
  #finish(branch: Branch, result: number): void {
    const { machine } = this.#peers;
    for (const child of branch.children) {
      this.#tell(branch, this.#branches[child], (below) => this.#finish(below, result));
    }
    const done = branch.leader.clock + this.#alongNode();
    for (const rank of branch.ranks) {
      const own = done + machine.delay(1);
      machine.at(own, () => this.#announce(rank, result, own));
    }
  }

  #tell(from: Branch, to: Branch, hear: (branch: Branch) => void): void {
    const { machine } = this.#peers;
    const { messages } = machine;
    messages.send(
      from.leader,
      to.leader,
      VOTE_BYTES,
      (time) =>
        machine.interrupt(to.leader, time, () => {
          to.leader.clock += messages.receiving(from.leader, to.leader);
          hear(to);
        }),
      CONTROL,
    );
  }

  #alongNode(): number {
    const { machine, nodeSize } = this.#peers;
    return machine.messages.alongNode(nodeSize);
  }
}

/** Branches below a node of a binomial tree: its number with one of the zeros at its end set. */
function childrenOf(number: number, nodes: number): number[] {
  const children: number[] = [];
  for (let bit = 1; number + bit < nodes && (number & bit) === 0; bit *= 2) children.unshift(number + bit);
  return children;
}
