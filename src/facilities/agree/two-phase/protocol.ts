/**
 * Two-phase commit: all members carry a transaction out, or none does (Gray, "Notes on Data Base Operating Systems",
 * 1978).
 *
 *     coordinator   PREPARE ──>  each votes  ──> VOTE   yes of all: commit; a no, a lost member or a late vote: abort
 *                   DECISION ──> each decides ──> DONE
 *
 * Messages go along a tree: an inner member passes them on, and answers for all below it. Any member may coordinate.
 * Members that the coordinator knows to be lost when a transaction begins do not take part.
 *
 * Why it is atomic: the coordinator alone decides commit, after a yes of each participant; whoever says yes, for itself
 * and all below it, decides nothing any more but what it is told. The decision reaches everybody while the coordinator
 * lives: whose parent in the tree is lost gets it from the one above.
 *
 * When the coordinator is lost, those that have promised ask all others. Somebody who knows the decision tells it.
 * Somebody who has not voted, or has refused, aborts: the coordinator can not have committed, and a PREPARE that comes
 * later is refused. If all that are left have promised, they are in doubt, and wait for ever: the known limit of
 * two-phase commit.
 */
import { RankLostError, UsageError } from "../../../ground/base/errors.ts";
import { Fifo } from "../../../ground/base/fifo.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { bytesOf } from "../../messages/bytes.ts";
import type { Members } from "../../messages/members.ts";
import { type Reach, reachChildren, Trees } from "../wire/tree.ts";
import * as m from "./message.ts";
import type { Participant, TransactionId, TwoPhaseOptions } from "./participant.ts";
import { TransactionParts } from "./parts.ts";
import { isDecided, OpenTransaction, refusal, type Transaction, type TransactionPart } from "./transaction.ts";

export class Protocol {
  readonly #members: Members;
  readonly #participant: Participant;
  readonly #trees: Trees;
  readonly #voteWithin: number;
  readonly #window: number;
  readonly #parts: TransactionParts;
  readonly #waiting: Fifo<{ readonly bytes: Uint8Array; readonly transaction: OpenTransaction }> = new Fifo();
  /** Of this member's transactions: the lowest that not all have decided, and the next one. */
  #lowest = 1;
  #next = 1;
  readonly #lost: boolean[];

  constructor(members: Members, participant: Participant, options: TwoPhaseOptions) {
    const { dissemination, treeFor, voteWithin = 5000, window = 256 } = options;
    this.#members = members;
    this.#participant = participant;
    this.#trees = new Trees(dissemination === "sequential" ? undefined : treeFor, members.size);
    this.#voteWithin = voteWithin;
    this.#window = window;
    this.#parts = new TransactionParts(members.size);
    this.#lost = new Array(members.size).fill(false);
  }

  /** Proposes a copy of a transaction. It begins with the next {@link advance}. @throws UsageError for no bytes */
  propose(data: ArrayBufferView): Transaction {
    // `slice` of a Buffer would not copy
    const bytes = new Uint8Array(bytesOf("propose", data));
    const transaction = new OpenTransaction();
    this.#waiting.add({ bytes, transaction });
    return transaction;
  }

