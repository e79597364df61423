/**
 * Members of a group over queue pairs: one pair with each other member, made by all of them together.
 *
 * What is posted goes into the pair at once if there is room; else it is copied to a queue of this PE, which is emptied
 * by later calls, and as side work while the PE waits for something else. So a post never waits, and two members that
 * post to each other cannot block each other.
 *
 * Limits: a look at the members takes some ns for each. A queue is as long as its user lets it be
 * ({@link PairMembers.backlog}).
 */

import { StateError } from "../../ground/base/errors.ts";
import { setImmediate } from "../../ground/base/event-loop/timers.ts";
import { Fifo } from "../../ground/base/fifo.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { SideTask } from "../../ground/wait/side-work.ts";
import type { Waiters } from "../../ground/wait/task.ts";
import { block, watched } from "../../ground/wait/waiter.ts";
import { type Watcher, watcherOf } from "../../ground/wait/watcher.ts";
import type { OpenChannel } from "../../pe/kept.ts";
import { pairOf } from "../../pe/pair-of.ts";
import type { Pair, PartReceiver, PartSender } from "../../pe/pairs/parts.ts";
import type { Seat } from "../../pe/seat.ts";
import type { MemberMessage, Members, MemberWait } from "./members.ts";

/** The pairs of members: their slots, and bytes of a part. */
export interface MemberOptions {
  readonly slots: number;
  readonly partBytes: number;
  /** In words, for errors: all members must have the same. */
  readonly terms: string;
}

/** One in so many waits that are over at once lets the event loop turn. */
const TURN_MASK = 127;

/** The message that was received last. */
class Received implements MemberMessage {
  from = 0;
  bytes: Uint8Array = new Uint8Array(0);
}

/** Another member, or this one. */
class Peer {
  readonly pair: Pair | null;
  readonly sender: PartSender | null;
  readonly receiver: PartReceiver | null;
  /** Messages that have no room yet; the first of them from byte `sent` on. */
  readonly queue: Fifo<Uint8Array> = new Fifo();
  sent = 0;
  queued = 0;
  /** The parts of a message that have come. */
  parts: Uint8Array = new Uint8Array(0);
  length = 0;
  /** Nothing more comes. */
  isOver = false;

  constructor(pair: Pair | null) {
    this.pair = pair;
    this.sender = pair?.sender ?? null;
    this.receiver = pair?.receiver ?? null;
  }
}

/** The members of a group, for one of them. */
export class PairMembers implements Members, OpenChannel, SideTask {
  /** Nobody wakes this PE for room that another node has made. */
  readonly pollMs = 1;
  readonly rank: number;
  readonly size: number;
  readonly pes: readonly number[];
  readonly #seat: Seat;
  readonly #peers: readonly Peer[];
  readonly #u8: Uint8Array;
  readonly #received = new Received();
  readonly #idle: Idle;
  /** Whose part is shown; null for none. */
  #shown: PartReceiver | null = null;
  /** The member that is looked at next. */
  #next = 0;
  /** Messages in all queues. */
  #waiting = 0;
  #isFreed = false;
  #keepsMemory = false;
  /** Waits that were over at once. */
  #atOnce = 0;

  constructor(seat: Seat, { slots, partBytes, terms }: MemberOptions) {
    const { rank, size } = seat;
    const shape = { slots, blockBytes: partBytes };
    this.rank = rank;
    this.size = size;
    this.pes = seat.members;
    this.#seat = seat;
    this.#u8 = seat.heap.u8;
    const peers: Peer[] = [];
    try {
      for (let peer = 0; peer < size; peer++)
        peers.push(new Peer(peer === rank ? null : pairOf(seat, peer, shape, undefined, terms)));
    } catch (error) {
      // the members that have made theirs find them closed
      for (const { pair } of peers) pair?.close(false);
      throw error;
    }
    this.#peers = peers;
    this.#idle = new Idle(this, seat, this.#peers);
    seat.kept.channels.add(this);
  }

  get now(): number {
    return this.#seat.waits.now();
  }

