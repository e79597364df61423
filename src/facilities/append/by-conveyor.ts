/**
 * Pushes to PEs of other nodes, receiver-managed: the bytes go to the owner, which reserves room for them and replies
 * how many it took. They travel as queries of a biconveyor, either each by itself or aggregated.
 *
 *     push ─▶ waits for room ─▶ query ═▶ owner: reserve, copy, complete ─▶ reply ═▶ push is complete
 *
 * The session of the biconveyor is open from the making of the append buffer until all PEs have freed it.
 *
 * Limits: an owner that computes without a call takes nothing meanwhile. Pushes that wait for room are kept without
 * bound.
 *
 * Source: Dinan, Flajslik, "One-Sided Append: A New Communication Paradigm For PGAS Models", section 3.1: one message,
 * as the offset is with the receiver.
 */
import { Fifo } from "../../ground/base/fifo.ts";
import { DONE } from "../../links/status/state.ts";
import type { ElasticBiBelt } from "../conveyor/belts/elastic-bi.ts";
import type { GroupBuffers } from "./errors.ts";
import type { BufferRegion, Range } from "./region.ts";
import { Remote, type RemotePush, type RemoteWaits } from "./remote.ts";

/** Pushes begun between two turns, as a mask. */
const TURN_MASK = 63;

/** A reply: the bytes that were taken, or -1 less what was left. */
const REPLY_BYTES = 8;

/** The answer to queries with the owner's buffer. @param self number of the owner @param answered called after each */
export function answering(region: BufferRegion, self: number, answered: () => void): (query: Uint8Array) => Uint8Array {
  const range: Range = { at: 0, taken: 0 };
  const reply = new Uint8Array(REPLY_BYTES);
  const number = new Float64Array(reply.buffer);
  return (query) => {
    const { length } = query;
    if (region.reserve(self, length, range)) {
      // the query lies in the heap
      if (range.taken > 0) region.copy(range.at, query.byteOffset, range.taken);
      region.complete(self, range, length);
      number[0] = range.taken;
    } else {
      number[0] = -1 - range.taken;
    }
    answered();
    return reply;
  };
}

/** The pushes of one PE. */
export class ByConveyor extends Remote {
  readonly #c: ElasticBiBelt;
  readonly #onOver: () => void;
  /** Pushes that wait for room, and those whose replies have not come, both in order. */
  readonly #waiting = new Fifo<RemotePush>();
  readonly #sent = new Fifo<RemotePush>();
  /** Pushes begun. */
  #starts = 0;
  #isBusy = false;
  /** Somebody waits for what was started. */
  #isUrgent = false;
  #hasAnswered = false;

  /**
   * @param c its session has begun, and its turns do not wait
   * @param onOver called once when no push can come any more
   */
  constructor(c: ElasticBiBelt, seat: RemoteWaits, buffers: GroupBuffers, onOver: () => void) {
    super(seat, buffers);
    this.#c = c;
    this.#onOver = onOver;
    c.outliveMain();
    seat.sideWork.add(this);
  }

  readonly hint: string = "an owner takes them only in calls of Tundish. Let it call one that waits.";

  protected begin(push: RemotePush): void {
    // a turn sends what is in buffers: so not with each push
    const isSent = this.#waiting.length === 0 && !this.#isBusy && this.#send(push);
    if (!isSent) this.#waiting.add(push);
    if (!isSent || (++this.#starts & TURN_MASK) === 0) this.turn();
  }

  protected awaits(dest?: number): number {
    return dest ?? (this.#sent.first ?? this.#waiting.first)?.dest ?? -1;
  }

  get pending(): number {
    return this.#waiting.length + this.#sent.length;
  }

  /** Sends, answers, and takes replies. */
  turn(): boolean {
    if (this.#isBusy || this.isOver) return false;
    this.#isBusy = true;
    try {
      const c = this.#c;
      let any = false;
      for (let push = this.#waiting.first; push !== undefined; push = this.#waiting.first) {
        if (!this.#send(push)) break;
        this.#waiting.leave();
        any = true;
      }
      // whoever waits for a push does not start another one
      if (this.#isUrgent && this.#waiting.length === 0) {
        this.#isUrgent = false;
        c.flushQueries();
      }
      const status = c.proceed(this.isClosed && this.#waiting.length === 0);
      // those of one turn travel together; nothing more is answered before the next one
      if (this.#hasAnswered && status !== DONE) c.flushReplies();
      this.#hasAnswered = false;
      for (; c.pull(); any = true) {
        this.#sent.first?.settle({ reply: numberIn(c.bytes) });
        this.#sent.leave();
      }
      if (status === DONE) this.#end();
      return any || c.moved;
    } finally {
      this.#isBusy = false;
    }
  }

  /** @returns false if there is no room now */
  #send(push: RemotePush): boolean {
    try {
      if (!this.#c.push(push.dest, push.data)) return false;
      this.#sent.add(push);
    } catch (error) {
      // the heap could never hold it, or its array is detached by now
      push.settle({ error });
    }
    return true;
  }

  urge(): void {
    this.#isUrgent = true;
  }

  protected fail(error: unknown): unknown {
    return this.#c.fail(error);
  }

  /** A query was answered in this turn. */
  answered(): void {
    this.#hasAnswered = true;
  }

  #end(): void {
    this.isOver = true;
    this.seat.sideWork.delete(this);
    this.#c.endSession();
    this.#c.free();
    this.#onOver();
  }
}

const numberIn = (bytes: Uint8Array): number => new Float64Array(bytes.slice().buffer)[0] as number;