  /** Whether some of this member's transactions are not decided everywhere yet. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#lowest < this.#next;
  }

  /** The transactions that this member has promised, whose coordinator was lost with nobody who knows the decision. */
  get inDoubt(): readonly TransactionId[] {
    return [...this.#parts.all()].filter((part) => part.isDoubtTold && part.stage === "promised").map(({ id }) => id);
  }

  /** The members whose votes are due in the first undecided transaction of this member, or that have told no result. */
  get awaited(): readonly number[] {
    for (const part of this.#parts.of(this.#members.rank)) if (!isDecided(part)) return [...part.waits];
    return [];
  }

  /** Milliseconds until {@link advance} may have something to do even if no message comes. */
  get idleFor(): number {
    const { rank, now } = this.#members;
    for (let sequence = this.#lowest; sequence < this.#next; sequence++) {
      const own = this.#parts.get({ coordinator: rank, sequence });
      // one that is decided waits for messages only; deadlines are in the order of the transactions
      if (own?.stage === "collecting") return Math.max(0, Math.min(1000, own.deadline - now));
    }
    return 1000;
  }

  /** Receives, votes, decides, sends. It never waits. @returns whether something happened */
  advance(): boolean {
    const { size } = this.#members;
    let busy = false;
    for (let message = this.#members.tryReceive(); message !== undefined; message = this.#members.tryReceive()) {
      busy = true;
      this.#receive(m.read(message.from, message.bytes, size));
    }
    if (this.#lookForLost()) busy = true;
    if (this.#endLate()) busy = true;
    for (; this.#waiting.length > 0 && this.#next - this.#lowest < this.#window; this.#waiting.leave()) {
      busy = true;
      const { bytes, transaction } = this.#waiting.first as {
        bytes: Uint8Array;
        transaction: OpenTransaction;
      };
      this.#begin(bytes, transaction);
    }
    return busy;
  }

  /** Ends it: what is not decided here gets an error. */
  reject(error: Error): void {
    for (const { transaction } of this.#parts.of(this.#members.rank)) transaction?.reject(error);
    for (; this.#waiting.length > 0; this.#waiting.leave()) this.#waiting.first?.transaction.reject(error);
  }

  #begin(bytes: Uint8Array, transaction: OpenTransaction): void {
    const { rank, now, size } = this.#members;
    const id = { coordinator: rank, sequence: this.#next++ };
    const needs = size - this.#lost.filter((lost) => lost).length;
    this.#prepare(id, m.write(m.PREPARE, 0, rank, id.sequence, this.#lowest, bytes), rank, {
      needs,
      deadline: now + this.#voteWithin,
      transaction,
    });
  }

  #receive(message: m.CommitMessage): void {
    const { from, kind, flag, coordinator, sequence, extra, bytes } = message;
    const id = { coordinator, sequence };
    const part = this.#parts.get(id);
    switch (kind) {
      case m.PREPARE:
        this.#parts.forget(coordinator, extra);
        if (part === undefined && !this.#parts.isForgotten(id)) {
          this.#prepare(id, bytes, from, { needs: 0, deadline: Infinity, transaction: null });
        } else this.#send(from, m.VOTE, 0, id);
        break;
      case m.VOTE:
        if (part?.stage === "collecting" && part.waits.delete(from)) this.#count(part, flag === 1, extra);
        break;
      case m.DECISION:
        if (part === undefined) {
          // it comes around a lost member, whose PREPARE may still come: that is refused
          if (!this.#parts.isForgotten(id)) this.#parts.add(refusal(id));
          this.#send(from, m.DONE, 0, id);
        } else this.#decided(part, flag === 1, from);
        break;
      case m.DONE:
        if (part !== undefined && isDecided(part) && part.waits.delete(from)) this.#finish(part);
        break;
      case m.ASK:
        this.#answer(id, part, from);
        break;
      case m.ANSWER:
        if (part !== undefined) this.#answered(part, flag, from);
        break;
    }
  }

  /** Votes, and passes the transaction on. */
  #prepare(
    id: TransactionId,
    bytes: Uint8Array,
    parent: number,
    own: Pick<TransactionPart, "needs" | "deadline" | "transaction">,
  ): void {
    const part: TransactionPart = {
      id,
      bytes: bytes.slice(m.HEADER),
      stage: "collecting",
      voted: true,
      parent,
      tellers: new Set(),
      waits: new Set(),
      yes: 0,
      askers: new Set(),
      asked: null,
      isDoubtTold: false,
      ...own,
    };
    this.#parts.add(part);
    this.#passOn(part, bytes);
    const vote: unknown = this.#participant.vote(part.bytes, id);
    if (typeof vote !== "boolean") {
      throw new UsageError(
        `vote: expected true or false, at once, got ${shortText(vote)} for transaction ${id.sequence} of member ${id.coordinator}`,
      );
    }
    this.#count(part, vote, 1);
  }

  /** A vote of this member or of a child, for `many` members. */
  #count(part: TransactionPart, yes: boolean, many: number): void {
    if (part.stage !== "collecting") return;
    if (!yes) {
      this.#refuse(part);
      return;
    }
    part.yes += many;
    // this member's own vote is the last of these that is counted before the messages come
    if (part.waits.size > 0) return;
    const isOwn = part.id.coordinator === this.#members.rank;
    if (isOwn) this.#decided(part, part.yes === part.needs, this.#members.rank);
    else {
      part.stage = "promised";
      this.#send(part.parent, m.VOTE, 1, part.id, part.yes);
      this.#lookAtCoordinator(part);
    }
  }

  /** It can not commit any more. */
  #refuse(part: TransactionPart): void {
    if (part.id.coordinator === this.#members.rank) {
      this.#decided(part, false, this.#members.rank);
      return;
    }
    part.stage = "refused";
    part.waits.clear();
    this.#send(part.parent, m.VOTE, 0, part.id);
    this.#lookAtCoordinator(part);
  }

  /** The decision is known. @param from who has told it, and wants to know when all below have it */
  #decided(part: TransactionPart, committed: boolean, from: number): void {
    const { rank } = this.#members;
    if (from !== rank) part.tellers.add(from);
    if (isDecided(part)) {
      this.#finish(part);
      return;
    }
    part.stage = committed ? "committed" : "aborted";
    part.waits.clear();
    if (!this.#lost[part.id.coordinator])
      this.#passOn(part, m.write(m.DECISION, committed ? 1 : 0, part.id.coordinator, part.id.sequence));
    for (const asker of part.askers) this.#send(asker, m.ANSWER, committed ? 1 : 0, part.id);
    part.askers.clear();
    if (part.voted) this.#participant.decide(part.bytes, committed, part.id);
    if (part.id.coordinator === rank) part.transaction?.resolve(committed ? "committed" : "aborted");
    this.#finish(part);
  }

