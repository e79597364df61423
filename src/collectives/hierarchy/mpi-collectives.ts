/**
 * Steps between nodes by the MPI library: barrier, broadcast and sum among the leaders of a group's subgroups, each the
 * library's own nonblocking collective on a communicator of the group.
 *
 *     memory   ┌─────────┬─────────┬─────────┬─────────┐
 *              │ value   │ TAG f64 │ sum     │ sum     │
 *              └─────────┴─────────┴─────────┴─────────┘
 *
 * The communicator is made in the first call that needs it, when the leaders have heard from each other; all PEs of a
 * subgroup learn its handle, as a root leads its subgroup. Only one of them uses it at a time: no PE begins a call
 * before the leader of the last one has ended its step.
 *
 * The library compares nothing, so the tag of the call goes along: after a broadcast it is the own tag, after a sum n
 * times the own tag; if tags differ, that is wrong at two PEs or more. Then, and if the library reports an error, this
 * PE tells its neighbours of its call (mismatch-probe.ts), and one of them ends the world for all. A barrier carries no
 * tag: calls that differ from it are noticed there, or by PEs that wait.
 *
 * A collective of the library cannot be cancelled. If a wait for it ends by an error, so does the world: the memory and
 * the communicator then stay allocated as long as the process lives.
 *
 * Limits: values of {@link MPI_BYTES} bytes; sums of doubles only, as minima and maxima of the library depend on the
 * order where there is a NaN or a zero with a sign.
 */

import { MpiError } from "../../ground/base/errors.ts";
import { monotonic } from "../../ground/base/event-loop/timers.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Post } from "../../links/transport/messages/post.ts";
import { Communicator } from "../../machine/mpi/communicator.ts";
import type { Handle } from "../../machine/mpi/library.ts";
import { Addresses } from "../../machine/mpi/memory.ts";
import { MPI_BYTES } from "../calls/decide.ts";
import type { Team } from "../team/team.ts";
import type { Messages } from "./messages.ts";
import { RemoteCondition } from "./remote.ts";
import { MPI_BARRIER, MPI_BROADCAST, type MpiStep } from "./schedule.ts";
import type { Subgroups } from "./subgroups.ts";

/** Longest time until another PE reports the mismatch that this one has noticed, ms. */
const REPORT_MS = 5000;

/** Access of a PE to the leaders. */
export interface MpiPlace {
  readonly mailbox: Post;
  readonly team: Team;
  readonly subgroups: Subgroups;
  readonly messages: Messages;
  /** Of the group, as the world numbers them. */
  readonly members: readonly number[];
  /** The node of each subgroup. */
  readonly nodes: readonly number[];
  readonly stream: number;
}

/** The end of the library's collective. */
class MpiWait extends RemoteCondition {
  readonly peer: number;
  readonly peers: readonly number[];
  readonly #look: () => boolean;

  constructor(mailbox: Post, peers: readonly number[], look: () => boolean) {
    super(mailbox);
    this.peers = peers;
    this.peer = peers.length === 1 ? (peers[0] as number) : -1;
    this.#look = look;
  }

  ready(): boolean {
    return this.#look();
  }
}

/** One PE's, of one group. Nothing waits: a step that is not over returns what it waits for, and is taken again. */
export class MpiCollectives {
  readonly #place: MpiPlace;
  readonly #heap: Heap;
  readonly #messages: Messages;
  readonly #wait: Condition;
  /** The leaders of the next subgroup and of the one before: if calls differ, they do so between two neighbours. */
  readonly #neighbours: readonly number[];
  readonly #places = new Addresses();
  #communicator: Communicator | null = null;
  /** Whether this PE has made it, and gives it up. */
  #isOwn = false;
  /** Byte offset of the memory; 0 before there is any. */
  #at = 0;
  /** The address of byte 0 of the heap. */
  #heapAt = 0;
  #isUnderWay = false;
  #isOver = false;
  /** The time at which this PE has noticed that something is wrong; 0 for never. */
  #wrongSince = 0;
  #error: MpiError | null = null;
  /** The number that the last {@link number} has given. */
  result = 0;

  constructor(place: MpiPlace) {
    const { mailbox, team, messages, members, subgroups } = place;
    this.#place = place;
    this.#heap = team.heap;
    this.#messages = messages;
    const { all, own } = subgroups;
    const others = all.flatMap(({ leader }, subgroup) => (subgroup === own ? [] : [members[leader]]));
    this.#wait = new MpiWait(mailbox, others, () => this.#look());
    const near = [1, -1].map((way) => subgroups.leader((own + way + all.length) % all.length));
    this.#neighbours = [...new Set(near)].map((leader) => members[leader] as number);
  }

