/**
 * The mailbox of a PE: messages between PEs of different nodes, over MPI.
 *
 * What: a PE keeps receives under way for messages of a fixed size, from anybody; what comes is sorted by stream
 * and sender, and kept until somebody takes it (unexpected-queue.ts). Content that does not fit goes apart: the message names a tag, and
 * who takes the message receives the content straight to where it shall lie.
 *
 * Between two PEs the messages of a stream come in the order in which they were sent (MPI 3.1, section 3.5).
 *
 * Limits: what nobody takes stays in memory; content of up to {@link EAGER_BYTES} bytes is copied twice. Content
 * must lie in the heap, as MPI reads and writes it while JavaScript goes on.
 */
import type { Heap } from "../../memory/heap.ts";
import type { Mpi } from "../../mpi/mpi.ts";
import type { Requests } from "../../mpi/requests.ts";
import {
  BYTES,
  COUNT,
  EAGER_BYTES,
  EPOCH,
  FROM,
  HEAD_BYTES,
  mailboxAt,
  type Nodes,
  nodeOf,
  PROBE,
  RENDEZVOUS,
  ROOT,
  SLOT_BYTES,
  SLOTS_IN,
  SLOTS_OUT,
  STREAM,
  TAG,
  WORD,
} from "./layout.ts";
import { MismatchProbes } from "./mismatch-probe.ts";
import { ReceiveRing } from "./receive-ring.ts";
import { mailboxTag, rendezvousTag } from "./tags.ts";
import { type Message, UnexpectedQueue } from "./unexpected-queue.ts";

/** What a mailbox is made from. */
export interface MailboxPlace {
  readonly mpi: Mpi;
  readonly heap: Heap;
  readonly nodes: Nodes;
  /** Of the world. */
  readonly rank: number;
  /** Byte offset of the node's area (layout.ts). */
  readonly offset: number;
  /** The world's number in the job. */
  readonly epoch: number;
  /** One word of the process: how many tags for content that is sent apart it has used, in all its worlds. */
  readonly tagsUsed: Int32Array;
}

/** The call that messages belong to, see the call log of collectives. */
export interface Envelope {
  readonly stream: number;
  readonly tag: number;
  readonly word: number;
  readonly count: number;
  readonly root: number;
}

/** Something under way; `over` when its memory is free again, or what was to come is there. */
export interface Transfer {
  over: boolean;
}

/** Looks at receives that were cancelled; one is enough in the libraries that we know. */
const MOST_LOOKS = 1000;

const OVER: Transfer = { over: true };

/** Transfers of content that may be under way at once. */
const RENDEZVOUS_SLOTS = 40;
/** Of them, those that sends leave free: where all sent and nobody could fetch, nobody would get on. */
const SLOTS_FETCH = 8;

/** One PE's messages. */
export class Mailbox {
  readonly mpi: Mpi;
  readonly #heap: Heap;
  readonly #nodes: Nodes;
  readonly #rank: number;
  readonly #epoch: number;
  readonly #tagsUsed: Int32Array;
  readonly #requests: Requests;
  /** By slot: where it lies. Those that receive come first. */
  readonly #at: readonly number[];
  readonly #views: readonly Uint8Array[];
  readonly #notify: ReceiveRing;
  readonly #freeOut: number[] = [];
  readonly #freeRendezvous: number[] = [];
  /** By slot, what is over when it is. */
  readonly #transfers: (Transfer | undefined)[];
  /** What has come. */
  readonly unexpected: UnexpectedQueue;
  readonly probes: MismatchProbes = new MismatchProbes();
  /** Looks that have found something, ever. */
  finds = 0;
  #closed = false;

  constructor({ mpi, heap, nodes, rank, offset, epoch, tagsUsed }: MailboxPlace) {
    this.mpi = mpi;
    this.#heap = heap;
    this.#nodes = nodes;
    this.#rank = rank;
    this.#epoch = epoch;
    this.#tagsUsed = tagsUsed;
    this.#requests = mpi.requests(SLOTS_IN + SLOTS_OUT + RENDEZVOUS_SLOTS);
    const start = mailboxAt(offset, rank - nodes.starts[nodes.node]);
    this.#at = Array.from({ length: SLOTS_IN + SLOTS_OUT }, (_, slot) => start + slot * SLOT_BYTES);
    this.#views = this.#at.map((at) => heap.u8.subarray(at, at + SLOT_BYTES));
    this.#transfers = new Array(SLOTS_IN + SLOTS_OUT + RENDEZVOUS_SLOTS);
    this.unexpected = new UnexpectedQueue(heap, start + (SLOTS_IN + SLOTS_OUT) * SLOT_BYTES);
    const tag = mailboxTag(rank - nodes.starts[nodes.node]);
    this.#notify = new ReceiveRing(this.#requests, this.#views.slice(0, SLOTS_IN), tag);
    // the first are taken first: MPI looks at all up to the last in use
    for (let slot = SLOTS_OUT; slot-- > 0; ) this.#freeOut.push(SLOTS_IN + slot);
    for (let slot = RENDEZVOUS_SLOTS; slot-- > 0; ) this.#freeRendezvous.push(SLOTS_IN + SLOTS_OUT + slot);
  }

