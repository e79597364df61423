/**
 * The PEs of a resilient group that are left, as one of them sees them: it makes calls among them, again and again
 * until one counts.
 *
 * What: a call is attempted on the group of its epoch; then all members decide (decisions.ts; over nodes, they pass
 * two barriers, or agree: agreement.ts). When the decision is that one is lost, the others make the next epoch's group,
 * with its trees repaired, and attempt the call again. A barrier comes first in every new group: behind it nobody is in
 * an attempt of an earlier one, in which PEs may write into each other's arrays; only then an array gets its content
 * back.
 *
 * Example, an allreduce of 1, 2, 4 in which PE 1 is killed: PE 0 may have 7 already and waits for the decision, PE 2
 * finds the loss. Both make the group of 0 and 2, pass its barrier, and get 5.
 */
import type { Trees } from "../../../trees/model/tree.ts";
import { QueuedCall } from "../../collectives/calls/async-queue.ts";
import { type CallOptions, checkCallOptions } from "../../collectives/calls/call.ts";
import type { Collectives } from "../../collectives/collectives.ts";
import { RESILIENT } from "../../collectives/team/call-words.ts";
import { RankLostError, UsageError } from "../../ground/base/errors.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import { awaitOn, blockOn, type Task, type Waiters } from "../../ground/wait/task.ts";
import { type Watcher, watcherOf } from "../../ground/wait/watcher.ts";
import { pesText } from "../../ground/wait/who.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { Agreement, POLL_MS, SETTLED, streamIn } from "./agreement.ts";
import { blockOf } from "./block.ts";
import type { ResilientCall } from "./call.ts";
import { DONE, StepDecisions } from "./decisions.ts";
import { AWAITED, blockBytes, LEFT } from "./layout.ts";
import { watcherBy } from "./watcher-by.ts";

/** Looks for what a PE that is lost has begun to send, of {@link POLL_MS} at most. */
const LAST_LOOKS = 1000;

/** The members of an epoch, and their group. */
interface Epoch {
  /** By rank in the resilient group. */
  readonly members: readonly number[];
  /** The repaired trees; null where the group has those that any group has. */
  readonly trees: Trees | null;
  /** Whether its group is made. */
  isMade: boolean;
}

/** Those of one PE. */
export class Survivors {
  readonly #seat: Seat;
  readonly #offset: number;
  readonly #decisions: StepDecisions;
  /** With the PEs of other nodes; null where there are none. */
  readonly #agreement: Agreement | null;
  readonly #waiting: Waiters;
  #epoch: Epoch;
  /** The group that was made last: that of the epoch, if it is made; null for the program's. */
  #group: Group | null = null;
  #collectives: Collectives;
  /** What the waits of the running call say of themselves. */
  #watcher: Watcher;
  /** The last call: they run one after another, in the order in which they were made. */
  #last: QueuedCall = QueuedCall.none();
  #hasLeft = false;