  /** All below have the decision: the one above may know, or those, if it came around a lost member too. */
  #finish(part: TransactionPart): void {
    const { rank } = this.#members;
    if (part.waits.size > 0) return;
    if (part.id.coordinator !== rank) {
      for (const teller of part.tellers) this.#send(teller, m.DONE, 0, part.id);
      part.tellers.clear();
      return;
    }
    for (; this.#lowest < this.#next; this.#lowest++) {
      const own = this.#parts.get({ coordinator: rank, sequence: this.#lowest });
      if (own === undefined || !isDecided(own) || own.waits.size > 0) break;
    }
    this.#parts.forget(rank, this.#lowest);
  }

  /** Sends a message to the children, around those that are lost, and waits for them. */
  #passOn(part: TransactionPart, bytes: Uint8Array, member: number = this.#members.rank): void {
    const reach: Reach = {
      ability: (child) => (this.#lost[child] || child === this.#members.rank ? 0 : 2),
      only: () => {},
      relay: (child) => {
        part.waits.add(child);
        this.#members.post(child, bytes);
      },
    };
    reachChildren(this.#trees.of(part.id.coordinator), member, reach);
  }

  #send(to: number, kind: number, flag: number, { coordinator, sequence }: TransactionId, extra = 0): void {
    if (to !== this.#members.rank) this.#members.post(to, m.write(kind, flag, coordinator, sequence, extra));
  }

  /** Aborts transactions of this member whose votes are late. */
  #endLate(): boolean {
    const { rank, now } = this.#members;
    let any = false;
    for (let sequence = this.#lowest; sequence < this.#next; sequence++) {
      const part = this.#parts.get({ coordinator: rank, sequence });
      if (part === undefined || part.deadline > now) break;
      if (part.stage !== "collecting") continue;
      any = true;
      this.#refuse(part);
    }
    return any;
  }

  #lookForLost(): boolean {
    const { size, rank } = this.#members;
    let any = false;
    for (let member = 0; member < size; member++) {
      if (member === rank || this.#lost[member] || !this.#members.isLost(member)) continue;
      any = true;
      this.#lost[member] = true;
      for (const part of [...this.#parts.all()]) this.#withoutMember(part, member);
    }
    return any;
  }

  #withoutMember(part: TransactionPart, member: number): void {
    const waited = part.waits.delete(member);
    if (part.stage === "collecting" && (waited || part.id.coordinator === this.#members.rank)) this.#refuse(part);
    if (isDecided(part)) {
      // what it has not passed on
      if (waited && !this.#lost[part.id.coordinator]) {
        const flag = part.stage === "committed" ? 1 : 0;
        this.#passOn(part, m.write(m.DECISION, flag, part.id.coordinator, part.id.sequence), member);
        this.#finish(part);
      }
      return;
    }
    this.#lookAtCoordinator(part);
    if (part.asked?.delete(member)) this.#lookAtAnswers(part);
  }

  /** Asks the others for the decision if the coordinator is lost. */
  #lookAtCoordinator(part: TransactionPart): void {
    const { rank, size } = this.#members;
    if (isDecided(part) || !this.#lost[part.id.coordinator]) return;
    if (part.stage !== "promised") {
      this.#decided(part, false, rank);
      return;
    }
    if (part.asked !== null) return;
    part.asked = new Set();
    for (let member = 0; member < size; member++) {
      if (member === rank || this.#lost[member]) continue;
      part.asked.add(member);
      this.#send(member, m.ASK, 0, part.id);
    }
    this.#lookAtAnswers(part);
  }

  #answer(id: TransactionId, part: TransactionPart | undefined, to: number): void {
    if (part === undefined) {
      // it has not voted: now it never will
      this.#parts.add(refusal(id));
      this.#send(to, m.ANSWER, 0, id);
    } else if (part.stage === "promised") {
      part.askers.add(to);
      this.#send(to, m.ANSWER, 2, id);
    } else {
      if (!isDecided(part)) this.#refuse(part);
      this.#send(to, m.ANSWER, part.stage === "committed" ? 1 : 0, id);
    }
  }

  #answered(part: TransactionPart, flag: number, from: number): void {
    if (isDecided(part)) return;
    if (flag < 2) this.#decided(part, flag === 1, this.#members.rank);
    else if (part.asked?.delete(from)) this.#lookAtAnswers(part);
  }

  /** Nobody knows the decision. */
  #lookAtAnswers(part: TransactionPart): void {
    if (part.stage !== "promised" || part.asked === null || part.asked.size > 0 || part.isDoubtTold) return;
    part.isDoubtTold = true;
    const { coordinator, sequence } = part.id;
    const error = new RankLostError(
      coordinator,
      `two-phase commit: the coordinator ${coordinator} was lost after all that are left had promised to carry out its transaction ${sequence}: ` +
        "it may be committed or aborted, and nobody here knows. Keep what it needs until a person decides.",
    );
    this.#participant.doubt?.(part.bytes, error, part.id);
  }
}