  /** Whether a message with so many bytes of content can be sent now. */
  canSend(bytes: number): boolean {
    if (this.#freeOut.length > 0 && (bytes <= EAGER_BYTES || this.#freeRendezvous.length > SLOTS_FETCH))
      return true;
    this.poll();
    return this.#freeOut.length > 0 && (bytes <= EAGER_BYTES || this.#freeRendezvous.length > SLOTS_FETCH);
  }

  /**
   * Sends `bytes` bytes that lie at byte `address` of the heap; call it when {@link canSend}. They must stay as they
   * are until the transfer is over.
   */
  send(to: number, envelope: Envelope, address: number, bytes: number): Transfer {
    const slot = this.#begin(envelope, bytes);
    const at = this.#at[slot];
    if (bytes <= EAGER_BYTES) {
      if (bytes > 0) this.#heap.kernels.copy(at + HEAD_BYTES, address, bytes);
      this.#post(slot, to, HEAD_BYTES + bytes);
      return OVER;
    }
    const rendezvous = this.newTag();
    this.#heap.i32[at / 4 + RENDEZVOUS] = rendezvous;
    this.#post(slot, to, HEAD_BYTES);
    const transfer = { over: false };
    const own = this.#freeRendezvous.pop() as number;
    this.#transfers[own] = transfer;
    const content = this.#heap.u8.subarray(address, address + bytes);
    this.#requests.send(own, content, nodeOf(this.#nodes, to), rendezvous);
    return transfer;
  }

  /** A tag that nobody on this node has under way. */
  newTag(): number {
    // pairs with the same call of the node's other PEs: no two get the same
    return rendezvousTag(Atomics.add(this.#tagsUsed, 0, 1));
  }

  /** As {@link send}, with a number as its content. @param transfer becomes over when the message has left */
  sendNumber(to: number, envelope: Envelope, x: number, transfer?: Transfer): void {
    const slot = this.#begin(envelope, 8);
    this.#heap.f64[(this.#at[slot] + HEAD_BYTES) / 8] = x;
    this.#post(slot, to, HEAD_BYTES + 8);
    this.#transfers[slot] = transfer;
  }

  /** Tells a PE which call this one waits in; call it when {@link canSend}. */
  sendProbe(to: number, envelope: Envelope, sequence: number): void {
    const slot = this.#begin(envelope, 8);
    const at = this.#at[slot];
    this.#heap.i32[at / 4 + RENDEZVOUS] = PROBE;
    this.#heap.f64[(at + HEAD_BYTES) / 8] = sequence;
    this.#post(slot, to, HEAD_BYTES + 8);
  }

  #begin({ stream, tag, word, count, root }: Envelope, bytes: number): number {
    const slot = this.#freeOut.pop() as number;
    const { i32 } = this.#heap;
    const at = this.#at[slot] / 4;
    i32[at + FROM] = this.#rank;
    i32[at + STREAM] = stream;
    i32[at + BYTES] = bytes;
    i32[at + RENDEZVOUS] = 0;
    i32[at + TAG] = tag;
    i32[at + WORD] = word;
    i32[at + COUNT] = count;
    i32[at + ROOT] = root;
    i32[at + EPOCH] = this.#epoch;
    return slot;
  }

  #post(slot: number, to: number, bytes: number): void {
    const { starts } = this.#nodes;
    const node = nodeOf(this.#nodes, to);
    this.#requests.send(slot, this.#views[slot], node, mailboxTag(to - starts[node]), bytes);
  }

  /** Whether {@link fetch} can be called. */
  canFetch(): boolean {
    if (this.#freeRendezvous.length === 0) this.poll();
    return this.#freeRendezvous.length > 0;
  }

  /** Receives the content of a message that comes apart, to byte `address` of the heap. */
  fetch({ from, bytes, rendezvous }: Message, address: number): Transfer {
    const transfer = { over: false };
    const slot = this.#freeRendezvous.pop() as number;
    this.#transfers[slot] = transfer;
    const into = this.#heap.u8.subarray(address, address + bytes);
    this.#requests.receive(slot, into, nodeOf(this.#nodes, from), rendezvous);
    return transfer;
  }

  /** Looks what has come and what is over. Nothing moves unless this is called. @throws MpiError */
  poll(): void {
    const requests = this.#requests;
    const count = requests.test();
    if (count === 0) return;
    this.finds++;
    for (let i = 0; i < count; i++) {
      const slot = requests.slots[i];
      if (slot < SLOTS_IN) {
        this.#notify.came(slot);
        continue;
      }
      const transfer = this.#transfers[slot];
      if (transfer !== undefined) transfer.over = true;
      this.#transfers[slot] = undefined;
      if (slot < SLOTS_IN + SLOTS_OUT) this.#freeOut.push(slot);
      else this.#freeRendezvous.push(slot);
    }
    if (this.#closed) return;
    for (let slot = this.#notify.next(); slot >= 0; slot = this.#notify.next()) {
      this.#keep(this.#at[slot]);
      this.#notify.again();
    }
  }

  #keep(at: number): void {
    const { i32, f64 } = this.#heap;
    const word = at / 4;
    // of a world before: nobody has received it there
    if (i32[word + EPOCH] !== this.#epoch) return;
    if (i32[word + RENDEZVOUS] !== PROBE) {
      this.unexpected.keep(at);
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

  /** Receives nothing more: MPI lets go of the memory of this mailbox. */
  close(): void {
    if (this.#closed) return;
    this.poll();
    this.#closed = true;
    this.#notify.cancel();
    // a receive is over when MPI says so, and until then it may be written to
    for (let look = 0; look < MOST_LOOKS && this.#requests.active > 0; look++) this.poll();
  }

  /** Whether all that was sent has gone, as far as this side can tell. */
  get sent(): boolean {
    return this.#freeOut.length === SLOTS_OUT && this.#freeRendezvous.length === RENDEZVOUS_SLOTS;
  }
}
