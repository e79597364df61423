/**
 * A team: some PEs of a node that call collectives together, as seen by one of them. The world is a team, and so is
 * each group.
 *
 * Its memory is a block of the heap (team-block.ts).
 */

import type { CollectivePlan } from "../../../trees/model/tree.ts";
import { threwText } from "../../ground/base/call-site/threw.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { AbortedError, RankLostError, sentenceOf, TimeoutError, type TundishError } from "../../ground/base/errors.ts";
import { monotonic } from "../../ground/base/event-loop/timers.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import { ABORTED, LOST, MISMATCHED, RUNNING, TIMED_OUT } from "../../ground/wait/layout.ts";
import type { Termination } from "../../ground/wait/termination.ts";
import type { ParkingWaiter, TeamWaiter } from "../../ground/wait/waiter.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import type { WaitingCall, Watcher } from "../../ground/wait/watcher.ts";
import { pesText } from "../../ground/wait/who.ts";
import type { MismatchProbe } from "../../links/transport/messages/mismatch-probe.ts";
import type { Board } from "./boards.ts";
import { CallComparison } from "./call-comparison.ts";
import { CallLog, mixed } from "./call-log.ts";
import { type CallRecord, describeCall, LEAVE } from "./call-words.ts";
import type { DividedCopy } from "./divided-copy.ts";
import type { EagerBoard } from "./eager-board.ts";
import { Exit, exitBytes } from "./exit.ts";
import type { Medium, StagingMemory, TeamBoards, TeamLinks } from "./medium.ts";
import type { Payload } from "./payload.ts";
import { teamBlockBytes } from "./team-block.ts";

/** The parts that a PE shares among all its teams, as far as teams need them. */
export interface TeamHolder {
  /** This PE's rank on the node. */
  readonly rank: number;
  readonly heap: Heap;
  readonly wakers: Pick<Wakers, "notifyAll">;
  /** Of the group. */
  readonly termination: Pick<Termination, "word" | "decided" | "decide" | "error">;
  /** Of the world. @default the same */
  readonly world?: Pick<Termination, "decided" | "error">;
  readonly waiter: TeamWaiter;
  /** That of this PE, made by the first call. */
  payload(): Payload;
  readonly medium: Medium;
  readonly checks: boolean;
  /** The kind of channels that its links are, in words. */
  readonly channel: string;
}

/** The same of a thread: one of each. */
export interface Seatholder extends TeamHolder {
  readonly wakers: Wakers;
  readonly termination: Termination;
  readonly waiter: ParkingWaiter;
  readonly channel: ChannelKind;
}

/** The group of these PEs, for messages. */
export const inGroup = (members: readonly number[]): string => ` in the group of ${pesText(members)}`;

/** The PEs of a team, and its place in the heap. */
export interface TeamSetup {
  /** The PEs' ranks on the node, by rank in the team. */
  readonly members: readonly number[];
  readonly plan: CollectivePlan;
  /** Byte offset of the team's block: zeroed, {@link teamBytes} long. */
  readonly offset: number;
  /** The name of the team for messages, see {@link inGroup}. @default "", that of the world */
  readonly where?: string;
  /** A 32-bit hash of further terms that the PEs of other nodes must agree about. @default 0 */
  readonly seed?: number;
  /** All PEs of the group, on all nodes. @default those of this node */
  readonly group?: readonly number[];
}

/** One PE's view of a team. */
export class Team implements Watcher {
  /** This PE's rank in the team. */
  readonly rank: number;
  readonly size: number;
  readonly plan: CollectivePlan;
  readonly heap: Heap;
  readonly waiter: TeamWaiter;
  readonly links: TeamLinks;
  /** For calls on arrays and values, by {@link open}: how elements move, and where PEs show each other memory. */
  payload!: Payload;
  board!: Board;
  eager!: EagerBoard;
  division!: DividedCopy | null;
  readonly staging: StagingMemory;
  readonly where: string;
  readonly isCollective = true;
  /** The kind of channels that its links are. */
  readonly channel: string;
  /** All PEs of the group, on all nodes, by rank in the world. */
  readonly members: readonly number[];
  /** Those of this node, by rank in the team. */
  readonly here: readonly number[];
  readonly #wakers: TeamHolder["wakers"];
  readonly #termination: TeamHolder["termination"];
  readonly #world: Pick<Termination, "decided" | "error">;
  readonly #i32: Int32Array;
  readonly #terminationWord: number;
  readonly #exit: Exit;
  readonly #callLog: CallLog;
  readonly #comparison: CallComparison;
  readonly #checks: boolean;
  readonly #makeBoards: () => TeamBoards;
  readonly #makePayload: () => Payload;
  /** Byte offset of its block in the heap of the node: no other team has it. */
  readonly offset: number;
  #sequence = 0;
  #tag = 0;
  #hasLeft = false;
  /** The call that was described last: the same ones come again and again. */
  #described: (CallRecord & { readonly text: string }) | null = null;
  /** Called when a PE of this team waits, if the group has PEs on other nodes. @throws MismatchError */
  onWait: ((sequence: number) => void) | null = null;