  post(to: number, bytes: Uint8Array): void {
    this.checkOpen();
    const peer = this.#peers[to] as Peer;
    const { sender } = peer;
    if (sender !== null) {
      if (sender.isClosed) return;
      if (peer.queue.length === 0) {
        if (this.#send(peer, sender, bytes)) return;
        // the rest of it
        peer.queued -= peer.sent;
      }
    }
    // `slice` of a Buffer would not copy
    peer.queue.add(new Uint8Array(bytes));
    peer.queued += bytes.length;
    if (this.#waiting++ === 0) this.#seat.sideWork.add(this);
  }

  /** Sends parts of a message from byte `sent` of it on, as far as there is room. @returns whether all of it was */
  #send(peer: Peer, sender: PartSender, bytes: Uint8Array): boolean {
    const { length } = bytes;
    for (;;) {
      const part = Math.min(sender.most, length - peer.sent);
      const at = sender.tryClaim(part);
      if (at < 0) return false;
      if (part === length) this.#u8.set(bytes, at);
      else this.#u8.set(bytes.subarray(peer.sent, peer.sent + part), at);
      peer.sent += part;
      const isLast = peer.sent === length;
      sender.publish(part, isLast);
      if (!isLast) continue;
      peer.sent = 0;
      return true;
    }
  }

  serve(): boolean {
    try {
      return this.#flush();
    } catch (error) {
      this.#seat.fail(error);
      return false;
    }
  }

  /** Sends what waits in queues, as far as there is room. @returns whether there was any */
  #flush(): boolean {
    let any = false;
    for (const peer of this.#peers) {
      const { queue, sender } = peer;
      if (sender === null) continue;
      while (queue.length > 0) {
        const message = queue.first as Uint8Array;
        const before = peer.sent;
        const isSent = sender.isClosed || this.#send(peer, sender, message);
        if (!isSent) {
          any ||= peer.sent > before;
          peer.queued -= peer.sent - before;
          break;
        }
        any = true;
        peer.queued -= message.length - before;
        peer.sent = 0;
        queue.leave();
        this.#leaveQueue();
      }
      if (this.#isFreed && queue.length === 0) peer.pair?.close(this.#keepsMemory);
    }
    return any;
  }

  #leaveQueue(): void {
    if (--this.#waiting === 0) this.#seat.sideWork.delete(this);
  }

  tryReceive(): MemberMessage | undefined {
    this.checkOpen();
    this.#shown?.release();
    this.#shown = null;
    if (this.#waiting > 0) this.#flush();
    const { size } = this;
    let member = this.#next;
    for (let looks = 0; looks < size; looks++) {
      const peer = this.#peers[member] as Peer;
      if (peer.receiver === null ? this.#takeOwn(peer) : this.#take(peer, peer.receiver)) {
        this.#received.from = member;
        this.#next = member;
        return this.#received;
      }
      if (++member === size) member = 0;
    }
    return undefined;
  }

  #takeOwn(peer: Peer): boolean {
    const { queue } = peer;
    if (queue.length === 0) return false;
    this.#received.bytes = queue.first as Uint8Array;
    peer.queued -= this.#received.bytes.length;
    queue.leave();
    this.#leaveQueue();
    return true;
  }

  /** Whether a message has come whole. */
  #take(peer: Peer, receiver: PartReceiver): boolean {
    for (;;) {
      let at = receiver.tryWait();
      if (at < 0) {
        if (peer.isOver || !receiver.isOver) return false;
        // what was sent before its end is there by now
        at = receiver.tryWait();
        if (at < 0) {
          peer.isOver = true;
          return false;
        }
      }
      const { bytes, isLast } = receiver;
      const part = this.#u8.subarray(at, at + bytes);
      if (isLast && peer.length === 0) {
        this.#shown = receiver;
        this.#received.bytes = part;
        return true;
      }
      const length = peer.length + bytes;
      if (length > peer.parts.length) {
        const larger = new Uint8Array(2 * length);
        larger.set(peer.parts.subarray(0, peer.length));
        peer.parts = larger;
      }
      peer.parts.set(part, peer.length);
      receiver.release();
      peer.length = isLast ? 0 : length;
      if (!isLast) continue;
      this.#received.bytes = peer.parts.subarray(0, length);
      return true;
    }
  }

