/**
 * One replica of 1Paxos: its parts, and which message goes to which of them (David, Guerraoui, Yabandeh, "Consensus
 * Inside", Middleware 2014).
 *
 *     replica ──FORWARD──> leader ──ACCEPT──> acceptor ──LEARN──> all replicas
 *
 * What the acceptor of an epoch accepts is committed by that. Leader and acceptor of the next epoch are chosen by Paxos
 * among all replicas; before the vote the new acceptor holds all that may be committed, and nothing more can be
 * committed in the old epoch: its leader was frozen or its acceptor sealed (change.ts). So each epoch begins with all
 * that was committed before, and two replicas never apply different commands at one index. change.ts has the proof.
 *
 * Limits: leader and acceptor of an epoch lost before one of them was replaced block for ever, as does the loss of one
 * of them without a majority.
 */
import { RankLostError } from "../../ground/base/errors.ts";
import type { Members } from "../messages/members.ts";
import { Acceptor } from "./acceptor.ts";
import { Ballots } from "./ballots.ts";
import { CatchUp } from "./catch-up.ts";
import { ConfigChange } from "./change.ts";
import { Leader } from "./leader.ts";
import { Learner } from "./learner.ts";
import type { Settings } from "./options.ts";
import { Own } from "./own.ts";
import { CommandSessions } from "./sessions.ts";
import { ensure, Shared } from "./shared.ts";
import { Spread } from "./spread.ts";
import { EpochStart } from "./start.ts";
import { State } from "./state.ts";
import type { StateMachine } from "./state-machine.ts";
import { Supply } from "./supply.ts";
import { BEATS } from "./watch.ts";
import { MessageBatch } from "./wire/batch.ts";
import { type Config, readConfig } from "./wire/config.ts";
import { skipEntries } from "./wire/entries.ts";
import * as m from "./wire/message.ts";

/** Messages that are received before what came of them is sent. */
const MESSAGES = 128;

export class Core {
  readonly shared: Shared;
  readonly own: Own;
  readonly state: State;
  readonly #learner: Learner;
  readonly #catchUp: CatchUp;
  readonly #supply: Supply;
  readonly #spread: Spread;
  readonly #acceptor: Acceptor;
  readonly #leader: Leader;
  readonly #ballots: Ballots;
  readonly #change: ConfigChange;
  readonly #start: EpochStart;
  readonly #incoming = new m.IncomingMessage();
  readonly #forward: MessageBatch;
  readonly #reply: (sequence: number, reply: Uint8Array) => void;
  /** The top that each has told to be committed with its last beat. */
  readonly #told: number[];
  #beat: number;
  /** Since when nothing can be committed; -1 if nothing is known to prevent it. */
  #blocked = -1;
  #trimmed = 0;

  constructor(members: Members, machine: StateMachine, settings: Settings) {
    this.shared = new Shared(members, settings);
    const { shared } = this;
    const { rank, size, log } = shared;
    this.own = new Own(rank, settings.window);
    this.state = new State(machine, new CommandSessions(size, settings.window), log, settings.log);
    this.#learner = new Learner(shared);
    this.#catchUp = new CatchUp(shared);
    this.#supply = new Supply(shared, this.state);
    this.#spread = new Spread(shared);
    this.#acceptor = new Acceptor(shared, this.#learner, this.#spread);
    this.#leader = new Leader(shared);
    this.#ballots = new Ballots(shared);
    this.#change = new ConfigChange(shared, this.#ballots, this.#supply, this.#catchUp);
    this.#forward = new MessageBatch(settings.batchBytes);
    this.#reply = (sequence, reply) => this.own.resolve(sequence, reply);
    this.#told = new Array(size).fill(0);
    this.#beat = members.now;
    shared.learned = this.state.recover();
    this.#start = new EpochStart(shared);
    this.#settle();
  }

  /** When there is something to do even if no message comes. */
  get nextTick(): number {
    return this.#spread.owes ? Math.min(this.#beat, this.shared.members.now + 1) : this.#beat;
  }

