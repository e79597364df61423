/**
 * The span of a group over nodes: which of its PEs live together, and the messages between those that do not.
 *
 *     ranks in the group     0   1   2 | 3   4 | 5   6   7
 *     parts                  part 0    | part 1| part 2          the PEs of a group on one node, a team each
 *
 * One PE of a part leads for it: the first of the node, or the root where the call has one there. So PEs that do not
 * agree about the order of the ranks still meet, and find that out.
 */

import type { RemoteCosts } from "../../machine/remote-costs.ts";
import type { Heap } from "../../memory/heap.ts";
import { EAGER_BYTES, type Nodes, nodeOf } from "../../transport/messages/layout.ts";
import type { Envelope, Mailbox, Transfer } from "../../transport/messages/mailbox.ts";
import type { Message } from "../../transport/messages/unexpected-queue.ts";
import { block } from "../../wait/waiter.ts";
import type { Routine } from "../team/operation.ts";
import type { Team } from "../team/team.ts";
import { RemoteArrival, RemoteSender } from "./remote.ts";
import { Room } from "./room.ts";
import { partTree } from "./subgroup-tree.ts";

/** How long a PE waits before it says in which call, ms. */
const PROBE_MS = 50;

/** PEs of a group on one node. */
export interface Subgroup {
  /** By their number in the part: ranks in the group. */
  readonly ranks: readonly number[];
  /** Who leads for it where the call has no root in it: the first of the node, whatever the order in the group. */
  readonly leader: number;
}

/** Memory of the heap that MPI reads until the transfer is over. */
interface Lent {
  readonly transfer: Transfer;
  readonly peer: number;
  /** A block to be given back; 0 for none. */
  readonly block: number;
}

/** What a PE has for talking to other nodes. */
export interface OtherNodes {
  readonly mailbox: Mailbox;
  readonly nodes: Nodes;
  readonly costs: RemoteCosts;
}

/** This PE's place in a tree over the parts: ranks in the group. */
export interface TreePosition {
  /** Who sends to it; -1 where nobody of another part does. */
  readonly parent: number;
  /** The leaders that it sends to, in order. */
  readonly children: readonly number[];
}

/** One PE's view of a group over several nodes. */
export class Hierarchy {
  /** In the group. */
  readonly rank: number;
  readonly size: number;
  readonly parts: readonly Subgroup[];
  /** The part of this PE. */
  readonly own: number;
  readonly team: Team;
  /** Whether the team is this PE alone. */
  readonly isAlone: boolean;
  /** Whether the parts follow each other by rank. */
  readonly inOrder: boolean;
  /** For what comes, and for this PE's own elements where they do not lie in the heap. */
  readonly scratch: Room;
  readonly stage: Room;
  readonly #heap: Heap;
  readonly #mailbox: Mailbox;
  readonly #members: readonly number[];
  readonly #partOf: Int32Array;
  readonly #costs: RemoteCosts;
  /** By root, and by root without helpers. */
  readonly #places = new Map<number, TreePosition>();
  readonly #lent: Lent[] = [];
  /** Of the call that messages belong to now. */
  readonly #envelope: { -readonly [Name in keyof Envelope]: Envelope[Name] };
  readonly #arrival: RemoteArrival;
  /** The PE of another node from which a message is awaited; -1 for none. */
  #awaited = -1;
  /** The call in which this PE was seen waiting last, since when, ms, and whom it has told of that; -1 for nobody. */
  #waitingIn = -1;
  #waitingSince = 0;
  #told = -1;

  /**
   * @param members of the group, as the world numbers them
   * @param team those of them on this node
   * @param stream the same at all members, and of no other group
   */
  constructor({ mailbox, nodes, costs }: OtherNodes, members: readonly number[], team: Team, stream: number) {
    const parts = new Map<number, number[]>();
    members.forEach((member, rank) => {
      const node = nodeOf(nodes, member);
      const ranks = parts.get(node);
      if (ranks === undefined) parts.set(node, [rank]);
      else ranks.push(rank);
    });
    this.size = members.length;
    const ordered = [...parts].sort(([a], [b]) => a - b);
    this.parts = ordered.map(([, ranks]) => ({
      ranks,
      leader: ranks.reduce((first, rank) => (members[rank] < members[first] ? rank : first)),
    }));
    this.own = ordered.findIndex(([node]) => node === nodes.node);
    this.rank = this.parts[this.own].ranks[team.rank];
    this.team = team;
    this.isAlone = team.size === 1;
    this.inOrder = this.parts.flatMap(({ ranks }) => ranks).every((rank, place) => rank === place);
    this.#heap = team.heap;
    this.scratch = new Room(team.heap);
    this.stage = new Room(team.heap);
    this.#mailbox = mailbox;
    this.#costs = costs;
    this.#members = members;
    this.#partOf = new Int32Array(members.length);
    for (const [part, { ranks }] of this.parts.entries()) for (const rank of ranks) this.#partOf[rank] = part;
    this.#envelope = { stream, tag: 0, word: 0, count: 0, root: -1 };
    this.#arrival = new RemoteArrival(mailbox, stream);
    team.onWait = (sequence) => this.#wait(sequence);
    mailbox.probes.watch(stream, (claim) => team.checkProbe(claim));
  }

