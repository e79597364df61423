/**
 * The agreement of the nodes of a resilient group about a step: that it counts, or which member it is made again
 * without. It is asked for only if somebody has lost sight of a member in the middle.
 *
 * What: a step over nodes ends with two barriers. Who has passed the first one knows that all have come to the end of
 * the call; who has passed the second one knows that all know it, and goes on. A barrier that fails, as a member is
 * lost, says nothing of the others; then the nodes agree. Each has an estimate in its heap: DONE, if the first of its
 * members that came here had passed the first barrier, else the member that this one has found lost. Round by round,
 * one for each node, all take over the estimate of that node, unless all its members are lost; after the last round the
 * estimate is the decision. The delegate, the first member of a node that is left, asks the delegate of the round's
 * node, which answers when its node has come to that round, or with the decision.
 *
 *     PE of node 0                 node 1                       node 2
 *       round 0: own                 ◀── ASK of node 0 (e, s) ──▶
 *                ── ESTIMATE ─────▶  round 1: own
 *       ASK ──────────────────────▶  ── ESTIMATE ────────────▶  …
 *       after round 2: DECIDED ───▶  to every PE of the other nodes, before it goes on
 *
 * Why the decision is the same everywhere, also at who is lost right after it: take the first node, in order, that
 * decides by its rounds. No other node can have passed over it: it was not lost before it decided, and it decided after
 * it had heard each of the others in their rounds, or they were lost. So all have its estimate from its round on, and
 * answer with that. If anyone has passed the second barrier, all have passed the first one, and DONE is the only
 * estimate there is. (Chandra, Toueg, "Unreliable failure detectors for reliable distributed systems", 1996: a rotating
 * coordinator with a perfect detector of failures. A loss that a PE has learned of is one.)
 *
 * What is lost with a PE is made up for: state lies in the heap of the node, requests are made again to the next
 * delegate, and repeated messages say the same. Who has decided answers while it waits for anything else (side work).
 * Who has returned from its main answers no more; but then it has decided: what it had to say is here, or it has passed
 * both barriers, or, if this PE has not passed the first one, it has never come, and is lost.
 *
 * Limits: who computes answers later. Answers for a group that a PE has left stay possible as long as the PE lives.
 */
import type { Hierarchy } from "../../collectives/hierarchy/hierarchy.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import type { SideTask } from "../../ground/wait/side-work.ts";
import type { Post } from "../../links/transport/messages/post.ts";
import type { Seat } from "../../pe/seat.ts";
import { DONE, type StepDecisions } from "./decisions.ts";

/** Longest sleep between two looks at messages, ms. */
export const POLL_MS = 1;
/** Messages for others that one look takes. */
const MOST_MESSAGES = 8;
/** How long, ms, and in how many looks nothing has come before a PE that has returned is taken to have sent no more. */
const QUIET_MS = 2;
const QUIET_LOOKS = 256;
/** So many looks is one worth that leaves no message behind. */
const LAST_LOOK = 32;

/** In place of a member to wait for: the step is decided, and all know. */
export const SETTLED = -1;

// what a message is: the word of its envelope
const ASK = 0;
const ESTIMATE = 1;
const DECIDED = 2;

/** A step. */
interface Step {
  readonly epoch: number;
  readonly step: number;
}

/** What was said about one. */
interface Said extends Step {
  readonly lost: number;
}

interface Message extends Said {
  readonly to: number;
  readonly kind: number;
}

/** What it needs of a PE's seat. */
export type AgreementSeat = Pick<
  Seat,
  "rank" | "members" | "nodeOf" | "waits" | "sideWork" | "lossOf" | "hasReturned" | "checkGroup" | "fail"
>;

type Mailbox = Pick<Post, "canSend" | "sendNumber" | "poll"> & {
  readonly unexpected: Pick<Post["unexpected"], "count" | "take">;
};

/** How many a PE has made in each of its groups. */
const made = new WeakMap<Hierarchy, number>();

/** The messages of a PE's next one in a group: the n-th ones of its PEs belong together. */
export function streamIn(hierarchy: Hierarchy): number {
  const instance = made.get(hierarchy) ?? 0;
  made.set(hierarchy, instance + 1);
  return fnv1a(`resilient ${hierarchy.stream}#${instance}`);
}

