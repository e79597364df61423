/**
 * Replaces a suspected leader or acceptor: makes the configuration of the next epoch.
 *
 *     leader     freeze ───────────────────────────┐
 *                                                  ├─> hold ──> vote ──> the next epoch
 *     another    seal the acceptor ──> catch up ───┘
 *
 * Freeze and seal fix what may be committed in this epoch; its end is `top`. A leader has all up to there, as it has
 * proposed it; another replica learns it from the sealed acceptor. `hold`: the next acceptor has it too. So whoever
 * survives of the next two, nothing is lost. Whatever fails is tried again later, by somebody: epochs, ballots, seals
 * and holds make repeated and concurrent attempts safe.
 *
 * Why it is safe. Let S(e) be the commands 1 to `top` that the acceptor of epoch e has when e begins there. It accepts
 * in e only what the leader of e proposes, one after the other, behind S(e). Claim: S(e) has each command that was
 * committed in an earlier epoch, at its index. By induction over e; all commands that were committed before e - 1 are
 * in S(e - 1).
 *
 * - The leader L of e - 1 has made e. L had S(e - 1) when it became leader, by this claim and the way it had become
 *   leader. The acceptor accepts in e - 1 only what L has proposed in it. L had frozen before it fixed `top`, so S(e -
 *   1) and all these proposals are what L lets the new acceptor hold. Some may not have been accepted in e - 1; then
 *   nothing else can be accepted there at their indices.
 * - Another replica N has made e. The acceptor of e - 1 was sealed when it told `top`, so what it had is all that is
 *   ever committed in e - 1, and N has learned all of it before it went on.
 *
 * The new acceptor held it before the vote began. It holds one sequence for each epoch and leader only: L proposes
 * nothing more from when it asks for votes, a sealed acceptor accepts nothing more, and whatever was held before is the
 * begin of that, however often they try. As only one configuration is chosen for e, only one of these sequences becomes
 * S(e).
 *
 * Agreement follows: at index i an epoch's acceptor accepts once; what is committed later is behind, or in, an S(e)
 * that has it. Linearizability: an answered command is committed at some index in some epoch e; one that is proposed
 * later gets a higher index, in e because the leader counts up, and in a later epoch because it is behind that epoch's
 * `top`. In an earlier epoch it is not committed at all: that one was frozen or sealed before e began. Safety does not
 * depend on time. Promises are kept in memory, which is enough as a member that ends never comes back into its group.
 *
 * What is held is not in the configuration, as a value that Paxos agrees on: that would send the commands to all,
 * twice.
 */
import type { Ballots } from "./ballots.ts";
import { Candidacy } from "./candidacy.ts";
import type { CatchUp } from "./catch-up.ts";
import { ensure, type Shared } from "./shared.ts";
import type { Supply } from "./supply.ts";
import type { Config } from "./wire/config.ts";
import { ASK, HEADER, HOLD, type IncomingMessage, SEAL, writeHeader } from "./wire/message.ts";

type Stage = "none" | "seal" | "catch up" | "hold" | "vote";

/** Bytes of one message of entries to be held. */
const PART = 2 ** 18;

export class ConfigChange {
  readonly #shared: Shared;
  readonly #ballots: Ballots;
  readonly #supply: Supply;
  readonly #catchUp: CatchUp;
  #stage: Stage = "none";
  /** When the stage has begun, or was known to go on. */
  #since = 0;
  /** The next attempt is not before. */
  #next = 0;
  #top = 0;
  /** Up to where the sealed acceptor has all. */
  #sealedAt = 0;
  #candidate = -1;
  /** Those that did not answer in this attempt. */
  readonly #tried: Set<number> = new Set();
  /** The candidate's top when it was sent more, and when it was asked. */
  #given = -1;
  #asked = 0;
  #progress = 0;
  #candidacy: Candidacy | null = null;
  /** As the leader: it has proposed a configuration for the next epoch. */
  #hasProposed = false;
  #above = 0;
  /** Since when the leader is suspected; -1 if it is not. */
  #suspected = -1;
  /** The acceptor has told that it is sealed in this epoch: somebody has begun to replace its leader. */
  #acceptorSealed = false;
  #random: number;

