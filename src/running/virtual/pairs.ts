/** Queue pairs of virtual PEs: messages in virtual time (links.ts), and between nodes by their mailboxes. */

import type { TeamHolder } from "../../collectives/team/team.ts";
import { sentenceOf } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { MISMATCHED } from "../../ground/wait/layout.ts";
import type { PairShape } from "../../pe/pairs/layout.ts";
import { mismatch } from "../../pe/pairs/mismatch.ts";
import { type Closing, NodePair, type PairBlocks } from "../../pe/pairs/node-pair.ts";
import type { Pair } from "../../pe/pairs/parts.ts";
import { RemotePair } from "../../pe/pairs/remote-pair.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import type { VirtualHeap } from "./heap.ts";
import { VirtualLinks } from "./links.ts";
import type { VirtualMailbox } from "./mailbox.ts";

/** The world that they are in. */
export interface PairWorld {
  readonly machine: VirtualMachine;
  readonly heap: VirtualHeap;
  readonly termination: TeamHolder["termination"];
  /** By rank. */
  readonly mailboxes: readonly VirtualMailbox[];
}

/** The shared state of both PEs of a pair of a node. */
class SharedPair {
  readonly terms: string;
  readonly links: VirtualLinks;
  /** By the number of the PE in the pair: whether it has closed, and that not at the end of its main. */
  readonly closed: [boolean, boolean] = [false, false];
  readonly freed: [boolean, boolean] = [false, false];
  /** Whether both PEs have made it. */
  isWhole = false;
  readonly #world: PairWorld;
  readonly #pes: readonly VirtualPE[];
  readonly #shape: PairShape;
  /** The blocks, once a part needs one; and whether they stay. */
  #block = -1;
  #isKept = false;

  constructor(world: PairWorld, pes: readonly VirtualPE[], shape: PairShape, terms: string) {
    this.terms = terms;
    this.links = new VirtualLinks({ machine: world.machine, heap: world.heap, pes }, shape.slots);
    this.#world = world;
    this.#pes = pes;
    this.#shape = shape;
  }

  /** @param from number of the PE that sends */
  blocks(from: number): PairBlocks {
    const shape = this.#shape;
    const each = shape.slots * shape.blockBytes;
    const first = () => {
      if (this.#block < 0) this.#block = this.#world.heap.allocate(2 * each);
      return this.#block;
    };
    return {
      ...shape,
      get at() {
        return first() + from * each;
      },
    };
  }

  closing(own: 0 | 1): Closing {
    const { closed, freed, links } = this;
    const { machine } = this.#world;
    const other = own === 0 ? 1 : 0;
    const peer = this.#pes[other] as VirtualPE;
    const shared = this;
    return {
      // what was sent before comes first
      get isPeerClosed() {
        const isGone = machine.lost.has(peer) || (peer.over && !shared.isWhole);
        return (closed[other] || isGone) && !links.isFlying(other, own);
      },
      get isPeerKnownClosed() {
        return this.isPeerClosed;
      },
      get isPeerFreed() {
        return freed[other];
      },
      close: (keepsMemory) => this.#close(own, keepsMemory),
    };
  }

  #close(own: 0 | 1, keepsMemory: boolean): void {
    const { machine, heap } = this.#world;
    this.closed[own] = true;
    this.freed[own] = !keepsMemory;
    if (keepsMemory) this.#isKept = true;
    machine.wake(this.#pes[1 - own], Math.max(machine.now, this.#pes[own].clock));
    if (this.closed[0] && this.closed[1] && this.#block >= 0 && !this.#isKept) heap.free(this.#block);
  }
}

/** The pairs of a world. */
export class VirtualPairs {
  readonly #world: PairWorld;
  /** By their PEs and how many these made before: those that one of them has made. */
  readonly #shared = new Map<string, SharedPair>();
  /** By PE and its peer: how many it has made. */
  readonly #instances = new Map<string, number>();

  constructor(world: PairWorld) {
    this.#world = world;
  }

  make(pe: VirtualPE, peer: VirtualPE, shape: PairShape, terms: string, fail: (error: unknown) => void): Pair {
    const own = `${pe.rank} ${peer.rank}`;
    const instance = this.#instances.get(own) ?? 0;
    this.#instances.set(own, instance + 1);
    const both = pe.rank < peer.rank ? [pe, peer] : [peer, pe];
    const name = `${both.map(({ rank }) => rank).join()}#${instance}`;
    if (pe.node !== peer.node) return this.#remote(pe, peer, shape, terms, name, fail);
    const shared = this.#shared.get(name) ?? new SharedPair(this.#world, both, shape, terms);
    if (this.#shared.delete(name)) shared.isWhole = true;
    else this.#shared.set(name, shared);
    if (shared.terms !== terms) this.#mismatch(peer, terms);
    const at = both.indexOf(pe) === 0 ? 0 : 1;
    const links = shared.links.of(at);
    return new NodePair({
      sending: links.sender(1 - at),
      receiving: links.receiver(1 - at),
      out: shared.blocks(at),
      into: shared.blocks(1 - at),
      closing: shared.closing(at),
    });
  }

  #remote(
    pe: VirtualPE,
    peer: VirtualPE,
    shape: PairShape,
    terms: string,
    name: string,
    fail: (error: unknown) => void,
  ): Pair {
    const { heap, mailboxes } = this.#world;
    return new RemotePair({
      heap,
      mailbox: mailboxes[pe.rank],
      sideWork: pe.sessions.sideWork,
      peer: peer.rank,
      shape,
      streams: [fnv1a(`parts ${name}`), fnv1a(`words ${name}`)],
      terms: fnv1a(terms) | 0,
      onMismatch: () => this.#mismatch(peer, terms),
      isLost: () => this.#world.machine.lost.has(peer),
      isFlying: () => (mailboxes[peer.rank] as VirtualMailbox).isFlying(pe.rank),
      fail,
    });
  }

  #mismatch({ rank }: VirtualPE, terms: string): never {
    const { termination } = this.#world;
    const error = mismatch(terms, rank);
    termination.decide(MISMATCHED, { rank: -1, message: sentenceOf(error) });
    throw error;
  }
}