/** One PE's part in it. PEs are ranks in the group. */
export class Agreement implements SideTask {
  /** See {@link serve}. */
  pollMs: number | undefined = undefined;
  /** The PE that has returned without the step, and is to be counted as lost; -1 if there is none. */
  gone = -1;
  readonly #seat: AgreementSeat;
  readonly #mailbox: Mailbox;
  readonly #stream: number;
  readonly #decisions: StepDecisions;
  /** The nodes, in order, and the PEs of others. */
  readonly #nodes: readonly number[];
  readonly #others: readonly number[];
  /** Members of which one may be lost that others do not know of yet. */
  #watched: readonly number[];
  /** Whether any PE of the group was ever lost; and those of which this PE knows. */
  #isTroubled = false;
  readonly #lost = new Set<number>();
  /** Steps that others have asked about, which are not decided here. */
  readonly #asked = new Map<number, Step>();
  /** What was said of steps that are not decided here; and by nodes of their estimates. */
  readonly #heard = new Map<string, number>();
  readonly #estimates = new Map<number, Said>();
  #unsent: Message[] = [];
  // of the step that is to be agreed about
  #members: readonly number[] = [];
  #hasPassed = false;
  /** Whom this PE has asked, and who knows the decision; whether the others have been told. */
  readonly #askedOf = new Set<number>();
  readonly #knowing = new Set<number>();
  #hasTold = false;
  /** Since when nothing has come, ms, and in how many looks. Whether the last one has left no message behind. */
  #quietSince = 0;
  #quietLooks = 0;
  #isEmptied = false;

  constructor(seat: AgreementSeat, mailbox: Mailbox, stream: number, decisions: StepDecisions) {
    const { members, nodeOf, rank } = seat;
    this.#seat = seat;
    this.#mailbox = mailbox;
    this.#stream = stream;
    this.#decisions = decisions;
    this.#nodes = [...new Set(nodeOf)].sort((a, b) => a - b);
    const all = [...members.keys()];
    this.#watched = all;
    this.#others = all.filter((one) => nodeOf[one] !== nodeOf[rank]);
    seat.sideWork.add(this);
  }

  /** All of these have come to an epoch of theirs: nobody asks about an earlier one any more. */
  watch(members: readonly number[]): void {
    this.#watched = members;
  }

  /** Whether others may have to agree, or will. */
  get isTroubled(): boolean {
    if (!this.#isTroubled) {
      try {
        this.#seat.checkGroup();
      } catch {
        this.#isTroubled = true;
      }
    }
    return this.#isTroubled && this.#watched.some((one) => this.#isLost(one));
  }

