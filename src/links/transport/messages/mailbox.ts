/**
 * The mailbox of a PE: messages between PEs of different nodes, over MPI; or through memory, if the nodes have mapped
 * each other's heaps (rings.ts). Between two PEs all messages go the same way.
 *
 * A PE keeps receives posted for messages of a fixed size from any sender. A received message is taken from where MPI
 * has put it; one that nobody takes before the next poll is kept by stream and sender (unexpected-queue.ts). Longer
 * content is sent separately (rendezvous): the message contains a tag, and the receiver that takes the message receives
 * the content directly to its destination.
 *
 * Between two PEs the messages of a stream arrive in the order in which they were sent (MPI 3.1, section 3.5).
 *
 * MPI calls are few, as each takes 0.1 us or more: a poll asks for the next message only; sends of short messages are
 * not asked for before their memory is needed again.
 *
 * Limits: messages that are never taken stay in memory; content of up to {@link EAGER_BYTES} bytes is copied twice, or
 * three times if nobody waits for it.
 * Content must be in the heap, as MPI accesses it while JavaScript runs.
 */
import type { Heap } from "../../../ground/memory/heap.ts";
import type { Mpi } from "../../../machine/mpi/mpi.ts";
import type { Requests } from "../../../machine/mpi/requests.ts";
import { areAllMapped, type Nodes, nodeOf } from "../nodes.ts";
import {
  BYTES,
  COUNT,
  EAGER_BYTES,
  EPOCH,
  FROM,
  HEAD_BYTES,
  mailboxAt,
  PROBE,
  RENDEZVOUS,
  ROOT,
  ringsIn,
  SLOT_BYTES,
  SLOTS_IN,
  SLOTS_OUT,
  STREAM,
  TAG,
  WORD,
} from "./layout.ts";
import { MismatchProbes } from "./mismatch-probe.ts";
import { ReceiveRing } from "./receive-ring.ts";
import { RingsIn, RingsOut } from "./rings.ts";
import { mailboxTag, rendezvousTag } from "./tags.ts";
import { type StreamMessage, UnexpectedQueue } from "./unexpected-queue.ts";

/** The parts of a mailbox. */
export interface MailboxSetup {
  readonly mpi: Mpi;
  readonly heap: Heap;
  readonly nodes: Nodes;
  /** This PE's rank in the world. */
  readonly rank: number;
  /** Byte offset of the node's area (layout.ts): {@link FIRST_BLOCK}, if other nodes have mapped the heap. */
  readonly offset: number;
  /** The world's number in the job. */
  readonly epoch: number;
  /** A word shared by all worlds of the process: the number of rendezvous tags used so far. */
  readonly tagsUsed: Int32Array;
}

/** The call that a message belongs to, see the call log of collectives. */
export interface Envelope {
  readonly stream: number;
  readonly tag: number;
  readonly word: number;
  readonly count: number;
  readonly root: number;
}

/** A transfer in progress; `over` when its memory may be reused, or the content was received. */
export interface Transfer {
  over: boolean;
}

/** Polls of unfinished transfers when the mailbox is closed. */
const MOST_LOOKS = 1000;

const OVER: Transfer = { over: true };

/** Largest number of content transfers in flight. */
const RENDEZVOUS_SLOTS = 40;
/** Slots that sends must leave free for fetches: if none could fetch, none would make progress. */
const SLOTS_FETCH = 8;

/** One PE's messages. */
export class PEMailbox {
  readonly mpi: Mpi;
  readonly #heap: Heap;
  readonly #nodes: Nodes;
  readonly #rank: number;
  readonly #epoch: number;
  readonly #tagsUsed: Int32Array;
  readonly #requests: Requests;
  /** Offsets of the received messages, in the order of the ring. */
  readonly #inAt: readonly number[];
  /** Null if all nodes have mapped each other's heaps: no message comes by MPI. */
  readonly #ring: ReceiveRing | null;
  readonly #ringsIn: RingsIn;
  readonly #ringsOut: RingsOut;
  /** By slot of {@link #requests}: offsets of sent messages; rendezvous content follows. */
  readonly #outAt: readonly number[];
  readonly #views: readonly Uint8Array[];
  readonly #freeOut: number[] = [];
  readonly #freeRendezvous: number[] = [];
  /** By slot, the transfer that ends with its request. */
  readonly #transfers: (Transfer | undefined)[];
  /** Number of such slots. */
  #awaited = 0;
  /** Whether the next message by MPI has been received, and its receive is not posted again yet; the same of a ring. */
  #isHeld = false;
  #isRingHeld = false;
  /** Received messages. */
  readonly unexpected: UnexpectedQueue;
  readonly probes: MismatchProbes = new MismatchProbes();
  /** Whether messages come through rings: a sender may have to wait for room until this PE polls. */
  readonly hasRings: boolean;
  /** Number of polls that found something, ever. */
  finds = 0;
  #closed = false;

