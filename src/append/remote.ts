/**
 * Pushes to PEs of other nodes, receiver-managed: the bytes go to the owner, which reserves room for them and replies how many it took.
 * They travel as queries of a biconveyor, either each by itself or aggregated.
 *
 *     push ─▶ waits for room ─▶ query ═▶ owner: reserve, copy, complete ─▶ reply ═▶ push is complete
 *
 * The session of the biconveyor is open from the making of the append buffer until all PEs have freed it. It never blocks: its turns are
 * taken while this PE pushes, and as side work whenever it waits for something, so an owner serves pushes in any call that waits.
 *
 * Limits: an owner that computes without a call takes nothing meanwhile. Pushes that wait for room are kept without bound.
 *
 * Source: papers/one-sided-append.txt, section 3.1: one message, as the offset is with the receiver.
 */
import { Fifo } from "../base/fifo.ts";
import type { ElasticBiconveyor } from "../conveyor/front/biconveyor.ts";
import { DONE } from "../status/state.ts";
import type { AsyncWaits } from "../wait/async.ts";
import type { Condition } from "../wait/condition.ts";
import type { SideTask, SideWork } from "../wait/side-work.ts";
import { block, type TeamWaiter, type Watcher, watched } from "../wait/waiter.ts";
import { AppendOverflowError } from "./errors.ts";
import type { AppendPush } from "./push.ts";
import type { Range, Region } from "./region.ts";

/** Longest sleep between two turns, ms: no waker tells of a message from another node. */
const POLL_MS = 1;

/** Pushes begun between two turns, as a mask. */
const TURN_MASK = 63;

/** A reply: the bytes that were taken, or -1 less what was left. */
const REPLY_BYTES = 8;

/**
 * What answers queries with the owner's buffer.
 * @param self number of the owner @param answered called after each
 */
