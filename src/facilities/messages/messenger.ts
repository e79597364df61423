/**
 * Messages between the members of a group by rank and tag, as MPI has them (MPI 4.1, section 3.5): of the messages of
 * one sender to one receiver those with the same tag are received in the order in which they were sent; a receive that
 * names a sender or a tag passes over the others, which wait.
 *
 * A message goes by the queue pair of the two (pair-members.ts), with its tag before it. What has come and was not
 * asked for is copied to memory of this PE (MPI's unexpected messages). A send that finds too much unsent for its
 * receiver takes in what comes for this PE while it waits, so two members may send to each other before they receive.
 *
 * Limits: unexpected messages are as many as the others make them (unexpected-messages.ts).
 */

import { RankLostError, RankRangeError, TimeoutError, UsageError } from "../../ground/base/errors.ts";
import { abortSignal, checkOptions, is, milliseconds, type OptionField, optionsOf } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { blocks } from "../../ground/wait/blocking.ts";
import type { WaitOptions } from "../../ground/wait/options.ts";
import { awaitOn, blockOn, type Task, type Waiters } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { bytesOf } from "./bytes.ts";
import { type MemberWait, waitedText } from "./members.ts";
import { blockBytesOf, CHANNEL, type ChannelOptions, DEFAULT_PART_BYTES, slotsOf } from "./options.ts";
import { PairMembers } from "./pair-members.ts";
import { type Message, type MessageFilter, UnexpectedMessages } from "./unexpected-messages.ts";

/** Options of a messenger; the same at all members. */
export type MessengerOptions = Omit<ChannelOptions, "backend">;

/** Bytes before each message: its tag. */
const TAG_BYTES = 4;
const MOST_TAG = 2 ** 31 - 1;
/** Bytes that may wait for room on the way to a member, before a send waits. */
const MOST_UNSENT = 1 << 20;
/** A wait for a message looks at its limit itself, after each slice. */
const NO_LIMIT = Number.POSITIVE_INFINITY;
/** Longest wait between two looks at the end of the world and at lost members, ms. */
const SLICE_MS = 50;

const isRank = (x: unknown): boolean => Number.isInteger(x) && (x as number) >= 0;
const isTag = (x: unknown): boolean => isRank(x) && (x as number) <= MOST_TAG;
const FILTER: OptionField = optionsOf<MessageFilter & WaitOptions>({
  from: is("a rank", isRank),
  tag: is(`a whole number from 0 to ${MOST_TAG}`, isTag),
  timeout: milliseconds,
  signal: abortSignal,
});
const MESSENGER: OptionField = CHANNEL;

/** @throws UsageError; HeapError; MismatchError, which ends the world */
export function makeMessenger(seat: Seat, options: MessengerOptions): Messenger {
  checkOptions("messenger", MESSENGER, options);
  const { name = "", partBytes = DEFAULT_PART_BYTES } = options;
  const slots = slotsOf(options);
  const named = name === "" ? "" : `name ${JSON.stringify(name)}, `;
  const terms = `a messenger: ${named}parts of ${partBytes} bytes, slots ${slots}`;
  return newMessenger(seat, new PairMembers(seat, { slots, partBytes: blockBytesOf(partBytes), terms }), name);
}

/** Makes a messenger over pairs. */
export let newMessenger: (seat: Seat, members: PairMembers, name: string) => Messenger;

/** Messages between the members of a group. */
export class Messenger {
  static {
    newMessenger = (seat, members, name) => new Messenger(seat, members, name);
  }

  /** This PE's rank in the group, and the number of its members. */
  readonly rank: number;
  readonly size: number;
  readonly #seat: Seat;
  readonly #members: PairMembers;
  readonly #titled: string;
  readonly #unexpected = new UnexpectedMessages();
  /** A message with its tag before it. */
  #frame: Uint8Array = new Uint8Array(1024);
  #view: DataView = new DataView(this.#frame.buffer);

  private constructor(seat: Seat, members: PairMembers, name: string) {
    this.#titled = name === "" ? "messenger" : `messenger ${JSON.stringify(name)}`;
    this.#seat = seat;
    this.#members = members;
    this.rank = members.rank;
    this.size = members.size;
  }