  /** Receives, watches, sends. @returns whether something happened */
  advance(): boolean {
    const { members, watch } = this.shared;
    const now = members.now;
    let busy = false;
    for (let i = 0; i < MESSAGES; i++) {
      const message = members.tryReceive();
      if (message === undefined) break;
      busy = true;
      watch.heard(message.from, now);
      this.#incoming.open(message.from, message.bytes);
      this.#receive(this.#incoming, now);
    }
    const lost = watch.look(now);
    // they may have been to pass on what this replica has sent
    if (lost.length > 0) this.#sayAllHowFar(m.URGENT);
    this.#tick(now);
    if (this.#send()) busy = true;
    if (this.#settle()) busy = true;
    return busy;
  }

  /** Why nothing can be committed, as far as is known; null if nothing is known to prevent it. */
  get blocked(): Error | null {
    const { watch, config, majority, size } = this.shared;
    const { leader, acceptor, epoch } = config;
    if (this.#start.isStuck((member) => watch.isLost(member))) {
      return new RankLostError(
        this.#firstLost(),
        "replica: a replica was lost before all had told how long their logs are. Start all replicas again, each with its log.",
      );
    }
    const lost = [leader, acceptor].filter((member) => watch.isLost(member));
    const first = lost[0];
    if (first === undefined) return null;
    const what = "The command may have been applied. Nothing more can be agreed on by these replicas.";
    if (lost.length === 2) {
      return new RankLostError(
        first,
        `replica: the leader ${leader} and the acceptor ${acceptor} of epoch ${epoch} are both lost. ${what}`,
      );
    }
    if (watch.living >= majority) return null;
    return new RankLostError(
      first,
      `replica: ${watch.living} of ${size} replicas are left, and a change of leader or acceptor needs ${majority}. ${what}`,
    );
  }

  #firstLost(): number {
    for (let member = 0; member < this.shared.size; member++) if (this.shared.watch.isLost(member)) return member;
    return 0;
  }

  #receive(message: m.IncomingMessage, now: number): void {
    const { out, config } = this.shared;
    const { kind, from, epoch, index, extra } = message;
    switch (kind) {
      case m.FORWARD:
        this.#leader.forwarded(message);
        break;
      case m.ACCEPT:
        this.#acceptor.accept(message);
        break;
      case m.LEARN:
        this.#learn(message);
        return;
      case m.BEAT:
        this.#heardBeat(message);
        return;
      case m.FETCH:
        this.#supply.give(from, index);
        return;
      case m.SNAPSHOT:
        this.#install(message);
        return;
      case m.MORE:
        this.#supply.givePart(from, index, extra);
        return;
      case m.ASK:
        this.#acceptor.asked(message);
        break;
      case m.HELD:
        this.#change.held(message, now);
        break;
      case m.HOLD:
        this.#acceptor.hold(message);
        break;
      case m.SEAL:
        this.#acceptor.seal(message);
        break;
      case m.SEALED:
        this.#change.sealed(message, now);
        break;
      case m.PREPARE:
        this.#ballots.prepare(message);
        break;
      case m.PROMISE:
        this.#chosen(this.#change.promised(message));
        break;
      case m.REFUSED:
        this.#change.refused(message, now);
        break;
      case m.PROPOSE:
        this.#ballots.propose(message);
        break;
      case m.AGREED:
        this.#chosen(this.#change.agreed(message));
        break;
      case m.CHOSEN: {
        const chosen = readConfig(message.view, m.HEADER);
        out.knows(from, chosen.epoch);
        this.#adopt(chosen);
        return;
      }
      case m.HELLO:
        this.#start.hello(from, index);
        return;
      default:
        throw m.malformed(`kind ${kind}`);
    }
    // the sender is behind
    if (epoch < config.epoch) out.tell(from);
  }

  #learn({ from, flag, rank, index, extra, bytes, view }: m.IncomingMessage): void {
    skipEntries(view, m.HEADER, extra);
    if (rank !== m.NOBODY) this.#spread.pass(bytes, rank);
    this.#learner.learn(index, extra, bytes, m.HEADER, false);
    if (rank === m.NOBODY) this.#catchUp.answered(from, flag === 1);
    if (this.#learner.hasGap) this.#catchUp.want(this.shared.learned + 1);
  }

  #heardBeat({ from, index, flag, epoch }: m.IncomingMessage): void {
    const { shared } = this;
    if ((flag & m.IS_SEALED) !== 0 && epoch === shared.config.epoch) this.#change.foundSealed();
    // what was committed one beat ago should be here
    const told = (flag & m.URGENT) !== 0 ? index : (this.#told[from] as number);
    if (told > shared.learned) this.#catchUp.want(told, from);
    this.#told[from] = index;
    shared.watch.tops[from] = index;
    if (epoch < shared.config.epoch) shared.out.tell(from);
  }

