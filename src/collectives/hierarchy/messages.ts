/**
 * The messages of a group between its PEs of different nodes. Nothing here waits: what cannot be done now says what
 * must come true first, and is asked for again then. So the same code serves blocking and asynchronous calls
 * (message-tasks.ts makes tasks of it).
 */

import { monotonic } from "../../ground/base/event-loop/timers.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Envelope, Transfer } from "../../links/transport/messages/mailbox.ts";
import type { Post } from "../../links/transport/messages/post.ts";
import type { StreamMessage } from "../../links/transport/messages/unexpected-queue.ts";
import type { Team } from "../team/team.ts";
import { Arrival, RemoteWait } from "./remote.ts";

/** How long a PE waits before it says in which call, ms. */
const PROBE_MS = 50;

const NOBODY: readonly number[] = [];

/** Content under way: memory of the heap that MPI reads until the transfer is over. */
interface PendingSend {
  readonly transfer: Transfer;
  readonly peer: number;
  /** A block to be given back; 0 for none. */
  readonly block: number;
}

/** One PE's messages of one group. PEs are ranks in the group. */
export class Messages {
  readonly #heap: Heap;
  readonly #mailbox: Post;
  readonly #members: readonly number[];
  readonly #team: Team;
  readonly #pending: PendingSend[] = [];
  /** Content that is being received by rendezvous. */
  #incoming: Transfer | null = null;
  /** From now on this PE waits for PEs of other nodes in a step that sends them no message: ranks in the world. */
  expectAll(peers: readonly number[]): void {
    this.#others = peers;
    this.#othersTold = 0;
  }

  /** Tells them of its call at the next look, without waiting before. */
  tellNow(): void {
    this.#isHasty = true;
  }

  /** Of the call that messages belong to now. */
  readonly #envelope: { -readonly [Name in keyof Envelope]: Envelope[Name] };
  readonly #arrival: Arrival;
  /** Whether {@link arrival} is what this PE waits for. */
  #isAwaiting = false;
  /** Whom else it tells of its call when it waits, and how many of them it has told. */
  #others: readonly number[] = NOBODY;
  #othersTold = 0;
  /** The call in which this PE was seen waiting last, since when, ms, and whom it has told of that; -1 for nobody. */
  #waitingIn = -1;
  #waitingSince = 0;
  #told = -1;
  /** Whether it tells them at once. */
  #isHasty = false;

  /**
   * @param members of the group, as the world numbers them
   * @param team those of them on this node
   * @param stream the same at all members, and of no other group
   */
  constructor(mailbox: Post, members: readonly number[], team: Team, stream: number) {
    this.#heap = team.heap;
    this.#mailbox = mailbox;
    this.#members = members;
    this.#team = team;
    this.#envelope = { stream, tag: 0, word: 0, count: 0, root: -1 };
    this.#arrival = new Arrival(mailbox, stream);
    team.onWait = (sequence) => this.#wait(sequence);
    mailbox.probes.watch(stream, (probe) => team.checkProbe(probe));
  }

  /** From now on messages are of this call. */
  begin(tag: number, word: number, count: number, root: number): void {
    const envelope = this.#envelope;
    envelope.tag = tag;
    envelope.word = word;
    envelope.count = count;
    envelope.root = root;
    this.#others = NOBODY;
    this.#isHasty = false;
  }

  /** Of the call that messages belong to. */
  get tag(): number {
    return this.#envelope.tag;
  }