  /**
   * Sends a message. It waits only while too much is unsent to its receiver (1 MB), and takes in messages for this PE
   * meanwhile.
   * @param to the receiver, by rank in the group; this PE, too @param tag from 0 to 2^31 - 1 @default 0
   * @throws UsageError; RankRangeError; RankLostError if the receiver has left; StateError after {@link free}; what
   * ends waits
   */
  send(to: number, data: ArrayBufferView, tag = 0): void {
    if (!this.#seat.waiter.mayBlock) throw blocks("send");
    const frame = this.#framed("send", to, data, tag);
    if (this.#members.backlog(to) > MOST_UNSENT)
      blockOn(this.#sending("send", to, tag), this.#room("send", to), NO_LIMIT);
    this.#members.post(to, frame);
  }

  /** As {@link send}, without blocking. The bytes are copied before it returns. */
  async sendAsync(to: number, data: ArrayBufferView, tag = 0): Promise<void> {
    const given = this.#framed("sendAsync", to, data, tag);
    if (this.#members.backlog(to) <= MOST_UNSENT) {
      this.#members.post(to, given);
      return;
    }
    const frame = given.slice();
    await awaitOn(this.#sending("sendAsync", to, tag), this.#room("sendAsync", to), { timeout: NO_LIMIT });
    this.#members.post(to, frame);
  }

  *#room(call: string, to: number): Task<void> {
    while (this.#members.backlog(to) > MOST_UNSENT) {
      this.#takeIn();
      this.#checkReceiver(call, to);
      yield this.#members.idle(SLICE_MS);
    }
  }

  #sending(call: string, to: number, tag: number): Waiters {
    const of = `${call} (tag ${tag}) of the ${this.#titled}`;
    return this.#members.waiting({ call: of, since: this.#members.now, awaited: [to] });
  }

  /**
   * The next message that the filter takes, which this waits for.
   *
   *     const { from, bytes } = m.receive({ tag: 7 });
   *
   * @throws UsageError; RankLostError if the sender, or every other member, has left and sent no such message;
   * TimeoutError, after which one may go on; StateError after {@link free}; the error that ended the world
   */
  receive(filter: MessageFilter & Pick<WaitOptions, "timeout"> = {}): Message {
    if (!this.#seat.waiter.mayBlock) throw blocks("receive");
    const until = this.#begin("receive", filter);
    const message = this.#next(filter, -1);
    if (message !== undefined) return message;
    const what = new Receiving("receive", filter, this.#titled, this);
    return blockOn(this.#members.waiting(what), this.#receiving("receive", filter, until, what), NO_LIMIT);
  }

  /** As {@link receive}, without blocking. @throws also AbortedError */
  async receiveAsync(filter: MessageFilter & WaitOptions = {}): Promise<Message> {
    const until = this.#begin("receiveAsync", filter);
    const message = this.#next(filter, -1);
    if (message !== undefined) return message;
    const what = new Receiving("receiveAsync", filter, this.#titled, this);
    const receiving = this.#receiving("receiveAsync", filter, until, what);
    return await awaitOn(this.#members.waiting(what), receiving, {
      timeout: NO_LIMIT,
      signal: filter.signal,
    });
  }

  /** After a look that has found nothing. */
  *#receiving(call: string, filter: MessageFilter & WaitOptions, until: number, what: Receiving): Task<Message> {
    for (;;) {
      // of another call that waits at the same time it may get more
      const seen = this.#unexpected.added;
      yield this.#members.idle(this.#left(call, filter, until, what));
      const isAway = this.#isAway(filter);
      const message = this.#next(filter, seen);
      if (message !== undefined) return message;
      if (isAway) throw this.#away(call, filter);
    }
  }

  /** The next message that the filter takes, if it has come; else undefined. */
  tryReceive(filter: MessageFilter = {}): Message | undefined {
    this.#begin("tryReceive", filter);
    return this.#next(filter, -1);
  }

  /** As {@link tryReceive}, but the message stays for the next such receive; its bytes are valid until then. */
  probe(filter: MessageFilter = {}): Message | undefined {
    this.#begin("probe", filter);
    this.#takeIn();
    return this.#unexpected.find(filter);
  }

  /** This PE sends and receives nothing more; unreceived messages are lost. Called when the PE's main returns. */
  free(): void {
    this.#members.free();
    this.#unexpected.clear();
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }

  #framed(call: string, to: number, data: ArrayBufferView, tag: number): Uint8Array {
    this.#members.checkOpen();
    const bytes = bytesOf(call, data);
    if (!isTag(tag)) {
      throw new UsageError(`${call}: expected a tag from 0 to ${MOST_TAG}, got ${shortText(tag)}`);
    }
    this.#checkRank(call, to);
    this.#checkReceiver(call, to);
    const length = TAG_BYTES + bytes.length;
    if (length > this.#frame.length) {
      this.#frame = new Uint8Array(2 * length);
      this.#view = new DataView(this.#frame.buffer);
    }
    this.#view.setUint32(0, tag, true);
    this.#frame.set(bytes, TAG_BYTES);
    return this.#frame.subarray(0, length);
  }

  #checkRank(call: string, rank: number): void {
    if (isRank(rank) && rank < this.size) return;
    throw new RankRangeError(`${call}: expected a rank from 0 to ${this.size - 1}, got ${shortText(rank)}`);
  }

  #checkReceiver(call: string, to: number): void {
    if (this.#members.hasLeft(to)) throw this.#lost(call, to);
  }

  /** Whether the sender has returned from this run of an open world; asked before a look, which then sees all. */
  #isAway({ from }: MessageFilter): boolean {
    return from !== undefined && this.#seat.isBetweenRuns(from);
  }

  #away(call: string, { from }: MessageFilter): RankLostError {
    const rank = this.#seat.members[from as number] as number;
    return new RankLostError(rank, `${call}: PE ${rank} has returned from this run without sending such a message.`);
  }