  constructor({ mpi, heap, nodes, rank, offset, epoch, tagsUsed }: MailboxSetup) {
    this.mpi = mpi;
    this.#heap = heap;
    this.#nodes = nodes;
    this.#rank = rank;
    this.#epoch = epoch;
    this.#tagsUsed = tagsUsed;
    this.#requests = mpi.requests(SLOTS_OUT + RENDEZVOUS_SLOTS);
    const start = mailboxAt(nodes, offset, rank);
    const at = Array.from({ length: SLOTS_IN + SLOTS_OUT }, (_, slot) => start + slot * SLOT_BYTES);
    const views = at.map((from) => heap.u8.subarray(from, from + SLOT_BYTES));
    this.#inAt = at.slice(0, SLOTS_IN);
    this.#outAt = at.slice(SLOTS_IN);
    this.#views = views.slice(SLOTS_IN);
    this.#transfers = new Array(SLOTS_OUT + RENDEZVOUS_SLOTS);
    this.unexpected = new UnexpectedQueue(heap, start + (SLOTS_IN + SLOTS_OUT) * SLOT_BYTES);
    const tag = mailboxTag(rank - nodes.starts[nodes.node]);
    this.#ring = areAllMapped(nodes) ? null : new ReceiveRing(mpi, views.slice(0, SLOTS_IN), tag);
    const rings = ringsIn(nodes, start);
    this.hasRings = rings.length > 0;
    this.#ringsIn = new RingsIn(heap.i32, rings);
    this.#ringsOut = new RingsOut(heap.i32, nodes, rank);
    // the lowest slots are used first: MPI tests all up to the last one in use
    for (let slot = SLOTS_OUT; slot-- > 0; ) this.#freeOut.push(slot);
    for (let slot = RENDEZVOUS_SLOTS; slot-- > 0; ) this.#freeRendezvous.push(SLOTS_OUT + slot);
  }