  #isLost(pe: number): boolean {
    if (this.#lost.has(pe)) return true;
    if (this.#seat.lossOf(pe) === null) return false;
    this.#lost.add(pe);
    return true;
  }

  /** Answers others, while this PE waits for something else. */
  serve(): boolean {
    try {
      const pollMs = this.isTroubled ? POLL_MS : undefined;
      if (pollMs !== this.pollMs) {
        this.pollMs = pollMs;
        this.#seat.sideWork.delete(this);
        this.#seat.sideWork.add(this);
      }
      return pollMs !== undefined && this.#look();
    } catch (error) {
      this.#seat.fail(error);
      return false;
    }
  }

  /**
   * The members are to agree about the step of this PE.
   * @param lost one that is @param hasPassed whether this PE has passed the first barrier
   */
  begin(members: readonly number[], lost: number, hasPassed: boolean): void {
    const { epoch, step } = this.#decisions;
    this.#members = members;
    this.#hasPassed = hasPassed;
    this.#askedOf.clear();
    this.#knowing.clear();
    this.#hasTold = false;
    this.#quietLooks = 0;
    for (const key of this.#heard.keys()) if (stepIn(key) < step) this.#heard.delete(key);
    this.#decisions.propose(hasPassed ? DONE : lost);
    // said before this PE came here
    const heard = this.#heard.get(keyOf({ epoch, step }));
    if (heard !== undefined) this.#decisions.settle(heard);
  }

  /** Does what can be done now. @returns the PE that it takes to go on; {@link SETTLED} at the end */
  advance(): number {
    this.gone = -1;
    const hasHeard = this.#look();
    const waitsFor = this.#decide(hasHeard);
    this.#flush();
    if (waitsFor !== SETTLED) return waitsFor;
    const { epoch, step } = this.#decisions;
    const lost = this.#decisions.outcomeOf(epoch, step) as number;
    // whoever goes on without a PE knows why it is lost
    if (lost !== DONE && !this.#isLost(lost)) return lost;
    if (!this.#hasTold) {
      this.#hasTold = true;
      for (const to of this.#others)
        if (this.#members.includes(to) && !this.#knowing.has(to)) this.#send({ to, kind: DECIDED, epoch, step, lost });
    }
    this.#answer();
    this.#flush();
    return this.#unsent[0]?.to ?? SETTLED;
  }

  /** @returns the PE that it takes; SETTLED if the step is decided */
  #decide(hasHeard: boolean): number {
    const decisions = this.#decisions;
    const { rank, nodeOf } = this.#seat;
    while (!decisions.isDecided) {
      const { epoch, step } = decisions;
      const delegate = this.#delegateOf(nodeOf[rank] as number);
      if (delegate !== rank) return delegate;
      const now = decisions.estimateOf(epoch, step);
      if (now === undefined) throw new Error("resilient: no estimate");
      const node = this.#nodes[now.round];
      if (node === undefined) {
        decisions.settle(now.lost);
        break;
      }
      const there = this.#delegateOf(node);
      const said = this.#estimates.get(node);
      const hasSaid = said?.epoch === epoch && said.step === step;
      const returned = there < 0 && !hasSaid ? this.#returnedOf(node) : -1;
      if (returned >= 0) {
        if (!this.#isQuiet(hasHeard)) return returned;
        if (this.#hasPassed) decisions.settle(DONE);
        else this.gone = returned;
        return this.#hasPassed ? SETTLED : returned;
      }
      if (there >= 0 && there !== rank && !hasSaid) {
        if (!this.#askedOf.has(there)) {
          this.#askedOf.add(there);
          this.#send({ to: there, kind: ASK, epoch, step, lost: DONE });
        }
        return there;
      }
      decisions.revise(now, { round: now.round + 1, lost: hasSaid ? said.lost : now.lost });
      // others may have asked for that
      this.#answer();
    }
    return SETTLED;
  }

  /** The first member of a node that is left and has not returned; -1 if there is none. */
  #delegateOf(node: number): number {
    const { rank, nodeOf, hasReturned } = this.#seat;
    const isThere = (one: number) => one === rank || (!hasReturned(one) && !this.#isLost(one));
    return this.#members.find((one) => nodeOf[one] === node && isThere(one)) ?? -1;
  }

  /** The first that has returned. */
  #returnedOf(node: number): number {
    const { nodeOf } = this.#seat;
    return this.#members.find((one) => nodeOf[one] === node && !this.#isLost(one)) ?? -1;
  }

  /** Whether nothing comes any more. */
  #isQuiet(hasHeard: boolean): boolean {
    const now = this.#seat.waits.now();
    if (hasHeard || this.#quietLooks === 0) {
      this.#quietSince = now;
      this.#quietLooks = 0;
    }
    this.#quietLooks += this.#isEmptied ? LAST_LOOK : 1;
    return this.#quietLooks > QUIET_LOOKS && now - this.#quietSince > QUIET_MS;
  }

  /** Takes what has come, and answers what it can. @returns whether there was anything */
  #look(): boolean {
    const { unexpected } = this.#mailbox;
    const { members } = this.#seat;
    let any = false;
    let isMore = true;
    for (let message = 0; message < MOST_MESSAGES && isMore; message++) isMore = this.#mailbox.poll();
    this.#isEmptied = !isMore;
    for (const from of this.#others) {
      const peer = members[from] as number;
      while (unexpected.count(this.#stream, peer) > 0) {
        const message = unexpected.take(this.#stream, peer);
        if (message === undefined) break;
        any = true;
        this.#hear(from, message.word, { epoch: message.tag, step: message.number, lost: message.root });
      }
    }
    this.#answer();
    this.#flush();
    return any;
  }

  #hear(from: number, kind: number, said: Said): void {
    const { epoch, step } = this.#decisions;
    const isNow = said.epoch === epoch && said.step === step;
    if (kind === ASK) this.#asked.set(from, said);
    else if (kind === ESTIMATE) {
      // a late one, of a delegate that is lost, must not replace that of its successor: nobody asks twice
      if (isNow) this.#estimates.set(this.#seat.nodeOf[from] as number, said);
    } else {
      if (said.step >= step) this.#heard.set(keyOf(said), said.lost);
      if (!isNow) return;
      this.#knowing.add(from);
      this.#decisions.settle(said.lost);
    }
  }

  /** Answers who has asked, if it can. */
  #answer(): void {
    const { rank, nodeOf } = this.#seat;
    const own = this.#nodes.indexOf(nodeOf[rank] as number);
    for (const [to, { epoch, step }] of this.#asked) {
      const lost = this.#decisions.outcomeOf(epoch, step);
      const estimate = lost === undefined ? this.#decisions.estimateOf(epoch, step) : undefined;
      if (lost !== undefined) this.#send({ to, kind: DECIDED, epoch, step, lost });
      else if (estimate !== undefined && estimate.round >= own) {
        this.#send({ to, kind: ESTIMATE, epoch, step, lost: estimate.lost });
      } else continue;
      this.#asked.delete(to);
    }
  }

  #send(message: Message): void {
    this.#unsent.push(message);
  }

  /** Sends what there is room for. */
  #flush(): void {
    if (this.#unsent.length === 0) return;
    const { members, hasReturned } = this.#seat;
    const before = this.#unsent;
    this.#unsent = [];
    for (const message of before) {
      const { to, kind, epoch, step, lost } = message;
      if (hasReturned(to) || this.#isLost(to)) continue;
      const peer = members[to] as number;
      if (this.#mailbox.canSend(peer, 8)) {
        const envelope = { stream: this.#stream, word: kind, tag: epoch, count: 0, root: lost };
        this.#mailbox.sendNumber(peer, envelope, step);
      } else this.#unsent.push(message);
    }
  }
}

const keyOf = ({ epoch, step }: Step): string => `${step} ${epoch}`;
const stepIn = (key: string): number => Number.parseInt(key, 10);