  #lost(call: string, member: number): RankLostError {
    const rank = this.#seat.members[member] as number;
    const why = this.#seat.lossOf(member)?.message ?? `PE ${rank} has left, or freed its messenger.`;
    return new RankLostError(rank, `${call}: ${why}`);
  }

  /** @returns when the wait ends */
  #begin(call: string, filter: MessageFilter & WaitOptions): number {
    this.#members.checkOpen();
    if (!isPlain(filter)) checkOptions(call, FILTER, filter);
    if (filter.from !== undefined) this.#checkRank(call, filter.from);
    return this.#members.now + (filter.timeout ?? this.#seat.waiter.timeout);
  }

  /** @param seen how many messages had come unexpected when these were looked at last; -1 if they were not */
  #next(filter: MessageFilter, seen: number): Message | undefined {
    const unexpected = this.#unexpected;
    if (unexpected.added !== seen) {
      const kept = unexpected.take(filter);
      if (kept !== undefined) return kept;
    }
    for (;;) {
      const message = this.#come();
      if (message === undefined || isFor(message, filter)) return message;
      unexpected.add(message);
    }
  }

  /** The next message from any member. */
  #come(): Message | undefined {
    const come = this.#members.tryReceive();
    if (come === undefined) return undefined;
    const { from, bytes } = come;
    const [a, b, c, d] = bytes as unknown as readonly [number, number, number, number];
    return { from, tag: a | (b << 8) | (c << 16) | (d << 24), bytes: bytes.subarray(TAG_BYTES) };
  }

  #takeIn(): void {
    for (let message = this.#come(); message !== undefined; message = this.#come()) {
      this.#unexpected.add(message);
    }
  }

  /** How long a receive waits before it looks again, ms. */
  #left(call: string, { from }: MessageFilter, until: number, what: Receiving): number {
    const members = this.#members;
    if (from !== undefined && from !== this.rank && members.isLost(from)) throw this.#lost(call, from);
    if (from === undefined) {
      let others = 0;
      for (let member = 0; member < this.size; member++) if (member !== this.rank && !members.isLost(member)) others++;
      if (others === 0 && this.size > 1) throw this.#lost(call, this.rank === 0 ? 1 : 0);
    }
    const { now } = members;
    if (what.since === 0) what.since = now;
    const left = until - now;
    if (left > 0) return Math.min(left, SLICE_MS);
    throw new TimeoutError(
      `${call}: no such message came in time${from === undefined ? "" : ` from PE ${this.#seat.members[from]}`}. ` +
        waitedText(members, what),
    );
  }
}

/** A receive that waits. What takes time is found out when somebody asks. */
class Receiving implements MemberWait {
  /** 0 before the first wait. */
  since = 0;
  readonly needsOne = true;
  readonly #name: string;
  readonly #filter: MessageFilter;
  readonly #titled: string;
  readonly #member: Pick<Messenger, "rank" | "size">;

  constructor(name: string, filter: MessageFilter, titled: string, member: Pick<Messenger, "rank" | "size">) {
    this.#name = name;
    this.#filter = filter;
    this.#titled = titled;
    this.#member = member;
  }

  get call(): string {
    const { tag } = this.#filter;
    return `${this.#name}${tag === undefined ? "" : ` (tag ${tag})`} of the ${this.#titled}`;
  }

  get awaited(): readonly number[] {
    const { from } = this.#filter;
    const { rank, size } = this.#member;
    if (from !== undefined) return [from];
    return Array.from({ length: size }, (_, member) => member).filter((one) => one !== rank);
  }
}

/** Whether a filter has only a valid sender and tag: the usual ones, without a check longer than a message. */
function isPlain(filter: MessageFilter & WaitOptions): boolean {
  for (const key in filter) {
    if (!Object.hasOwn(filter, key)) continue;
    const value = filter[key as keyof MessageFilter];
    if (!((key === "from" && isRank(value)) || (key === "tag" && isTag(value)))) return false;
  }
  return typeof filter === "object" && filter !== null;
}

const isFor = (message: Message, { from, tag }: MessageFilter): boolean =>
  (from === undefined || message.from === from) && (tag === undefined || message.tag === tag);
