/**
 * Queue pairs between PEs of different nodes, by messages of their mailboxes (transport/messages/).
 *
 *     sender     part ─────────────────▶   stream of parts
 *                part ─────────────────▶
 *                     ◀───────────────── CREDIT: so many were released           stream of words
 *                CLOSED ───────────────▶   on both streams, when its end is freed
 *
 * At most `slots` parts are on their way: the receiver gives credit for a quarter of them at a time, as it reports its
 * progress in a UMP channel. Parts are written where they stay until MPI has sent them, in STAGES blocks; received ones
 * are copied to one of their own. A word that could not be sent yet is side work. So is an end that was freed, until
 * the other one is freed as well: it discards what comes. While a pair is open, a PE that waits for something else
 * takes messages out of its rings (draining.ts).
 *
 * Limits: a message wakes nobody, so a PE that waits looks again and again. A part is copied once more than within a
 * node. Of parts too long for a message of a mailbox STAGES are on their way at most.
 */

import { RemoteCondition } from "../../collectives/hierarchy/remote.ts";
import { PAYLOAD_BYTES } from "../../ground/channel/layout.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { SideTask, SideWork } from "../../ground/wait/side-work.ts";
import type { Envelope, Transfer } from "../../links/transport/messages/mailbox.ts";
import type { Post } from "../../links/transport/messages/post.ts";
import type { StreamMessage } from "../../links/transport/messages/unexpected-queue.ts";
import type { Draining } from "./draining.ts";
import { bytesIn, isLastIn, type PairShape, tagOf } from "./layout.ts";
import type { Pair, PartReceiver, PartSender } from "./parts.ts";

/** Blocks in which parts are written. */
const STAGES = 4;
/** And those into which parts are received: the second for what is discarded, as the first may be shown. */
const SHOWN = 2;
/** Messages for others that one look takes. */
const MOST_MESSAGES = 8;
/** Looks that find nothing before a PE that is lost is taken to have sent no more. */
const LAST_LOOKS = 256;
const RECEIVED: Transfer = { over: true };

// what a message is: the word of its envelope
const PART = 0;
const CREDIT = 1;
const CLOSED = 2;
// counts of CLOSED: how that came
const BY_PROGRAM = 0;
const AT_END = 1;

const longest = ({ blockBytes }: PairShape): number => Math.max(PAYLOAD_BYTES, blockBytes);

/** The parts of a pair. */
export interface RemotePairParts {
  readonly heap: Heap;
  readonly mailbox: Post;
  readonly sideWork: SideWork;
  /** That of the mailbox. @default its messages need no room */
  readonly draining?: Draining;
  /** The other PE, by rank in the world. */
  readonly peer: number;
  readonly shape: PairShape;
  /** The streams of its parts and of its words, the same at both. */
  readonly streams: readonly [number, number];
  /** A number for the terms that both must agree about, sent with each message; and the handling of others. */
  readonly terms: number;
  onMismatch(): never;
  /** Whether the other PE is lost, in a world that goes on without it. */
  isLost(): boolean;
  /** Whether something of the other PE is on its way. @default not known: many looks that find nothing decide */
  isFlying?(): boolean;
  /** Ends the world with an error that nobody else sees. */
  fail(error: unknown): void;
}

/** The part that both ends of a PE share: the messages from the other one. */
class Line {
  readonly parts: RemotePairParts;
  /** Parts that the other one has given credit for. */
  credit: number;
  isClosed = false;
  /** See Pair. */
  isPeerFreed = false;
  /** Messages that could not be sent yet: tried with each look, as a PE that never waits does no side work. */
  owed: (() => void) | null = null;

  constructor(parts: RemotePairParts) {
    this.parts = parts;
    this.credit = parts.shape.slots;
  }

  /** Gets what has come, and takes the words of it. @returns whether a message was received: there may be more */
  poll(): boolean {
    const { mailbox, streams, peer } = this.parts;
    const isMore = mailbox.poll();
    this.owed?.();
    if (this.parts.isLost()) this.isClosed = true;
    for (;;) {
      if (mailbox.unexpected.count(streams[1], peer) === 0) return isMore;
      const word = this.take(1) as StreamMessage;
      if (word.word === CREDIT) this.credit += word.count;
      else this.close(word);
    }
  }

  /** The other PE has closed. */
  close(closed: StreamMessage): void {
    this.isClosed = true;
    this.isPeerFreed = closed.count === BY_PROGRAM;
  }

  /** The next message of a stream; undefined if there is none. */
  take(stream: 0 | 1): StreamMessage | undefined {
    const { mailbox, streams, peer, terms, onMismatch } = this.parts;
    const message = mailbox.unexpected.take(streams[stream], peer);
    if (message !== undefined && message.root !== terms) onMismatch();
    return message;
  }