  /** Sends a number. @returns what it waits for; null when it has been sent */
  sendNumber(to: number, x: number): Condition | null {
    const peer = this.#members[to];
    const mailbox = this.#mailbox;
    if (!mailbox.canSend(peer, 8)) return this.#room(peer, 8);
    mailbox.sendNumber(peer, this.#envelope, x);
    return null;
  }

  /**
   * Sends bytes that lie in the heap; they must stay as they are until {@link flush}.
   * @param block to be given back then; 0 for none
   * @returns what it waits for; null when they have been sent
   */
  send(to: number, address: number, bytes: number, block = 0): Condition | null {
    const peer = this.#members[to];
    const mailbox = this.#mailbox;
    if (!mailbox.canSend(peer, bytes)) return this.#room(peer, bytes);
    const transfer = mailbox.send(peer, this.#envelope, address, bytes);
    if (!transfer.over) this.#pending.push({ transfer, peer, block });
    else if (block !== 0) this.#heap.free(block);
    return null;
  }

  /** Waits until all that was sent has gone. @returns what it waits for; null when it has */
  flush(): Condition | null {
    const pending = this.#pending;
    while (pending.length > 0) {
      const { transfer, peer, block } = pending[pending.length - 1];
      if (!transfer.over) return this.#end(transfer, peer);
      if (block !== 0) this.#heap.free(block);
      pending.pop();
    }
    return null;
  }

  /** The next message from a PE; null before it comes: {@link arrival}. @throws MismatchError if of another call */
  take(from: number): StreamMessage | null {
    const peer = this.#members[from];
    const { stream, tag } = this.#envelope;
    const message = this.#mailbox.unexpected.take(stream, peer);
    if (message === undefined) {
      this.#isAwaiting = true;
      this.#arrival.expect(peer);
      return null;
    }
    this.#isAwaiting = false;
    if (message.tag !== tag) throw this.#team.remoteMismatch(peer, message);
    return message;
  }

  /** That a message has come from the PE that {@link take} was asked for last. */
  get arrival(): Condition {
    return this.#arrival;
  }

  /**
   * Puts the content of the message that was taken last at byte `address` of the heap. Call it at once: a short content
   * is kept only until the next message is taken.
   * @returns what it waits for; null when it is there
   * @throws MismatchError when it is not `bytes` long
   */
  fetch(message: StreamMessage, address: number, bytes: number): Condition | null {
    // also without checks: what lies behind is somebody else's
    if (message.bytes !== bytes) throw this.#team.remoteMismatch(message.from, message);
    const mailbox = this.#mailbox;
    if (message.rendezvous === 0) {
      mailbox.unexpected.copy(message, address);
      return null;
    }
    if (this.#incoming === null) {
      if (!mailbox.canFetch()) return new RemoteWait(mailbox, message.from, () => mailbox.canFetch());
      this.#incoming = mailbox.fetch(message, address);
    }
    if (!this.#incoming.over) return this.#end(this.#incoming, message.from);
    this.#incoming = null;
    return null;
  }

  /** Whether MPI still writes content to memory of a call that has ended early. */
  get isReceiving(): boolean {
    if (this.#incoming?.over === false) this.#mailbox.poll();
    return this.#incoming?.over === false;
  }

  /** The content of a short message that was taken last, as bytes of the reader's own. */
  content(message: StreamMessage): Uint8Array {
    return this.#mailbox.unexpected.content(message);
  }

  leave(): void {
    this.#mailbox.probes.leave(this.#envelope.stream);
    this.#mailbox.unexpected.drop(this.#envelope.stream);
  }

  /** This PE waits: tells whom it waits for of its call, and hears what others have told it. @throws MismatchError */
  #wait(sequence: number): void {
    const mailbox = this.#mailbox;
    const now = monotonic();
    if (sequence !== this.#waitingIn) {
      this.#waitingIn = sequence;
      this.#waitingSince = now;
      this.#told = -1;
    }
    const { peer } = this.#arrival;
    const isLong = this.#isHasty || now - this.#waitingSince > PROBE_MS;
    if (isLong && this.#isAwaiting && peer !== this.#told && mailbox.canSend(peer, 8)) {
      this.#told = peer;
      mailbox.sendProbe(peer, this.#envelope, sequence);
    }
    const others = this.#others;
    while (isLong && this.#othersTold < others.length) {
      const other = others[this.#othersTold] as number;
      if (!mailbox.canSend(other, 8)) break;
      mailbox.sendProbe(other, this.#envelope, sequence);
      this.#othersTold++;
    }
    mailbox.poll();
    mailbox.probes.look();
  }

  #room(peer: number, bytes: number): RemoteWait {
    return new RemoteWait(this.#mailbox, peer, () => this.#mailbox.canSend(peer, bytes));
  }

  #end(transfer: Transfer, peer: number): RemoteWait {
    return new RemoteWait(this.#mailbox, peer, () => {
      if (!transfer.over) this.#mailbox.poll();
      return transfer.over;
    });
  }
}
