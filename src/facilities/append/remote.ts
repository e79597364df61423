/**
 * Pushes into memory that this PE does not have: what carries them makes progress in turns, and never blocks. Turns are
 * taken while this PE pushes, and as side work whenever it waits for something, so an owner serves pushes in any call
 * that waits.
 *
 * There are two: by-conveyor.ts and by-window.ts.
 */
import { NamedCondition } from "../../ground/wait/named-condition.ts";
import type { SideTask } from "../../ground/wait/side-work.ts";
import { awaitOn, blockOn, type Task, type Waiters } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { type GroupBuffers, overflow, titled } from "./errors.ts";
import type { AppendPush } from "./push.ts";

/** Longest sleep between two turns, ms: no waker tells of a message from another node. */
const POLL_MS = 1;
/** The same where a push of this PE is waited for. */
const OWN_POLL_MS = 0.1;

/** How a PE waits. */
export type RemoteWaits = Waiters & Pick<Seat, "sideWork" | "checkGroup">;

/** The pushes of one PE to PEs of other nodes. */
export abstract class Remote implements SideTask {
  readonly pollMs: number = POLL_MS;
  readonly seat: RemoteWaits;
  /** This PE begins no push any more; no PE does. */
  protected isClosed = false;
  protected isOver = false;
  readonly #buffers: GroupBuffers;
  /** Pushes that have failed, and whose results nobody has asked for. */
  readonly #failed = new Set<RemotePush>();

  protected constructor(seat: RemoteWaits, buffers: GroupBuffers) {
    this.seat = seat;
    this.#buffers = buffers;
  }

  /** Begins a push. */
  start(call: string, dest: number, data: Uint8Array): RemotePush {
    const push = new RemotePush(this, this.#buffers, { call, dest, data });
    this.begin(push);
    return push;
  }

  protected abstract begin(push: RemotePush): void;

  /** A push has failed; it was asked for. */
  failed(push: RemotePush): void {
    this.#failed.add(push);
  }
  asked(push: RemotePush): void {
    this.#failed.delete(push);
  }

  /** Throws the error of the first push that has failed and that nobody has asked for; the others are forgotten. */
  throwFailed(): void {
    const [first] = this.#failed;
    this.#failed.clear();
    first?.result();
  }

  /** Takes a turn. @returns whether there was anything to do @throws the error that ended the world */
  abstract turn(): boolean;

  /** Sends with the next turn all that has been started. */
  abstract urge(): void;

  /** Ends the world with an error. @returns it */
  protected abstract fail(error: unknown): unknown;

  /** As {@link awaits}, by rank in the world. */
  awaited(dest?: number): readonly number[] {
    const rank = this.awaits(dest);
    return rank < 0 ? [] : [this.#buffers.members[rank] as number];
  }

  /** The destination, in a sentence. */
  get titled(): string {
    return titled(this.#buffers.name);
  }

  /** Why pushes may not be taken, and what to do, for a TimeoutError. */
  abstract readonly hint: string;

  /** Whose answer is awaited, by rank in the group: of a push to `dest`, or of the first; -1 if not known. */
  protected abstract awaits(dest?: number): number;

  /** How many pushes have not ended. */
  abstract get pending(): number;

  /** Whether no push of this PE is under way. */
  get isIdle(): boolean {
    return this.pending === 0;
  }

  /** Work of this PE for others while it waits elsewhere. */
  serve(): boolean {
    try {
      this.look();
      return this.turn();
    } catch (error) {
      this.fail(error);
      // nobody takes its pushes any more; what is under way keeps its memory
      this.isOver = true;
      this.seat.sideWork.delete(this);
      return false;
    }
  }

  /** @throws the error that ended the world, or the group */
  look(): void {
    this.seat.checkGroup();
  }

  /** This PE begins no push any more. The others may still push to it. */
  close(): void {
    this.isClosed = true;
    this.serve();
  }

  /** Waits until no PE pushes any more, once it is closed. @throws the error that ended the world */
  *over(): Task<void> {
    yield new Turning(this, "the end of its main", () => this.isOver);
  }

  /**
   * Waits until `isReady`; turns are taken meanwhile. A wait that fails ends the world, as what was sent cannot be
   * taken back.
   * @param dest of the push that it waits for. @default of any
   */
  *until(call: string, isReady: () => boolean, dest?: number): Task<void> {
    this.urge();
    const condition = new Turning(this, call, isReady, dest);
    if (condition.ready()) return;
    try {
      yield condition;
    } catch (error) {
      throw this.fail(error);
    }
  }
}

/** A condition for which turns are taken. */
class Turning extends NamedCondition {
  readonly pollMs: number = OWN_POLL_MS;
  readonly whom = "owners of append buffers on other nodes";
  readonly call: string;
  readonly #remote: Remote;
  readonly #isReady: () => boolean;
  readonly #dest: number | undefined;

  /** @param call its name @param dest of the push that it waits for. @default of any */
  constructor(remote: Remote, call: string, isReady: () => boolean, dest?: number) {
    super();
    this.#dest = dest;
    this.#remote = remote;
    this.call = `${call} of the ${remote.titled}`;
    this.#isReady = isReady;
  }

  ready(): boolean {
    if (this.#isReady()) return true;
    this.#remote.look();
    this.#remote.turn();
    return this.#isReady();
  }

  get awaited(): readonly number[] {
    return this.#remote.awaited(this.#dest);
  }

  override absent(): string {
    const { pending, hint, titled } = this.#remote;
    return `${pending} of its pushes into the ${titled} were not taken: ${hint}`;
  }
}

/** The pushed bytes. */
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
  readonly #buffers: GroupBuffers;
  readonly #what: What;
  /** Of the data, when it was begun. */
  readonly bytes: number;
  #outcome: Outcome | null = null;

  constructor(remote: Remote, buffers: GroupBuffers, what: What) {
    this.#remote = remote;
    this.#buffers = buffers;
    this.#what = what;
    this.bytes = what.data.length;
  }

  get dest(): number {
    return this.#what.dest;
  }

  get data(): Uint8Array {
    return this.#what.data;
  }

  /** It has ended. */
  settle(outcome: Outcome): void {
    this.#outcome = outcome;
    if ("error" in outcome || outcome.reply < 0) this.#remote.failed(this);
  }

  test(): boolean {
    if (this.#outcome === null) this.#remote.turn();
    return this.#outcome !== null;
  }

  wait(): number {
    return blockOn(this.#remote.seat, this.#settling());
  }

  async waitAsync(): Promise<number> {
    return await awaitOn(this.#remote.seat, this.#settling());
  }

  *#settling(): Task<number> {
    yield* this.#remote.until(this.#what.call, () => this.#outcome !== null, this.dest);
    return this.result();
  }

  /** Its result. @throws AppendOverflowError */
  result(): number {
    this.#remote.asked(this);
    const outcome = this.#outcome as Outcome;
    if ("error" in outcome) throw outcome.error;
    const { reply } = outcome;
    if (reply >= 0) return reply;
    const { call, dest } = this.#what;
    throw overflow(this.#buffers, { call, dest, wanted: this.bytes, left: -1 - reply });
  }
}