  envelope(stream: 0 | 1, word: number, tag: number, count: number): Envelope {
    const { streams, terms } = this.parts;
    return { stream: streams[stream], word, tag, count, root: terms };
  }
}

class RemotePartSender extends RemoteCondition implements PartSender {
  readonly most: number;
  readonly peer: number;
  readonly #line: Line;
  /** Byte offset of the first block, and from one to the next. */
  readonly #at: number;
  readonly #stride: number;
  /** By block: the last part that was written there. */
  readonly #transfers: (Transfer | null)[] = new Array<Transfer | null>(STAGES).fill(null);
  #next = 0;

  /** @param at of STAGES blocks */
  constructor(line: Line, at: number) {
    const { mailbox, peer, shape } = line.parts;
    super(mailbox);
    this.#line = line;
    this.peer = peer;
    this.most = longest(shape);
    this.#stride = roundUp(this.most, LINE);
    this.#at = at;
  }

  get isClosed(): boolean {
    return this.#line.isClosed;
  }

  tryClaim(bytes: number): number {
    return this.#hasRoom(bytes) ? this.#at + this.#next * this.#stride : -1;
  }

  #hasRoom(bytes: number): boolean {
    const line = this.#line;
    const transfer = this.#transfers[this.#next];
    if (line.credit === 0 || transfer?.over === false) line.poll();
    return line.credit > 0 && transfer?.over !== false && this.mailbox.canSend(this.peer, bytes);
  }

  publish(bytes: number, isLast: boolean): void {
    const line = this.#line;
    line.credit--;
    const at = this.#at + this.#next * this.#stride;
    const envelope = line.envelope(0, PART, tagOf(bytes, isLast), 0);
    this.#transfers[this.#next] = this.mailbox.send(this.peer, envelope, at, bytes);
    this.#next = (this.#next + 1) % STAGES;
  }

  ready(): boolean {
    return this.#hasRoom(this.most);
  }

  /** Whether nothing is on its way any more. */
  get isSent(): boolean {
    return this.#transfers.every((transfer) => transfer?.over !== false);
  }
}

class RemotePartReceiver extends RemoteCondition implements PartReceiver {
  readonly peer: number;
  bytes = 0;
  isLast = false;
  /** The other PE has said on this stream that it sends nothing more, or is lost, and nothing has come for long. */
  isOver = false;
  /** Looks in a row that have found nothing since it is lost. */
  #vain = 0;
  readonly #line: Line;
  readonly #onRelease: () => void;
  /** Where the part is that was taken last, and whether it is. */
  #at: number;
  #isHere = false;
  /** A message that was taken and whose content is to be received; and that is on its way. */
  #message: StreamMessage | null = null;
  #transfer: Transfer | null = null;

  /** @param at of a block */
  constructor(line: Line, at: number, onRelease: () => void) {
    const { mailbox, peer } = line.parts;
    super(mailbox);
    this.#line = line;
    this.#onRelease = onRelease;
    this.peer = peer;
    this.#at = at;
  }

  tryWait(): number {
    return this.ready() ? this.#at : -1;
  }

