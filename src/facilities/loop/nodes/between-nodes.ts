/**
 * A loop over nodes, at one of its PEs: what it does with its partners on other nodes. A PE for which nothing is left
 * on its node asks them for iterations, one after the other, until each has answered that it has none. Who is asked
 * gives half of what it has, or of what the nearest PE of its node has.
 *
 *     asks                        is asked
 *       │ ASK ───────────────────▶ │
 *       │ ◀──────── GIVES, or none │   between two claims, or while it waits
 *       │ LEAVES ────────────────▶ │   nothing more comes, to an ASK that is under way neither
 *
 * So what is handed out is run by who has it, or given on, and no PE leaves the loop while some is on its way to it:
 * each iteration is run once. What stops the loop is told to all partners (STOPS), and by them to their nodes.
 *
 * Every message has the number and the terms of its loop, and how many iterations are over on its node. One of an
 * earlier loop is dropped, one of a later loop stays until this PE begins that.
 *
 * Limits: a PE answers between claims; who asks one that is in a long iteration waits, and asks the next one after
 * PATIENCE_MS.
 *
 * Source: Dinan and others, Scalable work stealing, SC 2009 (half of what there is; the asked one first on its node).
 */
import type { Condition } from "../../../ground/wait/condition.ts";
import type { SideTask } from "../../../ground/wait/side-work.ts";
import type { LoopArea } from "../chunks/area.ts";
import { NODES, type Slot, STOP } from "../chunks/layout.ts";
import { doneOf, type LoopLimits } from "../chunks/limits.ts";
import {
  ASKS,
  COUNT,
  DONE,
  FIRST,
  GIVES,
  KIND,
  LEAVES,
  LOOP,
  ROOT,
  SECOND,
  STOPS,
  TELLS_DONE,
  WANTS_DONE,
  WORD,
  WORDS,
} from "../partners/message.ts";
import type { Partner, Partners } from "../partners/partners.ts";
import { type Asking, PartnersAnswer } from "./answer.ts";
import type { GivingSource } from "./giving.ts";
import { Rhythm } from "./rhythm.ts";

/** Partners that are asked at a time, and how long the first of them has for its answer before the second is asked. */
const MOST_ASKED = 2;
const PATIENCE_MS = 1;

/** The call, by which PEs are compared. */
export interface ComparedCall {
  readonly call: string;
  readonly word: number;
  readonly count: number;
  readonly root: number;
}

/** What this PE knows of a partner in this loop. */
class Known {
  readonly partner: Partner;
  isAsked = false;
  hasLeft = false;
  wantsDone = false;
  done = 0;

  constructor(partner: Partner) {
    this.partner = partner;
  }
}

export class BetweenNodes implements SideTask, Asking {
  /** Nobody wakes this PE for a message of another node. */
  readonly pollMs = 1;
  readonly #area: LoopArea;
  readonly #partners: Partners;
  readonly #slot: Slot;
  readonly #call: ComparedCall;
  readonly #source: GivingSource;
  readonly #rhythm: Rhythm;
  readonly #known: readonly Known[];
  readonly #answer: PartnersAnswer;
  /** The next one that is asked; and those asked, one after the other, that have had nothing. */
  #next = 0;
  #vain = 0;
  #asked = 0;
  #askedAt = 0;
  #hasLeft = false;
  #isOver = false;

  constructor(area: LoopArea, slot: Slot, call: ComparedCall, source: GivingSource, limits: LoopLimits | null) {
    this.#area = area;
    this.#partners = area.partners as Partners;
    this.#slot = slot;
    this.#call = call;
    this.#source = source;
    this.#rhythm = new Rhythm(area.seat);
    this.#known = this.#partners.all.map((partner) => new Known(partner));
    this.#answer = new PartnersAnswer(this, area, slot, call.call, limits);
    area.seat.sideWork.add(this);
  }

