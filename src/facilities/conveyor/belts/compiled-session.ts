/**
 * Sessions in compiled code (kernels/assembly/session.ts), on the memory that the outbox, the receiver and the porter
 * work on as well: a loop that pushes columns, and as an engine each advance of a program. It is one function that V8
 * has compiled already in place of some forty that it would interpret in the first sessions.
 *
 * Limits: one node, one hop, eager, with last messages; buffers are sent when they are full, or last.
 */
import type { CompiledLinks } from "../../../links/transport/contract.ts";
import { HEAD_WORDS } from "../../../links/transport/heap/link-counters.ts";
import { storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import type { EndKind } from "../../../route/geometry/ends.ts";
import type { Machinery } from "../engine/assembly.ts";
import { END, FULL } from "../engine/causes.ts";
import type { Engine } from "../engine/tensor.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";

// why the loop has returned
/** Nothing moves. */
export const IDLE = 0;
/** All rows are pushed. */
export const PUSHED = 1;
/** A buffer was received. */
export const ARRIVED = 2;
/** Nothing comes any more, and all is sent. */
export const OVER = 3;
/** A friend sleeps that may have waited for what was done. */
export const ASLEEP = 4;
/** The destination of the next item is no PE. */
export const MISFIT = 5;
/** A friend has begun the session with other terms. */
const MISMATCH = 6;

// words of the head: the class Head of session.ts
const ARRAYS = 0;
const LINKS = 1;
const STRIDE = 2;
const BUFFER_BYTES = 3;
const BASE = 4;
const ROOM = 5;
const PER_LINK = 6;
const SESSION = 7;
const NEXT = 8;
const SOURCE = 9;
const AT = 10;
const COUNT = 11;
const ENDED = 12;
const UNENDED = 13;
const FRIEND_ASLEEP = 15;
const BUFFERS = 16;
const BYTES = 17;
const LAST_BUFFERS = 18;
const LAST_BYTES = 19;
const OTHER_WORD = 20;
const TRACE = 21;
const MOVED = 22;

/** The trace before the first advance of a session: it counts as progress, as a program begins to push after it. */
const NO_TRACE = 2 ** 32 - 1;
/**
 * Sessions of a conveyor before it gets the kernels for its advances alone. The first call takes 1 ms, as V8 compiles a
 * function of WebAssembly when it is called; a session is shorter by 10 to 20 us then.
 */
const SESSIONS_BEFORE = 3;
/** Memories that a conveyor of this thread has the kernels for. */
const known = new WeakSet<object>();

export class CompiledSession implements Engine {
  moved = false;
  readonly votes = 0;
  readonly #machinery: Machinery;
  readonly #links: CompiledLinks;
  #sessions = 0;
  /** Null before {@link prepare}. */
  #kernels: ConveyorKernels | null = null;
  readonly #head: Uint32Array;

  /** See {@link compiledSession}. */
  constructor(machinery: Machinery, links: CompiledLinks) {
    const { site, choice } = machinery;
    this.#machinery = machinery;
    this.#links = links;
    const head = site.views.u32.subarray(links.head / 4, links.head / 4 + HEAD_WORDS);
    this.#head = head;
    head[LINKS] = choice.route.size;
    head[ARRAYS] = machinery.outboxes[0].address;
    head[PER_LINK] = choice.buffersPerLink;
    head[BUFFER_BYTES] = storedBytes(choice.bufferBytes);
  }

  /** Called before each session: whether it is to be the engine of that. */
  pays(): boolean {
    if (this.#kernels !== null || known.has(this.#machinery.site.memory)) return true;
    return ++this.#sessions > SESSIONS_BEFORE;
  }

  begin(): void {
    this.prepare();
    this.#machinery.receivers[0].begin();
    this.#head[TRACE] = NO_TRACE;
  }

  /** For this session, whose engine it may be or not. */
  prepare(): void {
    const { outboxes, site } = this.#machinery;
    const { stride, base, capacity } = outboxes[0].packing;
    const head = this.#head;
    if (this.#kernels === null) known.add(site.memory);
    this.#kernels ??= conveyorKernels(site.memory);
    head[STRIDE] = stride;
    head[BASE] = base;
    head[ROOM] = capacity * stride;
    head[SESSION] = site.session.value;
  }

  /** As Tensor.advance. */
  advance(done: boolean): 0 | 1 {
    const { inbox, outboxes, receivers } = this.#machinery;
    const outbox = outboxes[0];
    // no pattern: before V8 compiles it, that is an iterator
    const receiver = receivers[0];
    const head = this.#head;
    // the last buffers may be empty; nobody has to pull for them, unless it is a pull that ends what is shown now
    const asks = inbox.wanted || (done && !inbox.isKept);
    const takes = asks && !receiver.isOver && inbox.next === inbox.limit;
    let back = takes ? inbox.part() : -1;
    if (back >= 0) this.#links.part();
    head[MOVED] = Number(done && inbox.seal());
    head[ENDED] = receiver.ended;
    head[UNENDED] = outbox.unended;
    let why: number;
    do {
      why = (this.#kernels as ConveyorKernels).turn(this.#links.head, Number(done), Number(takes), back);
      this.#count(why);
      back = -1;
    } while (why === ASLEEP);
    receiver.ended = head[ENDED];
    // an advance fetches what comes later, so that an awaited one notices it
    inbox.wanted = takes;
    if (why !== IDLE) this.#take(why);
    this.moved = inbox.fetched || head[MOVED] !== 0;
    inbox.fetched = false;
    if (outbox.unended > 0 || !receiver.isOver || inbox.next !== inbox.limit) return 1;
    // a PE that is complete does not wait
    this.moved = true;
    return 0;
  }

  /** Puts the buffer that has come into the inbox. @throws MismatchError */
  #take(why: number): void {
    const { inbox, site } = this.#machinery;
    const head = this.#head;
    if (why === ARRIVED) {
      this.#links.hold(head[SOURCE]);
      inbox.show(head[SOURCE], head[AT], head[COUNT]);
    } else if (why === MISMATCH) site.session.admits(head[OTHER_WORD] | 0);
  }

  /** Number of the next item. */
  get next(): number {
    return this.#head[NEXT];
  }

  /**
   * A turn, or many.
   * @param dests byte offset of the destination of item 0, if it were there; `rows` of the item
   * @param first number of the first item that may be pushed now; `end` after the last one
   * @param isAll whether no further ones come after these
   * @param spins turns without progress before it returns
   * @returns why: the buffer that has arrived is in the inbox
   */
  proceed(dests: number, rows: number, first: number, end: number, isAll: boolean, spins: number): number {
    const { inbox, receivers } = this.#machinery;
    const receiver = receivers[0];
    const head = this.#head;
    const takes = inbox.next === inbox.limit;
    const back = takes ? inbox.part() : -1;
    if (back >= 0) this.#links.part();
    head[ENDED] = receiver.ended;
    const why = this.#call(dests, rows, first, end, Number(isAll), Number(takes), back, spins);
    receiver.ended = head[ENDED];
    this.#take(why);
    return why;
  }

  /** Pushes rows, as proceed has them, until a link has no room, or a destination is no PE; gives the next item. */
  push(dests: number, rows: number, first: number, end: number): number {
    for (let next = first; ; ) {
      const why = this.#call(dests, rows, next, end, 0, 0, -1, 0);
      next = this.next;
      if (why !== ASLEEP || next === end) return next;
    }
  }

  #call(
    dests: number,
    rows: number,
    first: number,
    end: number,
    isAll: number,
    takes: number,
    back: number,
    spins: number,
  ): number {
    const head = this.#head;
    head[NEXT] = first;
    head[UNENDED] = this.#machinery.outboxes[0].unended;
    const kernels = this.#kernels as ConveyorKernels;
    const why = kernels.proceed(this.#links.head, dests, rows, end, isAll, takes, back, spins);
    this.#count(why);
    return why;
  }

  /** After each call: counts what was sent, and wakes the friend that it has come back for. */
  #count(why: number): void {
    const outbox = this.#machinery.outboxes[0];
    const head = this.#head;
    outbox.unended = head[UNENDED];
    if (head[BUFFERS] > 0) outbox.count(head[BUFFERS], head[BYTES], FULL);
    if (head[LAST_BUFFERS] > 0) outbox.count(head[LAST_BUFFERS], head[LAST_BYTES], END);
    if (head[BUFFERS] + head[LAST_BUFFERS] > 0) head.fill(0, BUFFERS, LAST_BYTES + 1);
    if (why === ASLEEP) this.#links.wake(head[FRIEND_ASLEEP]);
  }
}

/** Whether the tests have switched it off. */
let isOff = false;

/** For tests: whether sessions of this thread use it where they can. */
export function useCompiled(does: boolean): void {
  isOff = !does;
}

/** The sessions of a conveyor; null where its engine has to move all buffers. @param ends of its hops */
export function compiledSession(machinery: Machinery, ends: readonly EndKind[]): CompiledSession | null {
  const { site, choice, squeezer, adapting, outboxes } = machinery;
  const [{ compiled }] = site.porters;
  const { type, steady, sending } = choice;
  // what is not sent only when it is full, or last
  const isPlain = !steady && sending.maxDelay === Number.POSITIVE_INFINITY && adapting === null;
  const isLimited = outboxes[0].limit !== null || squeezer !== null;
  if (isOff || compiled === undefined || type === "simple" || ends[0] === "vote" || !isPlain || isLimited) return null;
  return new CompiledSession(machinery, compiled);
}