  #install(message: m.IncomingMessage): void {
    const snapshot = this.#catchUp.part(message, m.HEADER);
    if (snapshot === null) return;
    const { shared } = this;
    if (snapshot.index > shared.learned) {
      this.state.restore(snapshot);
      shared.learned = snapshot.index;
      this.#learner.restart();
      this.own.resolveFrom(this.state.sessions);
    }
    this.#catchUp.answered(message.from, true);
  }

  #chosen(config: Config | null): void {
    if (config === null) return;
    this.#adopt(config);
    this.shared.out.tellAll();
  }

  /** A configuration is chosen: the epoch begins here, unless a later one has. */
  #adopt(config: Config): void {
    const { shared } = this;
    const { log, rank, out } = shared;
    if (config.epoch <= shared.config.epoch) return;
    if (config.leader === rank) {
      ensure(
        config.epoch === shared.config.epoch + 1,
        `leader: epoch ${config.epoch} begins behind ${shared.config.epoch}`,
      );
      ensure(
        log.end === config.top,
        `leader: epoch ${config.epoch} begins behind ${config.top}, and this replica has ${log.end}`,
      );
    } else log.cutTo(shared.learned);
    out.config = config;
    shared.sealed = false;
    this.#leader.enter();
    this.#ballots.enter();
    this.#change.enter();
    this.#acceptor.enter(config);
    this.own.sendAgain();
    this.#catchUp.want(config.top);
  }

  #tick(now: number): void {
    const { shared } = this;
    this.#lookAtStart();
    this.#catchUp.tick(now, this.#learner.hasGap);
    this.#supply.tick(now);
    if (this.#start.isDone && shared.size > 1) this.#change.tick(now);
    if (this.#spread.owes) for (const member of this.#spread.relieved()) this.#sayHowFar(member, m.URGENT);
    if (now < this.#beat) return;
    this.#beat = now + shared.settings.suspectAfter / BEATS;
    this.#sayAllHowFar(0);
    this.#giveUp(now);
  }

  #sayHowFar(to: number, urgent: number): void {
    const { config, sealed, learned, out } = this.shared;
    const flag = urgent | (sealed ? m.IS_SEALED : 0);
    out.send(to, { kind: m.BEAT, flag, epoch: config.epoch, index: learned });
  }

  #sayAllHowFar(urgent: number): void {
    for (let to = 0; to < this.shared.size; to++) if (to !== this.shared.rank) this.#sayHowFar(to, urgent);
  }

  #lookAtStart(): void {
    if (this.own.incarnation > 0) return;
    const missing = this.#start.look();
    if (missing !== null) this.#catchUp.want(missing.index, missing.from);
    if (!this.#start.isDone) return;
    this.#settle();
    this.own.start(this.state.sessions.incarnationOf(this.shared.rank) + 1);
  }

  /** Fails what was proposed here, once it is clear that nobody has made a later epoch. */
  #giveUp(now: number): void {
    const error = this.blocked;
    if (error === null) this.#blocked = -1;
    else if (this.#blocked < 0) this.#blocked = now;
    else if (now - this.#blocked > 3 * this.shared.settings.suspectAfter) this.own.reject(error);
  }

  /** Sends this replica's commands to the leader, and what the leader has to the acceptor. */
  #send(): boolean {
    const { shared, own } = this;
    const { config, settings, out } = shared;
    let any = false;
    if (shared.isLeader) {
      any = this.#leader.propose(own);
      this.#leader.flush();
      return any;
    }
    while (own.write(this.#forward, settings.batchBytes)) {
      any = true;
      const { count } = this.#forward;
      out.post(config.leader, this.#forward.finish({ kind: m.FORWARD, epoch: config.epoch, extra: count }));
      this.#forward.clear();
    }
    return any;
  }

  /** Keeps, spreads and applies what was learned. @returns whether there was something */
  #settle(): boolean {
    const { shared, state } = this;
    const { learned, rank } = shared;
    // an acceptor keeps before others can know
    state.persist(learned);
    this.#acceptor.spread();
    if (state.applied === learned) return false;
    state.apply(learned, rank, this.own.incarnation, this.#reply);
    state.truncate(shared.settings.snapshotEvery);
    this.#trim();
    return true;
  }

  /** Drops entries that all have, and those that too many have followed. */
  #trim(): void {
    const { shared, state } = this;
    const { snapshotEvery } = shared.settings;
    if (state.applied - this.#trimmed < Math.min(1024, snapshotEvery)) return;
    this.#trimmed = state.applied;
    let needed = state.applied;
    for (let member = 0; member < shared.size; member++) {
      if (member === shared.rank || shared.watch.isLost(member)) continue;
      needed = Math.min(needed, shared.watch.tops[member] as number);
    }
    shared.log.dropTo(Math.min(this.#supply.needed, Math.max(needed, state.applied - snapshotEvery)));
  }
}