export function answering(
  region: Region,
  self: number,
  answered: () => void,
): (query: Uint8Array) => Uint8Array {
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

/** How a PE waits. */
export interface RemoteWaits {
  readonly waiter: TeamWaiter;
  readonly waits: AsyncWaits;
  readonly sideWork: SideWork;
}

/** What is pushed into: its name for errors, which may be empty, and the bytes of each PE's buffer. */
export interface Buffers {
  readonly name: string;
  readonly lengths: readonly number[];
}

/** The pushes of one PE to PEs of other nodes. */
export class Remote implements SideTask {
  readonly pollMs: number = POLL_MS;
  readonly #c: ElasticBiconveyor;
  readonly #seat: RemoteWaits;
  readonly #buffers: Buffers;
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
  #isClosed = false;
  #isOver = false;

  /** @param c its session has begun, and its turns do not wait @param onOver called once when no push can come any more */
  constructor(c: ElasticBiconveyor, seat: RemoteWaits, buffers: Buffers, onOver: () => void) {
    this.#c = c;
    this.#seat = seat;
    this.#buffers = buffers;
    this.#onOver = onOver;
    seat.sideWork.add(this);
  }

  /** Begins a push. */
  start(call: string, dest: number, data: Uint8Array): RemotePush {
    const push = new RemotePush(this, this.#buffers, { call, dest, data });
    // a turn sends what is in buffers: so not with each push
    const isSent = this.#waiting.length === 0 && !this.#isBusy && this.#send(push);
    if (!isSent) this.#waiting.add(push);
    if (!isSent || (++this.#starts & TURN_MASK) === 0) this.turn();
    return push;
  }

  /** Whether no push of this PE is under way. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#sent.length === 0;
  }

  /** Takes a turn: sends, answers, and takes replies. @returns whether there was anything @throws the error that ended the world */
  turn(): boolean {
    if (this.#isBusy || this.#isOver) return false;
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
      const status = c.proceed(this.#isClosed && this.#waiting.length === 0);
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

  /** What this PE does for others while it waits elsewhere. */
  serve(): boolean {
    try {
      return this.turn();
    } catch (error) {
      this.#c.fail(error);
      return false;
    }
  }

  /** This PE begins no push any more. The others may still push to it. */
  close(): void {
    this.#isClosed = true;
    this.serve();
  }

  /** As {@link close}; resolves when no PE pushes any more. @throws the error that ended the world */
  async closed(): Promise<void> {
    this.#isClosed = true;
    await this.until(() => this.#isOver);
  }

  /** Resolves when `isReady`; turns are taken meanwhile. */
  until(isReady: () => boolean): Promise<void> {
    this.urge();
    return awaited(this.#seat, new Turning(this, isReady));
  }

  /** What has been started is sent with the next turn. */
  urge(): void {
    this.#isUrgent = true;
  }

  /** A query was answered in this turn. */
  answered(): void {
    this.#hasAnswered = true;
  }

  /** Waits in the thread. A wait that fails ends the world, as what was sent cannot be taken back. */
  wait(isReady: () => boolean): void {
    this.urge();
    const condition = new Turning(this, isReady);
    if (condition.ready()) return;
    const { waiter } = this.#seat;
    try {
      watched(waiter, condition, () => block(waiter, condition));
    } catch (error) {
      throw this.#c.fail(error);
    }
  }

  /** How many pushes have no reply yet, for messages. */
  get pending(): number {
    return this.#waiting.length + this.#sent.length;
  }

  #end(): void {
    this.#isOver = true;
    this.#seat.sideWork.delete(this);
    this.#c.endSession();
    this.#c.free();
    this.#onOver();
  }
}

/** A condition for which turns are taken. */
class Turning implements Condition, Watcher {
  readonly peer = -1;
  readonly pollMs: number = POLL_MS;
  readonly where = "";
  readonly whom = "owners of append buffers on other nodes";
  readonly #remote: Remote;
  readonly #isReady: () => boolean;

  constructor(remote: Remote, isReady: () => boolean) {
    this.#remote = remote;
    this.#isReady = isReady;
  }

  ready(): boolean {
    if (this.#isReady()) return true;
    this.#remote.turn();
    return this.#isReady();
  }

  spin(looks: number): boolean {
    for (; looks > 0; looks--) if (this.ready()) return true;
    return false;
  }

  verify(): void {}

  absent(): string {
    const { pending } = this.#remote;
    return `${pending} of its pushes into append buffers were not taken: an owner takes them only in calls of Tundish. Let it call one that waits.`;
  }
}

async function awaited({ waits, waiter }: RemoteWaits, condition: Turning): Promise<void> {
  if (condition.ready()) return;
  const deadline = waits.now() + waiter.timeout;
  await waits.until(condition, { deadline, signal: undefined, watcher: condition });
}

/** What is pushed. */
interface What {
  readonly call: string;
  readonly dest: number;
  readonly data: Uint8Array;
}

/** How a push has ended. */
type Outcome = { readonly reply: number } | { readonly error: unknown };

/** A push to a PE of another node. */
export class RemotePush implements AppendPush {
  readonly #remote: Remote;
  readonly #buffers: Buffers;
  readonly #what: What;
  #outcome: Outcome | null = null;

  constructor(remote: Remote, buffers: Buffers, what: What) {
    this.#remote = remote;
    this.#buffers = buffers;
    this.#what = what;
  }

  get dest(): number {
    return this.#what.dest;
  }

  get data(): Uint8Array {
    return this.#what.data;
  }

  /** @internal it has ended */
  settle(outcome: Outcome): void {
    this.#outcome = outcome;
  }

  test(): boolean {
    if (this.#outcome === null) this.#remote.turn();
    return this.#outcome !== null;
  }

  wait(): number {
    this.#remote.wait(() => this.#outcome !== null);
    return this.#result();
  }

  async waitAsync(): Promise<number> {
    await this.#remote.until(() => this.#outcome !== null);
    return this.#result();
  }

  #result(): number {
    const outcome = this.#outcome as Outcome;
    if ("error" in outcome) throw outcome.error;
    const { reply } = outcome;
    if (reply >= 0) return reply;
    const { call, dest, data } = this.#what;
    const { name, lengths } = this.#buffers;
    throw new AppendOverflowError({
      ...{ call, name, dest, wanted: data.length },
      ...{ left: -1 - reply, length: lengths[dest] as number },
    });
  }
}

const numberIn = (bytes: Uint8Array): number => new Float64Array(bytes.slice().buffer)[0] as number;
