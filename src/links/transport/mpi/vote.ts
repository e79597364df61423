/**
 * Votes over nodes. Within a node they use its tree (heap/vote.ts). The leaders at the roots exchange the bits of their
 * nodes by dissemination: in step k each sends what it knows to the node 2^k further on, so all know everything after
 * log2(nodes) steps, for any number of nodes, as repeated bits do not change an OR. No call blocks.
 *
 * Every message contains a hash of the terms that the PEs must agree about, as these are not compared between nodes
 * otherwise.
 *
 * Source: Hensgen, Finkel, Manber, Two Algorithms for Barrier Synchronization, 1988.
 */
import type { Tree } from "../../../../trees/model/tree.ts";
import type { Vote } from "../contract.ts";
import type { PEMailbox, Transfer } from "../messages/mailbox.ts";
import type { LinkHandshakes } from "./link-handshake.ts";

/** The parts of a vote of nodes. */
export interface NodeVoteSetup {
  readonly mailbox: PEMailbox;
  readonly stream: number;
  /** The leaders of all nodes, by rank in the world; and the index of this PE's node. */
  readonly leaders: readonly number[];
  readonly own: number;
  /** A hash of the terms that all must agree about. */
  readonly terms: number;
  /** Called when another node has other terms: throws. */
  onMismatch(peer: number): never;
}

/** The vote of the nodes, at the leader of one of them. */
export class NodeVote implements Vote {
  readonly #place: NodeVoteSetup;
  readonly #steps: number;
  #round = 0;
  #bits = 0;
  #step = 0;
  #hasSent = false;
  /** Messages of this round that MPI is still sending. */
  readonly #leaving: Transfer[] = [];

  constructor(place: NodeVoteSetup) {
    this.#place = place;
    this.#steps = Math.ceil(Math.log2(place.leaders.length));
    this.#step = this.#steps;
  }

  cast(bits: number): void {
    this.#round++;
    this.#bits = bits;
    this.#step = 0;
    this.#hasSent = false;
    this.#leaving.length = 0;
  }

  poll(): number {
    const { mailbox, stream, terms } = this.#place;
    mailbox.poll();
    for (; this.#step < this.#steps; this.#step++) {
      if (!this.#hasSent) {
        if (!mailbox.canSend(this.#peer(1), 8)) return -1;
        const envelope = { stream, tag: this.#round, word: this.#step, count: 0, root: terms };
        const transfer = { over: false };
        this.#leaving.push(transfer);
        mailbox.sendNumber(this.#peer(1), envelope, this.#bits, transfer);
        this.#hasSent = true;
      }
      const message = mailbox.unexpected.take(stream, this.#peer(-1));
      if (message === undefined) return -1;
      if (message.root !== terms) this.#place.onMismatch(message.from);
      this.#bits |= message.number;
      this.#hasSent = false;
    }
    // a PE with other work may not call MPI for a while: the messages that others need must be sent before that
    if (this.#leaving.some(({ over }) => !over)) return -1;
    return this.#bits;
  }

  /** The PE whose message is awaited; -1 for none. */
  get awaited(): number {
    return this.#step < this.#steps ? this.#peer(-1) : -1;
  }

  /** No further votes. */
  close(): void {
    this.#place.mailbox.unexpected.drop(this.#place.stream);
  }

  #peer(direction: 1 | -1): number {
    const { leaders, own } = this.#place;
    const { length } = leaders;
    return leaders[(own + direction * 2 ** this.#step + length) % length];
  }
}

/**
 * A vote that begins when all tags are known, so that nothing is sent before that, and all PEs can receive after it.
 * When the first one has ended, all PEs have begun.
 */
export class HandshakeVote implements Vote {
  readonly #vote: Vote;
  readonly #handshakes: LinkHandshakes;
  readonly #onBegin: () => void;
  #tagsKnown = false;
  #hasBegun = false;
  /** The bits to be cast; -1 for none. */
  #bits = -1;

  /** @param onBegin called when the first vote has ended */
  constructor(vote: Vote, handshakes: LinkHandshakes, onBegin: () => void) {
    this.#vote = vote;
    this.#onBegin = onBegin;
    this.#handshakes = handshakes;
  }

  cast(bits: number): void {
    if (this.#tagsKnown) this.#vote.cast(bits);
    else this.#bits = bits;
  }

  poll(): number {
    if (!this.#tagsKnown) {
      if (!this.#handshakes.poll()) return -1;
      this.#tagsKnown = true;
      this.#vote.cast(this.#bits);
    }
    const result = this.#vote.poll();
    if (result >= 0 && !this.#hasBegun) {
      this.#hasBegun = true;
      this.#onBegin();
    }
    return result;
  }
}

/** The same tree with PE 0 as its root: the root of a node, to others, must not depend on the node's trees. */
export function rootedAtFirst({ root, children }: Pick<Tree, "root" | "children">): {
  root: number;
  children: Record<number, number[]>;
} {
  const turned: Record<number, number[]> = {};
  for (const [parent, list] of Object.entries(children)) turned[Number(parent)] = [...list];
  const parentOf = (pe: number) => Object.keys(turned).find((parent) => turned[Number(parent)].includes(pe));
  const path = [0];
  for (let pe = 0; pe !== root; ) {
    pe = Number(parentOf(pe));
    path.push(pe);
  }
  for (let i = path.length - 1; i > 0; i--) {
    const [child, parent] = [path[i - 1], path[i]];
    turned[parent] = turned[parent].filter((pe) => pe !== child);
    turned[child] = [parent, ...(turned[child] ?? [])];
  }
  return { root: 0, children: turned };
}