  constructor(holder: TeamHolder, { members, plan, offset, where = "", seed = 0, group = members }: TeamSetup) {
    const { heap, wakers, termination, waiter, medium } = holder;
    this.rank = members.indexOf(holder.rank);
    this.size = members.length;
    this.offset = offset;
    this.plan = plan;
    this.heap = heap;
    this.waiter = waiter;
    this.where = where;
    this.channel = holder.channel;
    this.members = group;
    this.here = members;
    this.#wakers = wakers;
    this.#termination = termination;
    this.#world = holder.world ?? termination;
    this.#i32 = heap.i32;
    this.#terminationWord = termination.word;
    this.#checks = holder.checks;
    if (holder.checks) this.#tag = seed;
    this.#exit = new Exit(heap, offset, this.rank, this.size);
    const callLogOffset = offset + exitBytes(this.size);
    this.#callLog = new CallLog(heap.i32, callLogOffset, this.rank);
    this.#comparison = new CallComparison(this.#callLog, members, this.rank, where);
    const place = { plan, members, rank: this.rank };
    const at = offset + teamBlockBytes(this.size);
    const { staging, links } = medium.parts(place, at);
    this.staging = staging;
    this.links = links;
    this.#makeBoards = () => medium.boards(place, at);
    this.#makePayload = holder.payload;
  }

  /** Makes the parts for calls on arrays and values, once. */
  open(): void {
    if (this.board !== undefined) return;
    const { board, eager, division } = this.#makeBoards();
    this.payload = this.#makePayload();
    this.board = board;
    this.eager = eager;
    this.division = division;
  }