  /** Whether a message with `bytes` bytes of content can be sent to a PE now. */
  canSend(to: number, bytes: number): boolean {
    if (this.#hasRoom(to, bytes)) return true;
    this.#finishSends();
    if (this.#hasRoom(to, bytes)) return true;
    this.poll();
    return this.#hasRoom(to, bytes);
  }

  #hasRoom(to: number, bytes: number): boolean {
    const isFree = this.#ringsOut.leadTo(to) ? this.#ringsOut.next(to) >= 0 : this.#freeOut.length > 0;
    return isFree && (bytes <= EAGER_BYTES || this.#freeRendezvous.length > SLOTS_FETCH);
  }

  /** Sends `bytes` bytes at `address` of the heap when {@link canSend}. They must not change until it is over. */
  send(to: number, envelope: Envelope, address: number, bytes: number): Transfer {
    const at = this.#begin(to, envelope, bytes);
    if (bytes <= EAGER_BYTES) {
      if (bytes > 0) this.#heap.kernels.copy(at + HEAD_BYTES, address, bytes);
      this.#post(to, HEAD_BYTES + bytes);
      return OVER;
    }
    const rendezvous = this.newTag();
    this.#heap.i32[at / 4 + RENDEZVOUS] = rendezvous;
    this.#post(to, HEAD_BYTES);
    const transfer = { over: false };
    const own = this.#freeRendezvous.pop() as number;
    this.#await(own, transfer);
    const content = this.#heap.u8.subarray(address, address + bytes);
    this.#requests.send(own, content, nodeOf(this.#nodes, to), rendezvous);
    return transfer;
  }

  /** A tag that is not in use on this node. */
  newTag(): number {
    // pairs with the same addition by the node's other PEs: each gets another tag
    return rendezvousTag(Atomics.add(this.#tagsUsed, 0, 1));
  }

  /** As {@link send}, with a number as the content. @param transfer is over when the message was sent */
  sendNumber(to: number, envelope: Envelope, x: number, transfer?: Transfer): void {
    const at = this.#begin(to, envelope, 8);
    this.#heap.f64[(at + HEAD_BYTES) / 8] = x;
    const slot = this.#post(to, HEAD_BYTES + 8);
    if (transfer === undefined) return;
    if (slot < 0) transfer.over = true;
    else this.#await(slot, transfer);
  }

  /** Sends a probe: the call in which this PE waits; allowed when {@link canSend}. */
  sendProbe(to: number, envelope: Envelope, sequence: number): void {
    const at = this.#begin(to, envelope, 8);
    this.#heap.i32[at / 4 + RENDEZVOUS] = PROBE;
    this.#heap.f64[(at + HEAD_BYTES) / 8] = sequence;
    this.#post(to, HEAD_BYTES + 8);
  }

  /** Writes the head of a message; returns its byte offset. */
  #begin(to: number, { stream, tag, word, count, root }: Envelope, bytes: number): number {
    const { i32 } = this.#heap;
    const start = this.#ringsOut.leadTo(to) ? this.#ringsOut.next(to) : this.#outAt[this.#freeOut.at(-1) as number];
    const at = start / 4;
    i32[at + FROM] = this.#rank;
    i32[at + STREAM] = stream;
    i32[at + BYTES] = bytes;
    i32[at + RENDEZVOUS] = 0;
    i32[at + TAG] = tag;
    i32[at + WORD] = word;
    i32[at + COUNT] = count;
    i32[at + ROOT] = root;
    i32[at + EPOCH] = this.#epoch;
    return start;
  }

  /** Sends the message of {@link #begin}; returns the slot of MPI's request, -1 for none. */
  #post(to: number, bytes: number): number {
    if (this.#ringsOut.leadTo(to)) {
      this.#ringsOut.post(to);
      return -1;
    }
    const slot = this.#freeOut.pop() as number;
    const { starts } = this.#nodes;
    const node = nodeOf(this.#nodes, to);
    this.#requests.send(slot, this.#views[slot], node, mailboxTag(to - starts[node]), bytes);
    return slot;
  }

  /** Whether {@link fetch} can be called. */
  canFetch(): boolean {
    if (this.#freeRendezvous.length === 0) this.poll();
    return this.#freeRendezvous.length > 0;
  }

  /** Receives the content of a rendezvous message to byte `address` of the heap. */
  fetch({ from, bytes, rendezvous }: StreamMessage, address: number): Transfer {
    const transfer = { over: false };
    const slot = this.#freeRendezvous.pop() as number;
    this.#await(slot, transfer);
    const into = this.#heap.u8.subarray(address, address + bytes);
    this.#requests.receive(slot, into, nodeOf(this.#nodes, from), rendezvous);
    return transfer;
  }

  #await(slot: number, transfer: Transfer): void {
    this.#transfers[slot] = transfer;
    this.#awaited++;
  }

  /**
   * Looks for the next message, in the rings and then by MPI, and for finished transfers if any is awaited. Nothing
   * progresses without this call.
   * @returns whether a message was received: there may be more
   * @throws MpiError
   */
  poll(): boolean {
    if (this.#isRingHeld || this.#isHeld) this.#release();
    if (this.#awaited > 0) this.#finishSends();
    if (this.#closed) return false;
    const at = this.#ringsIn.look();
    if (at >= 0) {
      this.#isRingHeld = true;
      this.#hold(at);
    } else {
      const slot = this.#ring === null ? -1 : this.#ring.look();
      if (slot < 0) return false;
      this.#isHeld = true;
      this.#hold(this.#inAt[slot]);
    }
    this.finds++;
    return true;
  }

  /** The memory of the last message is needed for another one. */
  #release(): void {
    this.unexpected.release();
    if (this.#isRingHeld) this.#ringsIn.again();
    else this.#ring?.again();
    this.#isRingHeld = false;
    this.#isHeld = false;
  }

  #hold(at: number): void {
    const { i32, f64 } = this.#heap;
    const word = at / 4;
    // a message of an earlier world that was not received there
    if (i32[word + EPOCH] !== this.#epoch) return;
    if (i32[word + RENDEZVOUS] !== PROBE) {
      this.unexpected.hold(at);
      return;
    }
    this.probes.keep(i32[word + STREAM], {
      from: i32[word + FROM],
      sequence: f64[(at + HEAD_BYTES) / 8],
      tag: i32[word + TAG],
      word: i32[word + WORD],
      count: i32[word + COUNT] >>> 0,
      root: i32[word + ROOT],
    });
  }

  /** Finds the transfers that MPI has finished. */
  #finishSends(): void {
    const requests = this.#requests;
    const count = requests.test();
    if (count > 0) this.finds++;
    for (let i = 0; i < count; i++) {
      const slot = requests.slots[i];
      const transfer = this.#transfers[slot];
      if (transfer !== undefined) {
        transfer.over = true;
        this.#transfers[slot] = undefined;
        this.#awaited--;
      }
      if (slot < SLOTS_OUT) this.#freeOut.push(slot);
      else this.#freeRendezvous.push(slot);
    }
  }

  /** Receives nothing more: MPI no longer uses the memory of this mailbox. */
  close(): void {
    if (this.#closed) return;
    this.poll();
    if (this.#isRingHeld || this.#isHeld) this.#release();
    this.#closed = true;
    this.#ring?.close();
    for (let look = 0; look < MOST_LOOKS && this.#requests.active > 0; look++) this.#finishSends();
  }

  /** Whether everything was sent, as far as the sender can tell. @throws MpiError */
  isSent(): boolean {
    this.#finishSends();
    return this.#requests.active === 0;
  }
}