  /** Whether this PE knows the communicator. */
  get isMade(): boolean {
    return this.#communicator !== null;
  }

  /** Makes the communicator, at the leaders; all of them have come. @returns its handle @throws MpiError */
  make(): Handle {
    const { mailbox, nodes, stream } = this.#place;
    this.#isOwn = true;
    return Communicator.create(mailbox.mpi, nodes, stream & 0x7fff);
  }

  /** The handle of the communicator, at all. */
  know(handle: Handle): void {
    this.#communicator = new Communicator(this.#place.mailbox.mpi, handle);
    this.#heapAt = this.#places.of(this.#heap.u8);
    this.#at = this.#heap.allocate(2 * (MPI_BYTES + 8));
  }

  /** Takes a step with a number; then {@link result} is the value. @param root a subgroup */
  number(kind: MpiStep, x: number, root: number): Condition | null {
    const { f64 } = this.#heap;
    const value = this.#at / 8;
    if (!this.#isUnderWay) f64[value] = x;
    const wait = this.#take(kind, 1, root);
    if (wait !== null) return wait;
    if (kind === MPI_BARRIER) this.result = x;
    else this.result = f64[kind === MPI_BROADCAST ? value : value + 2] as number;
    return null;
  }

  /** Takes a step with `bytes` bytes at byte `address` of the heap, {@link MPI_BYTES} at most. */
  elements(kind: MpiStep, address: number, bytes: number, root: number): Condition | null {
    const { kernels } = this.#heap;
    const words = Math.ceil(bytes / 8);
    if (!this.#isUnderWay) kernels.copy(this.#at, address, bytes);
    const wait = this.#take(kind, words, root);
    if (wait !== null) return wait;
    kernels.copy(address, this.#at + (kind === MPI_BROADCAST ? 0 : 8 * (words + 1)), bytes);
    return null;
  }

  #take(kind: MpiStep, words: number, root: number): Condition | null {
    const { f64 } = this.#heap;
    const tag = this.#at / 8 + words;
    const { tag: own } = this.#messages;
    if (!this.#isUnderWay) {
      f64[tag] = own;
      this.#begin(kind, words + 1, root);
    }
    if (this.#wrongSince !== 0) return this.#untilReported();
    if (!this.#isOver && !this.#look()) return this.#wait;
    if (this.#error !== null) return this.#isWrong();
    const { length } = this.#place.subgroups.all;
    if (kind === MPI_BROADCAST && f64[tag] !== own) return this.#isWrong();
    if (kind !== MPI_BROADCAST && kind !== MPI_BARRIER && f64[tag + words + 1] !== length * own) {
      return this.#isWrong();
    }
    this.#isUnderWay = false;
    return null;
  }

  #begin(kind: MpiStep, words: number, root: number): void {
    const communicator = this.#communicator as Communicator;
    const from = this.#heapAt + this.#at;
    this.#messages.expectAll(this.#neighbours);
    this.#isUnderWay = true;
    this.#isOver = false;
    if (kind === MPI_BARRIER) communicator.barrier();
    else if (kind === MPI_BROADCAST) communicator.broadcast(from, 8 * words, root);
    else communicator.sum(from, from + 8 * words, words);
  }

  #look(): boolean {
    if (this.#isOver) return true;
    try {
      this.#isOver = (this.#communicator as Communicator).test();
    } catch (error) {
      if (!(error instanceof MpiError)) throw error;
      this.#error = error;
      this.#isOver = true;
    }
    return this.#isOver;
  }

  #isWrong(): Condition {
    this.#wrongSince = monotonic();
    this.#messages.tellNow();
    return this.#untilReported();
  }

  /** Waits until another PE ends the world by its report. @throws MismatchError, MpiError when none does */
  #untilReported(): Condition {
    const { mailbox, team } = this.#place;
    const isLate = () => monotonic() - this.#wrongSince > REPORT_MS;
    if (isLate()) throw this.#error ?? team.unknownMismatch();
    return new MpiWait(mailbox, [], isLate);
  }

  /** This PE takes no more steps. @param isRunning whether the world still is */
  leave(isRunning: boolean): void {
    const communicator = this.#communicator;
    this.#communicator = null;
    // after a failure others may not have ended their part
    if (communicator === null || this.#isUnderWay || !isRunning) return;
    this.#heap.free(this.#at);
    if (this.#isOwn) communicator.free();
  }
}