  /** Between two claims: whoever has asked gets an answer, now and then. */
  pass(): void {
    this.#vain = 0;
    if (this.#rhythm.isDue) this.receive();
  }

  /** Nothing is left on this node. @returns what this PE waits for; null when there is nothing more to be had */
  search(): Condition | null {
    this.receive();
    if (this.isStopped || !this.#source.isShared) return null;
    if (this.mayAsk) this.#ask();
    if (this.#asked === 0 && !this.#source.hasMore) return null;
    this.#answer.begin(this.#asked);
    return this.#answer;
  }

  get isStopped(): boolean {
    // pairs with the exchange of who stops it
    return Atomics.load(this.#area.heap.i32, (this.#slot.control + STOP) / 4) !== 0;
  }

  get awaited(): readonly number[] {
    return this.#known.flatMap(({ isAsked, partner }) => (isAsked ? partner.rank : []));
  }

  get asked(): number {
    return this.#asked;
  }

  get hasMore(): boolean {
    return this.#source.hasMore;
  }

  get mayAsk(): boolean {
    if (this.#asked === 0) return this.#vain < this.#known.length;
    if (this.#asked === MOST_ASKED || this.#vain >= this.#known.length) return false;
    return this.#area.seat.waits.now() >= this.#askedAt + PATIENCE_MS;
  }

  #ask(): void {
    for (; this.#vain < this.#known.length; this.#vain++) {
      const one = this.#known[this.#next] as Known;
      this.#next = (this.#next + 1) % this.#known.length;
      if (one.hasLeft || one.isAsked) continue;
      this.#vain++;
      one.isAsked = true;
      this.#asked++;
      this.#askedAt = this.#area.seat.waits.now();
      this.#post(one, ASKS);
      return;
    }
  }

  #post({ partner }: Known, kind: number, first = 0, second = 0): void {
    const { word, count, root } = this.#call;
    const done = doneOf(this.#area.heap.i32, this.#slot);
    this.#partners.post(partner, [this.#area.loops, word, count, root, kind, first, second, done]);
  }

  /** Gets what has come. @throws MismatchError, which ends the world */
  receive(): boolean {
    let any = false;
    for (const one of this.#known) {
      for (let at = one.partner.look(); at >= 0; at = one.partner.look()) {
        const { i32 } = this.#area.heap;
        const ahead = ((i32[at + LOOP] as number) - this.#area.loops) | 0;
        if (ahead > 0) break;
        const message = i32.slice(at, at + WORDS);
        one.partner.release();
        any = true;
        if (ahead === 0) this.#take(one, message);
      }
    }
    return any;
  }

  #take(one: Known, message: Int32Array): void {
    const { word, count, root } = this.#call;
    const [theirWord, theirCount, theirRoot] = [WORD, COUNT, ROOT].map((at) => message[at] as number);
    if (theirWord !== word || theirCount !== (count | 0) || theirRoot !== root) this.#mismatch(one, message);
    const first = (message[FIRST] as number) >>> 0;
    one.done = Math.max(one.done, (message[DONE] as number) >>> 0);
    switch (message[KIND]) {
      case ASKS:
        // who has left has said so
        if (!this.#hasLeft) this.#give(one);
        break;
      case GIVES: {
        const given = (message[SECOND] as number) >>> 0;
        this.#answered(one);
        if (given === 0) break;
        this.#source.got(first, given);
        // it is asked first again
        this.#vain = 0;
        this.#next = this.#known.indexOf(one);
        break;
      }
      case LEAVES:
        one.hasLeft = true;
        this.#answered(one);
        // pairs with the load of OthersLeft
        if (first === 1) Atomics.add(this.#area.heap.i32, (this.#slot.control + NODES) / 4, 1);
        break;
      case STOPS:
        // pairs with the loads of the PEs of this node, and with the exchange of one that stops the loop, too
        Atomics.compareExchange(this.#area.heap.i32, (this.#slot.control + STOP) / 4, 0, first);
        break;
      case WANTS_DONE:
        this.#post(one, TELLS_DONE);
        break;
      case TELLS_DONE:
        one.wantsDone = false;
        break;
    }
  }

  #mismatch({ partner }: Known, message: Int32Array): never {
    const { seat } = this.#area;
    const call = {
      word: message[WORD] as number,
      count: (message[COUNT] as number) >>> 0,
      root: message[ROOT] as number,
    };
    throw seat.collectives.team.remoteMismatch(seat.members[partner.rank] as number, call);
  }

  #answered(one: Known): void {
    if (!one.isAsked) return;
    one.isAsked = false;
    this.#asked--;
  }

  #give(one: Known): void {
    const given = this.isStopped ? 0 : this.#source.give();
    this.#post(one, GIVES, given === 0 ? 0 : this.#source.begin, given);
  }

  /** This PE has stopped the loop. */
  stop(): void {
    for (const one of this.#known) this.#post(one, STOPS, 1 + this.#area.seat.rank);
  }

  /** It takes no more iterations. @param isLast whether no other PE of its node does */
  leave(isLast: boolean): void {
    this.#hasLeft = true;
    for (const one of this.#known) this.#post(one, LEAVES, isLast && one.partner.isFirst ? 1 : 0);
  }

  /** Iterations that are over on other nodes, as far as they have said so. */
  get done(): number {
    const nodes = new Map<number, number>();
    for (const { partner, done } of this.#known) nodes.set(partner.node, Math.max(done, nodes.get(partner.node) ?? 0));
    return [...nodes.values()].reduce((sum, done) => sum + done, 0);
  }

  /** Has the partners say how many are over. */
  askDone(): void {
    for (const one of this.#known) {
      if (one.wantsDone || one.hasLeft) continue;
      one.wantsDone = true;
      this.#post(one, WANTS_DONE);
    }
  }

  serve(): boolean {
    if (this.#isOver) return false;
    try {
      return this.receive();
    } catch (error) {
      this.#area.seat.fail(error);
      return false;
    }
  }

  /** The loop is over for this PE. */
  end(): void {
    this.#isOver = true;
    this.#area.seat.sideWork.delete(this);
  }
}