  ready(): boolean {
    if (this.#isHere) return true;
    for (let message = 0; message < MOST_MESSAGES; message++) {
      const isMore = this.#line.poll();
      if (this.#take()) {
        this.#vain = 0;
        return true;
      }
      if (!isMore) break;
    }
    if (!this.isOver && this.#line.parts.isLost() && this.#isVain()) this.isOver = true;
    return false;
  }

  /** Whether what a PE has sent that is lost has come. */
  #isVain(): boolean {
    return this.#line.parts.isFlying?.() === false || ++this.#vain > LAST_LOOKS;
  }

  /** Whether there is a part now. */
  #take(): boolean {
    if (this.#transfer === null) {
      const message = this.#message ?? this.#line.take(0);
      if (message === undefined) return false;
      if (message.word === CLOSED) {
        this.isOver = true;
        this.#line.close(message);
        return false;
      }
      this.#message = message;
      this.#transfer = this.#begin(message);
      if (this.#transfer === null) return false;
      this.#message = null;
      this.bytes = bytesIn(message.tag);
      this.isLast = isLastIn(message.tag);
    }
    if (!this.#transfer.over) return false;
    this.#transfer = null;
    this.#isHere = true;
    return true;
  }

  /** Receives the content of a message; null if that cannot begin now. */
  #begin(message: StreamMessage): Transfer | null {
    const { mailbox } = this;
    if (message.rendezvous !== 0) return mailbox.canFetch() ? mailbox.fetch(message, this.#at) : null;
    mailbox.unexpected.copy(message, this.#at);
    return RECEIVED;
  }

  release(): void {
    this.#isHere = false;
    this.#onRelease();
  }

  /** Messages that come from now on are not looked at, and do not change what is shown. */
  discard(): void {
    const { shape } = this.#line.parts;
    this.#isHere = false;
    this.#at += roundUp(longest(shape), LINE);
  }
}

/** One PE's side of a pair. */
export class RemotePair implements Pair, SideTask {
  readonly sender: PartSender;
  readonly receiver: PartReceiver;
  readonly pollMs = 1;
  readonly #line: Line;
  /** Byte offset of its memory. */
  readonly #at: number;
  readonly #sending: RemotePartSender;
  readonly #receiving: RemotePartReceiver;
  readonly #quarter: number;
  /** Parts released since credit was given last. */
  #released = 0;
  readonly #endDraining: () => void;
  #isClosing = false;
  #keepsMemory = false;
  /** Streams on which that was said. */
  #said = 0;
  /** Both PEs have closed, and nothing is on its way. */
  isOver = false;
  #isServed = false;

  constructor(parts: RemotePairParts) {
    const line = new Line(parts);
    this.#line = line;
    this.#quarter = Math.max(1, parts.shape.slots >> 2);
    const stride = roundUp(longest(parts.shape), LINE);
    this.#at = this.#allocate((STAGES + SHOWN) * stride);
    this.#sending = new RemotePartSender(line, this.#at);
    this.#receiving = new RemotePartReceiver(line, this.#at + STAGES * stride, () => {
      // who is closed gives no credit: the other PE knows
      if (this.#isClosing) return;
      this.#released++;
      if (!this.#giveCredit()) this.#beServed(true);
    });
    line.owed = () => {
      if (this.#isServed && !this.#isClosing) this.serve();
    };
    this.sender = this.#sending;
    this.receiver = this.#receiving;
    this.#endDraining = parts.draining?.begin(parts.sideWork, parts.fail) ?? (() => {});
  }

  /** @throws HeapError: then the other PE is told that there is no end here */
  #allocate(bytes: number): number {
    try {
      return this.#line.parts.heap.allocate(bytes);
    } catch (error) {
      this.#sayClosed();
      throw error;
    }
  }

  #sayClosed(): void {
    const { mailbox, peer } = this.#line.parts;
    const how = this.#keepsMemory ? AT_END : BY_PROGRAM;
    for (; this.#said < 2 && mailbox.canSend(peer, 8); this.#said++) {
      mailbox.sendNumber(peer, this.#line.envelope(this.#said as 0 | 1, CLOSED, 0, how), 0);
    }
  }

  get isPeerFreed(): boolean {
    return this.#line.isPeerFreed;
  }

  close(keepsMemory: boolean): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#endDraining();
    this.#keepsMemory = keepsMemory;
    this.#receiving.discard();
    this.serve();
    if (!this.isOver) this.#beServed(true);
  }

  /** The work that could not be done at once. */
  serve(): boolean {
    try {
      const isDone = this.#isClosing ? this.#leave() : this.#giveCredit();
      if (isDone) this.#beServed(false);
    } catch (error) {
      this.#line.parts.fail(error);
      this.#beServed(false);
    }
    return false;
  }

  /** Gives credit for what was released, if it is enough of it. @returns false if it could not */
  #giveCredit(): boolean {
    const { mailbox, peer } = this.#line.parts;
    if (this.#released < this.#quarter) return true;
    if (!mailbox.canSend(peer, 8)) return false;
    mailbox.sendNumber(peer, this.#line.envelope(1, CREDIT, 0, this.#released), 0);
    this.#released = 0;
    return true;
  }

  /** Says that it is closed, discards what comes, and frees the memory in the end. @returns whether that is done */
  #leave(): boolean {
    if (this.isOver) return true;
    const { mailbox, streams, heap } = this.#line.parts;
    this.#sayClosed();
    const receiver = this.#receiving;
    while (receiver.ready()) receiver.release();
    const { isLost } = this.#line.parts;
    const isDone = isLost() || (this.#said === 2 && this.#sending.isSent);
    if (!isDone || !receiver.isOver) return false;
    this.isOver = true;
    // what goes to a PE that is lost may be on its way for ever
    if (!this.#keepsMemory && this.#sending.isSent) heap.free(this.#at);
    for (const stream of streams) mailbox.unexpected.drop(stream);
    return true;
  }

  #beServed(isServed: boolean): void {
    if (isServed === this.#isServed) return;
    this.#isServed = isServed;
    const { sideWork } = this.#line.parts;
    if (isServed) sideWork.add(this);
    else sideWork.delete(this);
  }
}