  /** @param seat in a group, which is that of the first epoch @throws HeapError; MismatchError */
  constructor(seat: Seat) {
    const { heap, rank, size, collectives } = seat;
    this.#seat = seat;
    this.#offset = blockOf(seat, blockBytes(size), "a resilient group");
    // read plainly by the same thread, and by others that look for sleepers after a store of their own
    Atomics.store(heap.i32, this.#offset / 4 + AWAITED, 1);
    this.#decisions = new StepDecisions(heap.i32, this.#offset, rank, size);
    const { hierarchy } = collectives;
    this.#agreement =
      hierarchy === null ? null : new Agreement(seat, hierarchy.mailbox, streamIn(hierarchy), this.#decisions);
    this.#epoch = { members: [...Array(size).keys()], trees: null, isMade: true };
    this.#collectives = collectives;
    this.#watcher = collectives.team;
    const { waiter, waits } = seat;
    this.#waiting = { waiter, waits, watcher: watcherBy(() => this.#watcher), holdsBoth: true };
  }

  /** By rank in the resilient group. */
  get members(): readonly number[] {
    return this.#epoch.members;
  }

  /** The group of the last epoch that has one. */
  get collectives(): Collectives {
    return this.#collectives;
  }

  /** Makes a call in the thread. */
  block<T>(call: ResilientCall, options: CallOptions | undefined): T {
    checkCallOptions(options, call.name);
    this.#collectives.checkBlocking(call.name);
    if (!this.#last.over) {
      throw new UsageError(
        `${call.name}: a call of this resilient group is still under way at this PE. Await an Async one first; an op can make none.`,
      );
    }
    return blockOn(this.#waiting, this.#task(call), options?.timeout) as T;
  }

  /** Makes it without blocking. */
  async await<T>(make: () => ResilientCall, options: CallOptions | undefined): Promise<T> {
    const call = make();
    checkCallOptions(options, call.name);
    return (await awaitOn(this.#waiting, this.#task(call), options)) as T;
  }

  /** This PE makes no more calls. */
  leave(): void {
    if (this.#hasLeft) return;
    if (!this.#last.over) throw new UsageError("leave: a call of this resilient group is still under way at this PE.");
    this.#hasLeft = true;
    this.#group?.leave();
    this.#decisions.close();
    const { heap, here, release, nodeOf, rank } = this.#seat;
    // pairs with the same addition at the other PEs: the last one knows that none uses the block any more
    const left = Atomics.add(heap.i32, this.#offset / 4 + LEFT, 1) + 1;
    if (left === here.length) release(nodeOf[rank] as number, this.#offset);
  }

  *#task(call: ResilientCall): Task<unknown> {
    if (this.#hasLeft) throw new UsageError(`${call.name}: this PE has left the resilient group. Make another one.`);
    const before = this.#last;
    const turn = new QueuedCall();
    this.#last = turn;
    try {
      if (!before.over) yield* this.#inWait(queued(before, call.name));
      return yield* this.#untilDone(call);
    } finally {
      turn.end();
    }
  }

  *#untilDone(call: ResilientCall): Task<unknown> {
    const { root = -1, changed } = call;
    let kept: Uint8Array | null = null;
    for (;;) {
      if (root >= 0 && !this.members.includes(root)) throw this.#lossOf(root);
      const { isMade, members } = this.#epoch;
      if (isMade || (yield* this.#making(call.name))) {
        if (kept !== null && changed !== undefined) bytesOf(changed).set(kept);
        // its arguments are checked before anything else is done
        const attempt = call.attempt(this.#collectives.backend, members);
        if (changed !== undefined) kept ??= bytesOf(changed).slice();
        const value = yield* this.#attempting(() => this.#collectives.task(attempt, RESILIENT));
        if (this.#agreement !== null) yield* this.#agreeing(this.#agreement, call.name, value !== null);
        else if (value !== null) yield* this.#deciding(call.name);
        const lost = this.#decisions.next();
        if (lost < 0) return call.result === undefined ? value?.of : call.result(value?.of, members);
        this.#without(lost);
      } else {
        if (this.#agreement !== null) yield* this.#agreeing(this.#agreement, call.name, false);
        this.#without(this.#decisions.next());
      }
    }
  }

  /** Runs what the members of the epoch do together. @returns null if one of them was lost; all then learn of it */
  *#attempting<T>(task: () => Task<T>): Task<{ readonly of: T } | null> {
    this.#watcher = this.#collectives.team;
    try {
      return { of: yield* task() };
    } catch (error) {
      this.#lose(error);
      return null;
    }
  }

  /** Waits for the decision about a call that this PE has come to the end of. */
  *#deciding(name: string): Task<void> {
    const { members } = this.#epoch;
    const { rank } = this.#seat;
    const decisions = this.#decisions;
    if (decisions.come(members)) this.#wakeOthers();
    if (decisions.isDecided) return;
    const missing = () => this.#inWorld(members.filter((one) => !decisions.hasCome(one)));
    this.#watcher = {
      ...watcherOf(`the end of ${name}`),
      isCollective: true,
      members: this.#inWorld(members),
      get awaited() {
        return missing();
      },
      absent: () => `Not yet there: ${pesText(missing())}.`,
    };
    try {
      yield* this.#inWait({
        peer: -1,
        peers: this.#inWorld(members.filter((one) => one !== rank)),
        whom: "the other PEs of the resilient group",
        ready: () => decisions.isDecided,
        spin(looks) {
          for (; looks > 0; looks--) if (decisions.isDecided) return true;
          return false;
        },
      });
    } catch (error) {
      this.#lose(error);
    }
  }

  /** The end of a call over nodes. @param isComplete whether this PE has come to its end */
  *#agreeing(agreement: Agreement, name: string, isComplete: boolean): Task<void> {
    // who has passed the first one knows that all have come; a call that is one needs no other
    const hasPassed = isComplete && (name === "barrier" || (yield* this.#passing()));
    if (hasPassed && (yield* this.#passing())) {
      this.#decisions.settle(DONE);
      if (agreement.isTroubled) this.#wakeOthers();
      return;
    }
    const { rank, lossOf } = this.#seat;
    yield* this.#receiving(name);
    agreement.begin(this.members, this.#firstLost(), hasPassed);
    for (let next = agreement.advance(); next !== SETTLED; next = agreement.advance()) {
      if (lossOf(rank) !== null) throw this.#lossOf(rank);
      if (agreement.gone >= 0) this.#count(agreement.gone, name);
      else yield* this.#until(agreement, next, name);
    }
    this.#wakeOthers();
  }

  *#passing(): Task<boolean> {
    const barrier = this.#collectives.backend.barrier();
    return (yield* this.#attempting(() => this.#collectives.task(barrier, RESILIENT))) !== null;
  }

  /** What MPI still writes to arrays and to the heap for a call that has ended early. */
  *#receiving(name: string): Task<void> {
    const messages = this.#collectives.hierarchy?.messages;
    let looks = 0;
    // of a PE that was terminated it may never come
    const ready = () => messages?.isReceiving !== true || ++looks > LAST_LOOKS;
    if (!ready()) yield* this.#inWait({ peer: -1, pollMs: POLL_MS, watcher: watcherOf(name), ready, spin: ready });
  }

  /** Waits until another PE than this one is needed for the agreement. */
  *#until(agreement: Agreement, next: number, name: string): Task<void> {
    const { hasReturned, members } = this.#seat;
    const awaited = this.#inWorld([next]);
    const ready = () => agreement.advance() !== next || agreement.gone >= 0;
    this.#watcher = {
      ...watcherOf(`the agreement about ${name}`),
      isCollective: true,
      awaited,
      absent: () => `Not heard of: ${pesText(awaited)}.`,
    };
    try {
      // who has returned says nothing more, and that takes some looks
      const peer = hasReturned(next) ? -1 : (members[next] as number);
      yield* this.#inWait({ peer, pollMs: POLL_MS, whom: "the other PEs of the resilient group", ready, spin: ready });
    } catch (error) {
      this.#lose(error);
    }
  }

  /** A PE has returned without a call. */
  #count(gone: number, name: string): void {
    const rank = this.#seat.members[gone] as number;
    const message = `PE ${rank} has returned from its main without the ${name} of a resilient group that others wait in.`;
    this.#collectives.team.fail(new RankLostError(rank, message));
  }

  /** A wait: if it ends early, then as that of a collective does. */
  *#inWait(condition: Condition): Task<void> {
    try {
      yield condition;
    } catch (error) {
      this.#collectives.team.fail(error);
      throw error;
    }
  }

  /** What has ended an attempt: the loss of a member, which all then learn of. @throws anything else */
  #lose(error: unknown): void {
    const lost = this.#firstLost();
    // a PE that is lost itself, as its op threw, has no part in what the others do
    if (!(error instanceof RankLostError) || lost < 0 || this.#seat.lossOf(this.#seat.rank) !== null) throw error;
    this.#found(lost);
  }

  /** This PE has found a member lost. */
  #found(lost: number): void {
    // over nodes, all of them agree about it
    if (this.#agreement !== null) return;
    this.#decisions.lose(lost);
    this.#wakeOthers();
  }

  #inWorld(ranks: readonly number[]): number[] {
    return ranks.map((rank) => this.#seat.members[rank] as number);
  }

  #firstLost(): number {
    return this.members.find((rank) => this.#seat.lossOf(rank) !== null) ?? -1;
  }

  #wakeOthers(): void {
    const { rank, posted } = this.#seat;
    for (const one of this.members) if (one !== rank) posted(one, this.#offset / 4 + AWAITED);
  }

  #lossOf(rank: number): RankLostError {
    return this.#seat.lossOf(rank) as RankLostError;
  }

  /** Begins the next epoch. */
  #without(lost: number): void {
    const { members, trees } = this.#epoch;
    const { repaired, collectives } = this.#seat;
    // by all from the same ones, whether or not they have made a group with them
    const before = trees ?? collectives.team.plan;
    // over nodes each has trees of its own, which are made anew
    const isRepaired = this.#agreement === null && repaired !== undefined;
    const after = isRepaired ? repaired(before, this.#inWorld(members), members.indexOf(lost)) : null;
    this.#epoch = { members: members.filter((rank) => rank !== lost), trees: after, isMade: false };
  }

  /** Makes the group of the epoch. @returns whether all its members have: else one is lost */
  *#making(name: string): Task<boolean> {
    const { members, trees } = this.#epoch;
    const lost = this.#firstLost();
    if (lost >= 0) {
      this.#found(lost);
      return false;
    }
    try {
      const group = this.#seat.group(this.#inWorld(members), trees === null ? {} : { trees }) as Group;
      this.#group?.leave();
      this.#group = group;
      this.#epoch.isMade = true;
      this.#collectives = seatOf(group, name).collectives;
    } catch (error) {
      this.#lose(error);
      return false;
    }
    const barrier = this.#collectives.backend.barrier();
    const isPassed = (yield* this.#attempting(() => this.#collectives.task(barrier))) !== null;
    if (isPassed) this.#agreement?.watch(members);
    return isPassed;
  }
}

/** The bytes of an array, in place. */
const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The wait for this PE's earlier calls, which the loss of another PE does not end. */
const queued = (before: QueuedCall, name: string): Condition => ({
  peer: -1,
  watcher: watcherOf(name),
  ended: before.ended,
  ready: () => before.over,
  spin: () => before.over,
});
