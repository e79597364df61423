/**
 * Quiescence: the end of a session in which items cause items, found by the PEs themselves. It is reached when the
 * source of every PE has returned and no item is under way, and then nothing can ever happen again.
 *
 * An item is under way from its creation until the handler that it was passed to has returned: in a backlog, in an open
 * buffer that was not sent, in a buffer in flight, in a forwarder, in a received buffer. What a handler sends is
 * created before the handler returns, so there is no gap between an item and those that it causes.
 *
 * A PE is passive when its source has returned, it has no item to hand out or to forward, its backlog and its open
 * buffers are empty, and every buffer that it has sent, over any hop, was read to its end by its receiver
 * (Porter.settled). A receiver says so after it has handed out, or forwarded, all items of the buffer. A passive PE
 * casts a vote, with one bit: BLACK if it has sent a buffer since its last vote, or since the session began. When all
 * PEs have voted, that is a wave. All are quiet if the OR of the wave is 0; else every PE votes again as soon as it is
 * passive. A PE that has voted may become active again meanwhile.
 *
 * Proof. Let c(p, k) be the time at which PE p casts vote k, and let the OR of wave k be 0. Let T be a time after all
 * votes of wave k - 1 and before all of wave k: there is one, as nobody casts vote k before it has the result of wave k
 * - 1. (For k = 1 let T be the begin of the session: nobody has sent anything.)
 * 1. No buffer is in flight at T. What p sent before c(p, k - 1) had been read at that time, as p was passive; since
 *    then, until c(p, k), p has sent nothing.
 * 2. No buffer is sent after T. Suppose that q is the first to send one. It has not sent it before c(q, k). At c(q, k)
 *    q was passive, so an item must have come to q after that, in a buffer. By 1 that buffer was sent after T, so
 *    before q's: q was not the first.
 * 3. So nothing arrives after T. Each p is passive at c(p, k), and nothing comes that could change it: when the wave is
 *    over all are passive, nothing is in flight, and no handler will run again. The end is never early. It is never
 *    missed: partial buffers are sent when a PE has nothing else to do, so when no handler sends any more, each PE
 *    becomes passive; the wave that is open then may see BLACK, the next one does not.
 *
 * So a session takes one wave if nobody sends, else two or more: a wave for each time that everybody ran out of work
 * while some items were still to cause others. Votes travel on the tree of the site and are polled for, never waited
 * for.
 *
 * Example, 3 PEs, an item from 0 to 1 whose handler sends one to 2:
 *
 *     PE 0  send ──▶ 1 · settled · vote BLACK ─────┐               vote 0 ┐
 *     PE 1  vote 0 · read, send ──▶ 2 · settled ───┤ OR = BLACK  vote BLACK ┤ OR = BLACK   all: vote 0, OR = 0: the end
 *     PE 2  vote 0 · read ─────────────────────────┘               vote 0 ┘
 *
 * Compared with others. Mattern's four counters ask twice for the sums of sent and received messages, and stop at two
 * equal answers: two waves as well, but sums of 64 bits, where votes OR 24. Here the acknowledgements that the links
 * need anyway (a buffer that was read can be filled again) do the counting. Dijkstra, Feijen and van Gasteren colour a
 * PE black when it sends, and pass a token of one bit around a ring of machines whose messages take no time; waves on a
 * tree take log n steps, and "settled" makes up for messages that take time. Credits (Mattern 1989) would add a word to
 * each item. Charm++ counted a message when its buffer was sent, so that items in open buffers were not seen (charm
 * issue 1658, ended too early with TRAM); here an open buffer with an item makes its PE active.
 *
 * Limits: the votes are those of the first conveyor's site, which must cast no others while it works: of a simple
 * conveyor it does.
 *
 * Source: Mattern, "Algorithms for distributed termination detection" (Distributed Computing 2, 1987); Dijkstra,
 * Feijen, van Gasteren, "Derivation of a termination detection algorithm for distributed computations" (1983).
 */
import type { Machinery } from "./assembly.ts";
import { FLUSH } from "./causes.ts";

/** The bit of a vote: this PE has sent a buffer since its last vote. */
const BLACK = 1;

/** The parts of a conveyor that are looked at. */
type Part = Pick<Machinery, "site" | "outboxes" | "movers" | "inbox">;

/** A conveyor whose items cause items. */
interface Watched {
  readonly machinery: Part;
  /** Counts a vote. */
  countVote(): void;
}

/** The detector at one PE: of one conveyor, or of several whose items cause items of each other. */
export class Quiescence {
  /** Nothing is under way, and nothing will be, at any PE. */
  isOver = false;
  readonly #parts: readonly Part[];
  /** Its votes are used. */
  readonly #first: Watched;
  #isCast = false;
  /** Buffers sent before the last vote. */
  #voted = 0;
  /** Items handed out before the last turn. */
  #pulled = 0;

  /** @param conveyors at least one; the votes are counted by the first */
  constructor(conveyors: readonly Watched[]) {
    this.#parts = conveyors.map(({ machinery }) => machinery);
    this.#first = conveyors[0];
  }

  /** Called when a session has begun, before its first item. */
  begin(): void {
    this.isOver = false;
    this.#isCast = false;
    this.#voted = 0;
    this.#pulled = 0;
  }

  /**
   * Called once in each turn when the source has returned, after received items were handed out and before the
   * conveyors advance.
   * @param holds whether items of this PE wait for room in a backlog
   * @returns whether there was progress
   */
  turn(holds: boolean): boolean {
    if (this.isOver) return false;
    let moved = this.#flushIfIdle();
    const { vote } = this.#first.machinery.site;
    for (;;) {
      if (this.#isCast) {
        const result = vote.poll();
        if (result < 0) return moved;
        this.#isCast = false;
        moved = true;
        if (result === 0) {
          this.isOver = true;
          return true;
        }
      }
      if (holds || !this.#isPassive()) return moved;
      const sent = this.#sent();
      vote.cast(sent === this.#voted ? 0 : BLACK);
      this.#voted = sent;
      this.#isCast = true;
      this.#first.countVote();
      moved = true;
    }
  }

  /** Sends what is in open buffers, over all hops, when nothing was handed out since the last turn. */
  #flushIfIdle(): boolean {
    let pulled = 0;
    for (const { inbox } of this.#parts) pulled += inbox.pulled;
    const isIdle = pulled === this.#pulled;
    this.#pulled = pulled;
    if (!isIdle) return false;
    let moved = false;
    for (const { outboxes } of this.#parts) {
      for (let hop = 0; hop < outboxes.length; hop++) {
        if (outboxes[hop].pending === 0) continue;
        outboxes[hop].flush(FLUSH);
        moved = true;
      }
    }
    return moved;
  }

  /** Buffers with items that this PE has sent in this session, over all hops. */
  #sent(): number {
    let sent = 0;
    for (const { outboxes } of this.#parts) {
      for (let hop = 0; hop < outboxes.length; hop++) sent += outboxes[hop].buffers;
    }
    return sent;
  }

  /** Whether this PE has nothing to do for any item, and all that it has sent was read. */
  #isPassive(): boolean {
    for (const { inbox, movers } of this.#parts) {
      if (inbox.next !== inbox.limit) return false;
      for (let hop = 0; hop < movers.length; hop++) if (!movers[hop].isIdle) return false;
    }
    for (const { outboxes, site } of this.#parts) {
      for (let hop = 0; hop < outboxes.length; hop++) {
        if (outboxes[hop].pending > 0 || !site.porters[hop].settled()) return false;
      }
    }
    return true;
  }
}