  /** Begins a call; its tag. {@link note} it before waiting for a PE. @throws the error that ended the world */
  enter(word: number, count: number, root: number): number {
    // a plain load: it may see the end one call late, but an atomic load would be a third of the cost of entering
    if (this.#i32[this.#terminationWord] !== RUNNING) this.checkRunning();
    if (this.#checks === true) this.#advance(word, count, root);
    return this.#tag;
  }

  /** The tag is a hash of all calls so far: an unnoticed difference shows in the next message, whatever the call. */
  #advance(word: number, count: number, root: number): void {
    this.#tag = (Math.imul(this.#tag, 0x1eb2ae) + 1) ^ mixed(word, count, root);
  }

  /** The calls of this PE so far: equal at PEs that have made the same calls. The number of calls stands first. */
  get made(): string {
    return `${this.#sequence} ${this.#tag}`;
  }

  /** @throws the error that ended the world, or the group, if it has lost a PE */
  checkRunning(): void {
    if (this.#termination.decided) throw this.#termination.error();
  }

  /** @throws the error that ended the world */
  checkWorld(): void {
    if (this.#world.decided) throw this.#world.error();
  }

  /** Records a call that was entered, for other PEs to read. */
  note(word: number, count: number, root: number): void {
    if (this.waiter.watcher !== this) this.waiter.watcher = this;
    this.#sequence = (this.#sequence + 1) | 0;
    if (this.#checks === true) this.#callLog.note(this.#sequence, word, count, root, this.#tag);
  }

  /** This PE makes no more calls in this team; when all PEs have left, its memory is freed. */
  leave(): void {
    // if the world has ended, so has this team, and a PE that leaves needs no error
    if (this.#i32[this.#terminationWord] !== RUNNING && this.#termination.decided) return;
    // recorded like any other call: a PE that still waits for this one finds a mismatch
    if (this.#checks) this.#advance(LEAVE, 0, -1);
    this.note(LEAVE, 0, -1);
    this.#hasLeft = true;
    this.waiter.watcher = null;
    this.#exit.leave(this.staging.leave());
  }

  /** Called for a message of another call from PE `peer`: ends the world and reports who called what. */
  mismatch(peer: number): TundishError {
    this.#awaitRecords();
    return this.#end(this.#compare() ?? this.#outOfStep(peer));
  }

  /** Called for a message of another call from another node: ends the world and reports who called what. */
  remoteMismatch(rank: number, call: CallRecord, sequence: number = this.#sequence): TundishError {
    // a PE that has left has no call log any more
    const mine = this.#hasLeft ? { word: LEAVE, count: 0, root: -1 } : this.#callLog.look(this.rank, sequence);
    return this.#end(this.#comparison.remote(mine, rank, call, sequence));
  }

  /** Called when PEs of other nodes made another call, and none has said which. */
  unknownMismatch(): TundishError {
    return this.#end(this.#comparison.unknown(this.#sequence));
  }

  /** Whether the world has not ended. */
  get isRunning(): boolean {
    return !this.#termination.decided;
  }

  /**
   * Checks a probe: the call in which a PE on another node waits. Returns whether this PE has made as many calls.
   * @throws MismatchError if this PE made another call
   */
  checkProbe({ from, sequence, tag, ...call }: MismatchProbe): boolean {
    const ahead = (sequence - this.#sequence) | 0;
    if (this.#hasLeft) {
      if (ahead >= 0) throw this.remoteMismatch(from, call, this.#sequence);
      return true;
    }
    if (ahead > 0) return false;
    const own = this.#callLog.tagOf(this.rank, sequence);
    if (own !== undefined && own !== tag) throw this.remoteMismatch(from, call, sequence);
    return true;
  }

  /**
   * Called after PE `peer` has reached `phase` of a board: checks that it did so in this call. If it has finished the
   * call already, its entry may be overwritten; then the call log decides.
   * @throws MismatchError if it is in another call
   */
  check(peer: number, phase: number, tag: number, board: Pick<Board, "isOf"> = this.board): void {
    if (board.isOf(peer, phase, tag) || !this.#checks) return;
    const behind = this.#callLog.isBehind(peer, this.#sequence);
    const error = this.#difference() ?? (behind ? this.#outOfStep(peer) : undefined);
    if (error === undefined) return;
    this.#awaitRecords();
    throw this.#end(this.#compare() ?? error);
  }

  /** As {@link check}, after PE `peer` has begun the phase of the headers. */
  checkHeader(peer: number, tag: number): void {
    const { headers } = this.eager;
    this.check(peer, headers.phase, tag, headers);
  }

  /** Throws if the call log shows that another PE makes another call than this one. */
  verify(): void {
    if (!this.#checks) return;
    const error = this.#difference();
    if (error !== undefined) {
      this.#awaitRecords();
      throw this.#end(this.#compare() ?? error);
    }
    this.onWait?.(this.#sequence);
  }

  get calling(): WaitingCall | undefined {
    const sequence = this.#sequence;
    const call = this.#checks ? this.#callLog.look(this.rank, sequence) : undefined;
    return call && { ...call, sequence };
  }

  get call(): string {
    const { calling } = this;
    if (calling === undefined) return "a collective";
    const { word, count, root } = calling;
    const known = this.#described;
    if (known?.word === word && known.count === count && known.root === root) return known.text;
    const text = describeCall(calling);
    this.#described = { word, count, root, text };
    return text;
  }

  get awaited(): readonly number[] | undefined {
    const missing = this.#checks ? this.#comparison.missing(this.#sequence) : [];
    return missing.length === 0 ? undefined : missing;
  }

  /** The PEs that are furthest behind, and the first call that they lack: where to look when a wait is long. */
  absent(): string {
    return this.#checks ? this.#comparison.absent(this.#sequence) : "";
  }

  /** Ends the world: a call that has begun and cannot be completed at this PE cannot be completed at any. */
  fail(cause: unknown): void {
    const own = this.here[this.rank];
    const ending = cause instanceof TimeoutError ? TIMED_OUT : cause instanceof AbortedError ? ABORTED : LOST;
    // a timeout, an abort and a lost PE are reported as they are, whichever PE noticed them first
    const asIs = ending !== LOST || cause instanceof RankLostError;
    const rank = cause instanceof RankLostError ? cause.rank : own;
    const message = asIs ? sentenceOf(cause as Error) : threwText(own, cause);
    const why = asIs ? (cause as Error).cause : cause;
    if (this.#termination.decide(ending, { rank, message, cause: why })) this.#wakers.notifyAll();
  }

  /** Ends the world for all, with the error of the first PE that ended it. */
  #end(message: string): TundishError {
    this.#termination.decide(MISMATCHED, { rank: -1, message });
    this.#wakers.notifyAll();
    return this.#termination.error();
  }

  /** Gives PEs that are about to make this call time to record it, so that the report includes all. */
  #awaitRecords(): void {
    const until = monotonic() + RECORDS_TIMEOUT_MS;
    const never = new Int32Array(new SharedArrayBuffer(4));
    for (let rank = 0; rank < this.size; rank++) {
      while (this.#callLog.isBehind(rank, this.#sequence) && monotonic() < until) {
        Atomics.wait(never, 0, 0, 1);
      }
    }
  }

  /** As {@link #compare}; returns at once if all is well. */
  #difference(): string | undefined {
    return this.#callLog.inStep(this.rank, this.#sequence, this.size) ? undefined : this.#compare();
  }

  #compare(): string | undefined {
    return this.#comparison.difference(this.#sequence);
  }

  #outOfStep(peer: number): string {
    return this.#comparison.outOfStep(peer, this.#sequence);
  }
}

/** Longest wait of an error message for records of other PEs, ms. */
const RECORDS_TIMEOUT_MS = 200;