  partOf(rank: number): number {
    return this.#partOf[rank];
  }

  /** Who leads for a part in a call with this root (-1 for none): a rank in the group. */
  leader(part: number, root = -1): number {
    return root >= 0 && this.#partOf[root] === part ? root : this.parts[part].leader;
  }

  /** Whether this PE leads for its part in a call with this root. */
  leads(root: number): boolean {
    return this.leader(this.own, root) === this.rank;
  }

  /**
   * This PE's place in the tree from a root.
   * @param helpers whether all PEs of a part send, or the leaders alone
   */
  place(root: number, helpers: boolean): TreePosition {
    const key = helpers ? root : -1 - root;
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#placeOf(root, helpers);
      this.#places.set(key, place);
    }
    return place;
  }

  #placeOf(root: number, helpers: boolean): TreePosition {
    const sizes = this.parts.map(({ ranks }) => (helpers ? ranks.length : 1));
    const tree = partTree(sizes, this.partOf(root), this.#costs);
    const children = tree.edges[this.own]
      .filter((edge) => this.#sender(this.own, edge.from, root) === this.rank)
      .map(({ to }) => this.leader(to, root));
    const parent = this.leads(root) ? tree.parents[this.own] : null;
    return { parent: parent === null ? -1 : this.#sender(parent.part, parent.from, root), children };
  }

  /** The PE at a place of a part: its leader, then the others by rank. */
  #sender(part: number, place: number, root: number): number {
    const leader = this.leader(part, root);
    if (place === 0) return leader;
    const { ranks } = this.parts[part];
    return ranks[place <= ranks.indexOf(leader) ? place - 1 : place];
  }

  /** The number of a PE of this PE's part in its team. */
  teamRank(rank: number): number {
    return this.parts[this.own].ranks.indexOf(rank);
  }

  /** From now on messages are of this call. */
  begin(tag: number, word: number, count: number, root: number): void {
    const envelope = this.#envelope;
    envelope.tag = tag;
    envelope.word = word;
    envelope.count = count;
    envelope.root = root;
  }

  // --- blocking ------------------------------------------------------------------------------------

  /** As {@link sendNumber}, blocking. */
  giveNumber(to: number, x: number): void {
    const peer = this.#members[to];
    const mailbox = this.#mailbox;
    if (!mailbox.canSend(8))
      block(this.team.waiter, new RemoteSender(mailbox, peer, () => mailbox.canSend(8)));
    mailbox.sendNumber(peer, this.#envelope, x);
  }

  /** Sends bytes of the heap that fit in a message, blocking. */
  give(to: number, address: number, bytes: number): void {
    const peer = this.#members[to];
    const mailbox = this.#mailbox;
    if (!mailbox.canSend(bytes))
      block(this.team.waiter, new RemoteSender(mailbox, peer, () => mailbox.canSend(bytes)));
    mailbox.send(peer, this.#envelope, address, bytes);
  }

  /** Puts the content of the next message from a PE, `bytes` long, at byte `address` of the heap, blocking. @throws MismatchError */
  takeTo(from: number, address: number, bytes: number): void {
    const message = this.#take(from);
    if (message.bytes !== bytes) throw this.team.remoteMismatch(message.from, message);
    this.#mailbox.unexpected.copy(message, address);
  }

  /** The number of the next message from a PE, blocking. @throws MismatchError when it is of another call */
  takeNumber(from: number): number {
    return this.#take(from).number;
  }

  #take(from: number): Message {
    const peer = this.#members[from];
    const { stream, tag } = this.#envelope;
    let message = this.#mailbox.unexpected.take(stream, peer);
    if (message === undefined) {
      this.#arrival.peer = peer;
      this.#arrival.seen = -1;
      this.#awaited = peer;
      block(this.team.waiter, this.#arrival);
      this.#awaited = -1;
      message = this.#mailbox.unexpected.take(stream, peer) as Message;
    }
    if (message.tag !== tag) throw this.team.remoteMismatch(peer, message);
    return message;
  }

  // --- in routines ---------------------------------------------------------------------------------

  *sendNumber(to: number, x: number): Routine<void> {
    const peer = this.#members[to];
    const mailbox = this.#mailbox;
    if (!mailbox.canSend(8)) yield new RemoteSender(mailbox, peer, () => mailbox.canSend(8));
    mailbox.sendNumber(peer, this.#envelope, x);
  }

  /** Sends bytes that lie in the heap; they must stay as they are until {@link flush}. */
  *send(to: number, address: number, bytes: number, block = 0): Routine<void> {
    const peer = this.#members[to];
    const mailbox = this.#mailbox;
    if (!mailbox.canSend(bytes)) yield new RemoteSender(mailbox, peer, () => mailbox.canSend(bytes));
    const transfer = mailbox.send(peer, this.#envelope, address, bytes);
    if (!transfer.over) this.#lent.push({ transfer, peer, block });
    else if (block !== 0) this.#heap.free(block);
  }

  /** Sends a copy of bytes that lie anywhere. */
  *sendCopy(to: number, bytes: Uint8Array): Routine<void> {
    const rendezvous = bytes.length > EAGER_BYTES;
    const block = rendezvous ? this.#heap.allocate(bytes.length) : 0;
    const address = rendezvous ? block : this.scratch.take(EAGER_BYTES);
    this.#heap.u8.set(bytes, address);
    yield* this.send(to, address, bytes.length, block);
  }

  /** Waits until all that was sent has gone. */
  *flush(): Routine<void> {
    for (const { transfer, peer, block } of this.#lent) {
      if (!transfer.over) yield this.#done(transfer, peer);
      if (block !== 0) this.#heap.free(block);
    }
    this.#lent.length = 0;
  }

  /** The next message from a PE. @throws MismatchError when it is of another call */
  *receive(from: number): Routine<Message> {
    const peer = this.#members[from];
    const mailbox = this.#mailbox;
    const { stream, tag } = this.#envelope;
    let message = mailbox.unexpected.take(stream, peer);
    if (message === undefined) {
      const here = () => {
        mailbox.poll();
        return mailbox.unexpected.count(stream, peer) > 0;
      };
      this.#awaited = peer;
      if (!here()) yield new RemoteSender(mailbox, peer, here);
      this.#awaited = -1;
      message = mailbox.unexpected.take(stream, peer) as Message;
    }
    if (message.tag !== tag) throw this.team.remoteMismatch(peer, message);
    return message;
  }

  /** Puts the content of a message at byte `address` of the heap. @throws MismatchError when it is not `bytes` long */
  *put(message: Message, address: number, bytes: number): Routine<void> {
    // also without checks: what lies behind is somebody else's
    if (message.bytes !== bytes) throw this.team.remoteMismatch(message.from, message);
    const mailbox = this.#mailbox;
    if (message.rendezvous === 0) {
      mailbox.unexpected.copy(message, address);
      return;
    }
    if (!mailbox.canFetch()) yield new RemoteSender(mailbox, message.from, () => mailbox.canFetch());
    const transfer = mailbox.fetch(message, address);
    if (!transfer.over) yield this.#done(transfer, message.from);
  }

  /** The content of a message, as bytes of the reader's own. */
  *content(message: Message): Routine<Uint8Array> {
    if (message.rendezvous === 0) return this.#mailbox.unexpected.content(message);
    const address = this.scratch.take(message.bytes);
    yield* this.put(message, address, message.bytes);
    const content = this.#heap.u8.slice(address, address + message.bytes);
    this.scratch.leave();
    return content;
  }

  /** The bytes of the root, at every leader; `bytes` is null at all but the root. */
  *relay(bytes: Uint8Array | null, root: number): Routine<Uint8Array> {
    const { parent, children } = this.place(root, false);
    const content = bytes ?? (yield* this.content(yield* this.receive(parent)));
    for (const child of children) yield* this.sendCopy(child, content);
    yield* this.flush();
    return content;
  }

  /** This PE waits: tells whom it waits for of its call, and hears what others have told it. @throws MismatchError */
  #wait(sequence: number): void {
    const mailbox = this.#mailbox;
    const now = performance.now();
    if (sequence !== this.#waitingIn) {
      this.#waitingIn = sequence;
      this.#waitingSince = now;
      this.#told = -1;
    }
    const peer = this.#awaited;
    const isLong = now - this.#waitingSince > PROBE_MS;
    if (isLong && peer >= 0 && peer !== this.#told && mailbox.canSend(8)) {
      this.#told = peer;
      mailbox.sendProbe(peer, this.#envelope, sequence);
    }
    mailbox.poll();
    mailbox.probes.look();
  }

  leave(): void {
    this.#mailbox.probes.leave(this.#envelope.stream);
    this.#mailbox.unexpected.drop(this.#envelope.stream);
    this.scratch.free();
    this.stage.free();
  }

  #done(transfer: Transfer, peer: number): RemoteSender {
    return new RemoteSender(this.#mailbox, peer, () => {
      if (!transfer.over) this.#mailbox.poll();
      return transfer.over;
    });
  }
}