  constructor(shared: Shared, ballots: Ballots, supply: Supply, catchUp: CatchUp) {
    this.#shared = shared;
    this.#ballots = ballots;
    this.#supply = supply;
    this.#catchUp = catchUp;
    this.#random = shared.rank + 1;
  }

  tick(now: number): void {
    const { settings, learned, watch } = this.#shared;
    const idle = now - this.#since;
    switch (this.#stage) {
      case "none":
        if (this.#isDue(now) && now >= this.#next) this.#begin(now);
        break;
      case "seal":
        if (idle > settings.suspectAfter) this.#fail(now);
        break;
      case "catch up":
        if (learned >= this.#top) this.#hold(now);
        else if (learned > this.#progress) this.#goOn(now, learned);
        else if (idle > 2 * settings.suspectAfter) this.#fail(now);
        break;
      case "hold":
        if (idle > 2 * settings.suspectAfter || watch.isSuspected(this.#candidate, now)) this.#hold(now);
        else if (now - this.#asked > settings.suspectAfter / 8) this.#ask(now);
        break;
      case "vote":
        if (idle > settings.suspectAfter) this.#fail(now);
        break;
    }
  }

  /** The acceptor of this epoch says that it is sealed. */
  foundSealed(): void {
    this.#acceptorSealed = true;
  }

  sealed({ from, epoch, index }: IncomingMessage, now: number): void {
    const { config } = this.#shared;
    if (this.#stage !== "seal" || epoch !== config.epoch || from !== config.acceptor) return;
    // of logs that were recovered this replica may have a longer one
    this.#top = Math.max(index, this.#shared.learned);
    this.#sealedAt = index;
    this.#stage = "catch up";
    this.#goOn(now, this.#shared.learned);
    this.#catchUp.want(index, from);
    this.tick(now);
  }

  held({ from, epoch, index }: IncomingMessage, now: number): void {
    const { config, learned, log, out } = this.#shared;
    if (this.#stage !== "hold" || epoch !== config.epoch + 1 || from !== this.#candidate) return;
    if (index >= this.#top) {
      this.#vote(now);
      return;
    }
    if (index === this.#given) return;
    if (index > this.#given) this.#goOn(now, index);
    this.#given = index;
    if (index < learned) this.#supply.give(from, index + 1);
    else {
      const { count, bytes } = log.copy(index + 1, this.#top, PART, HEADER);
      writeHeader(new DataView(bytes.buffer), { kind: HOLD, epoch, index: index + 1, extra: count });
      out.post(from, bytes);
    }
    this.#ask(now);
  }

  promised(message: IncomingMessage): Config | null {
    const chosen = this.#candidacy?.promised(message) ?? null;
    if (this.#candidacy?.proposes) this.#hasProposed = true;
    return chosen;
  }

  agreed(message: IncomingMessage): Config | null {
    return this.#candidacy?.agreed(message) ?? null;
  }

  refused({ epoch, extra }: IncomingMessage, now: number): void {
    if (epoch !== this.#shared.config.epoch + 1) return;
    this.#above = Math.max(this.#above, extra);
    if (this.#stage === "vote") this.#fail(now);
  }

  /** A new epoch. */
  enter(): void {
    this.#stage = "none";
    this.#candidacy = null;
    this.#hasProposed = false;
    this.#above = 0;
    this.#suspected = -1;
    this.#acceptorSealed = false;
  }

  /** Whether this replica should make the next configuration. */
  #isDue(now: number): boolean {
    const { config, rank, frozen, watch, settings, isLeader } = this.#shared;
    if (isLeader) return frozen || this.#acceptorSealed || watch.isSuspected(config.acceptor, now);
    if (!watch.isSuspected(config.leader, now)) {
      this.#suspected = -1;
      return false;
    }
    if (this.#suspected < 0) this.#suspected = now;
    if (config.acceptor !== rank && watch.isLost(config.acceptor)) return false;
    return now - this.#suspected >= this.#place(now) * settings.suspectAfter;
  }

  /** How many others go first: those that live, by rank, the acceptor last, as it would need another acceptor. */
  #place(now: number): number {
    const { config, rank, size, watch } = this.#shared;
    let place = 0;
    for (let member = 0; member < size; member++) {
      if (member === rank || member === config.leader || watch.isSuspected(member, now)) continue;
      if (rank === config.acceptor || (member < rank && member !== config.acceptor)) place++;
    }
    return place;
  }

  #begin(now: number): void {
    const shared = this.#shared;
    const { config, out } = shared;
    this.#tried.clear();
    if (shared.isLeader) {
      shared.frozen = true;
      this.#top = shared.log.end;
      this.#hold(now);
    } else if (shared.isAcceptor) {
      shared.sealed = true;
      this.#top = shared.learned;
      this.#hold(now);
    } else {
      this.#stage = "seal";
      this.#goOn(now, 0);
      out.send(config.acceptor, { kind: SEAL, epoch: config.epoch });
    }
  }

  /** Finds the next acceptor, and has it hold all up to `top`. */
  #hold(now: number): void {
    const { config, rank, size, watch, isLeader } = this.#shared;
    // a sealed acceptor has it
    const has = !isLeader && config.acceptor !== rank && this.#sealedAt >= this.#top;
    if (has && !watch.isSuspected(config.acceptor, now)) {
      this.#candidate = config.acceptor;
      this.#vote(now);
      return;
    }
    if (this.#stage === "hold") this.#tried.add(this.#candidate);
    let best = -1;
    for (let member = 0; member < size; member++) {
      if (member === rank || this.#tried.has(member) || watch.isSuspected(member, now)) continue;
      if (best < 0 || (watch.tops[member] as number) > (watch.tops[best] as number)) best = member;
    }
    if (best < 0) {
      this.#fail(now);
      return;
    }
    this.#candidate = best;
    this.#stage = "hold";
    this.#given = -1;
    this.#goOn(now, 0);
    this.#ask(now);
  }

  #ask(now: number): void {
    this.#asked = now;
    this.#shared.out.send(this.#candidate, { kind: ASK, epoch: this.#shared.config.epoch + 1 });
  }

  #vote(now: number): void {
    const { config, rank, log } = this.#shared;
    ensure(
      log.end === this.#top,
      `candidate: it has all up to ${log.end}, and what may be committed ends at ${this.#top}`,
    );
    this.#stage = "vote";
    this.#goOn(now, 0);
    const wanted = { epoch: config.epoch + 1, leader: rank, acceptor: this.#candidate, top: this.#top };
    this.#candidacy = new Candidacy(this.#shared, this.#ballots, wanted, Math.max(this.#ballots.promised, this.#above));
    this.#candidacy.start();
  }

  #goOn(now: number, progress: number): void {
    this.#since = now;
    this.#progress = progress;
  }

  /**
   * Whether a leader may go on in this epoch, as its acceptor lives after all: nothing that it has frozen for can be
   * chosen. What others hold for it stays right, as more is only put behind it.
   */
  #mayThaw(now: number): boolean {
    const { isLeader, config, settings, watch } = this.#shared;
    if (!isLeader || this.#hasProposed || this.#acceptorSealed || watch.isSuspected(config.acceptor, now)) return false;
    // with logs the first epoch accepts nothing
    return config.epoch > 1 || settings.log === undefined;
  }

  /** Tries again, after a time that differs among replicas. */
  #fail(now: number): void {
    this.#stage = "none";
    this.#candidacy = null;
    if (this.#mayThaw(now)) this.#shared.frozen = false;
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    this.#next = now + this.#shared.settings.suspectAfter * (0.1 + (0.9 * this.#random) / 2 ** 32);
  }
}