  isLost(member: number): boolean {
    return (this.#peers[member] as Peer).isOver;
  }

  /** Whether a member receives nothing more. */
  hasLeft(member: number): boolean {
    const { sender, isOver } = this.#peers[member] as Peer;
    return isOver || sender?.isClosed === true;
  }

  backlog(member: number): number {
    return (this.#peers[member] as Peer).queued;
  }

  /** True when a message may be here, a member was lost, or `ms` have passed. One, for the wait that begins last. */
  idle(ms: number): Condition {
    this.#idle.begin(ms);
    return this.#idle;
  }

  /** Who waits for that. */
  waiting(what?: MemberWait): Waiters {
    const { waiter, waits } = this.#seat;
    return { waiter, waits, watcher: what === undefined ? PLAIN : new Told(what, this.pes) };
  }

  wait(ms: number, what?: MemberWait): void {
    const idle = this.idle(ms);
    if (idle.ready()) return;
    const { waiter, watcher } = this.waiting(what);
    watched(waiter, watcher, () => block(waiter, idle));
  }

  async waitAsync(ms: number, what?: MemberWait): Promise<void> {
    const idle = this.idle(ms);
    if (idle.ready()) {
      // who always finds something must not keep timers and files from their turns
      if ((++this.#atOnce & TURN_MASK) === 0) await new Promise(setImmediate);
      return;
    }
    const { watcher } = this.waiting(what);
    await this.#seat.waits.until(idle, { deadline: Number.POSITIVE_INFINITY, signal: undefined, watcher });
  }

  /** @throws StateError if they were freed */
  checkOpen(): void {
    if (this.#isFreed) throw new StateError("messages: these members were freed; make others.");
  }

  /** Posts nothing more, and receives nothing; what waits in queues is still sent. A second call has no effect. */
  free(keepsMemory = false): void {
    if (this.#isFreed) return;
    this.#shown?.release();
    this.#shown = null;
    const own = this.#peers[this.rank] as Peer;
    while (own.queue.length > 0) this.#takeOwn(own);
    this.#isFreed = true;
    this.#keepsMemory = keepsMemory;
    this.#flush();
    this.isOver();
  }

  end(): void {
    this.free(true);
  }

  abandon(): void {
    this.#seat.sideWork.delete(this);
  }

  isOver(): boolean {
    if (!this.#isFreed) return false;
    if (this.#waiting > 0) this.#flush();
    const isOver = this.#waiting === 0 && this.#peers.every(({ pair }) => pair === null || pair.isOver);
    if (isOver) this.#seat.kept.channels.delete(this);
    return isOver;
  }

  /** Whether all other members have left. */
  isAlone(): boolean {
    return this.#peers.every(({ pair }, member) => pair === null || this.#seat.hasReturned(member));
  }
}

const PLAIN = watcherOf("a wait for messages of members");

/** The description of a wait. What takes time is found out when somebody asks. */
class Told implements Watcher {
  readonly where = "";
  readonly #what: MemberWait;
  readonly #pes: readonly number[];

  /** @param pes members by rank in the world */
  constructor(what: MemberWait, pes: readonly number[]) {
    this.#what = what;
    this.#pes = pes;
  }

  get call(): string {
    return this.#what.call;
  }

  get since(): number {
    return this.#what.since;
  }

  get needsOne(): boolean {
    return this.#what.needsOne ?? false;
  }

  get awaited(): readonly number[] {
    return this.#what.awaited.map((member) => this.#pes[member] as number);
  }

  verify(): void {}

  absent(): string {
    return "";
  }
}

/** A wait for a message, for room, for a loss, or for some time. */
class Idle implements Condition {
  readonly peer = -1;
  /** The others, by rank in the world: something wakes this PE for all of them. */
  readonly peers: readonly number[];
  readonly whom = "messages of members";
  pollMs: number = 1;
  readonly #seat: Seat;
  readonly #peers: readonly Peer[];
  readonly #members: PairMembers;
  #until = 0;

  constructor(members: PairMembers, seat: Seat, peers: readonly Peer[]) {
    this.#members = members;
    this.#seat = seat;
    this.#peers = peers;
    this.peers = seat.members.filter((_, member) => member !== seat.rank);
  }

  /** Its latest end, virtual ns: a whole one, as by rounding `#until` ms may be a bit later than as many ns. */
  get dueAt(): number {
    return Math.floor(this.#until * 1e6) + 1;
  }

  begin(ms: number): void {
    this.#until = this.#seat.waits.now() + ms;
    let pollMs = ms;
    for (const { receiver } of this.#peers) pollMs = Math.min(pollMs, receiver?.pollMs ?? pollMs);
    this.pollMs = pollMs;
  }

  ready(): boolean {
    return this.#isThere() || this.#seat.waits.now() >= this.#until;
  }

  /** Whether there is something to do, whatever the time. */
  #isThere(): boolean {
    const { rank } = this.#members;
    for (let member = 0; member < this.#peers.length; member++) {
      const peer = this.#peers[member] as Peer;
      if (member === rank ? peer.queue.length > 0 : this.#isReady(peer)) return true;
    }
    return false;
  }

  #isReady({ receiver, sender, queue, isOver }: Peer): boolean {
    if (receiver?.ready()) return true;
    if (isOver) return false;
    return receiver?.isOver === true || (queue.length > 0 && sender?.ready() === true);
  }

  spin(looks: number): boolean {
    // a clock takes longer than a look at some members
    for (let look = 0; look < looks; look += this.#peers.length) if (this.#isThere()) return true;
    return this.ready();
  }

  /** When the others have returned from this run of an open world, or are lost: nothing comes before the next run. */
  isInVain(): boolean {
    let away = 0;
    for (let member = 0; member < this.#peers.length; member++) {
      if (this.#seat.isBetweenRuns(member)) away++;
      else if (member !== this.#members.rank && !this.#members.isLost(member)) return false;
    }
    return away > 0 && !this.#isThere();
  }
}
