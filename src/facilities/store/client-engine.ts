/**
 * The calls of a store at a member that is no replica: it asks one replica, and goes on with the next one when that one
 * is lost, or silent for long. What has no answer then is asked again; the session of a write (sessions.ts) lets it
 * take effect once.
 */
import { RankLostError, StateError } from "../../ground/base/errors.ts";
import { Fifo } from "../../ground/base/fifo.ts";
import type { Pending } from "../agree/waits.ts";
import type { Members } from "../messages/members.ts";
import { encodeChange, FORGOTTEN, type KeyChange, YES } from "./command.ts";
import type { StoreEngine } from "./engine.ts";
import type { Leaving } from "./leaving.ts";
import {
  decodeReply,
  encodeRequest,
  LATEST,
  LEAVE,
  openMessage,
  READ,
  REPLY,
  type RequestKind,
  type StoreAnswer,
  SYNC,
  WRITE,
} from "./messages.ts";
import type { StoreValue } from "./value.ts";

/** A call without an answer. */
interface Asked {
  readonly kind: RequestKind;
  readonly key: string;
  readonly change: KeyChange | null;
  /** Of a write: its session, its number in it, and the command as it is sent. */
  session: number;
  at: number;
  command: Uint8Array;
  /** How often it was sent in this session. */
  times: number;
  answer: StoreAnswer | null;
  error: Error | null;
}

const EMPTY = new Uint8Array(0);
/** Longest time between two looks at the replica, ms. */
const LOOK_MS = 1000;
/** How many times longer a silent replica is waited for at most, when all of them were silent. */
const MOST_PATIENCE = 32;

export interface ClientOptions {
  /** The replicas, by rank, in the order in which they are asked. */
  readonly replicas: readonly number[];
  /** Silence, ms, after which another one is asked. */
  readonly switchAfter: number;
  /** A number for a session that nobody has had. */
  readonly newSession: () => number;
}

export class ClientEngine implements StoreEngine {
  readonly values = null;
  readonly #members: Members;
  readonly #leaving: Leaving;
  readonly #options: ClientOptions;
  readonly #asked = new Map<number, Asked>();
  #nextId = 1;
  /** Which of the replicas is asked. */
  #place = 0;
  #patience = 1;
  #heardAt: number;
  /** The newest state that an answer came from. */
  #applied = 0;
  #session: number;
  #born = 0;
  #nextAt = 1;
  /** The writes of the session by their numbers, from the oldest without an answer on. */
  readonly #numbered = new Fifo<Asked>();

  constructor(members: Members, leaving: Leaving, options: ClientOptions) {
    this.#members = members;
    this.#leaving = leaving;
    this.#options = options;
    this.#session = options.newSession();
    this.#heardAt = members.now;
  }

  read(key: string, isLatest: boolean): Pending<StoreValue | undefined> {
    return this.#ask(isLatest ? LATEST : READ, key, null, (answer) => {
      return "value" in answer ? answer.value : undefined;
    });
  }

  write(change: KeyChange): Pending<boolean> {
    return this.#ask(WRITE, "", change, (answer) => "outcome" in answer && answer.outcome === YES);
  }

  sync(): Pending<void> {
    return this.#ask(SYNC, "", null, () => {});
  }

  get idleFor(): number {
    if (this.#asked.size === 0) return LOOK_MS;
    return Math.max(0, Math.min(LOOK_MS, this.#silentAt - this.#members.now));
  }

  get silent(): readonly number[] {
    return this.#asked.size === 0 ? [] : [this.#replica];
  }

  get awaited(): readonly number[] {
    return this.silent;
  }

  get present(): readonly number[] {
    return this.#leaving.present;
  }

  leave(): void {
    this.#leaving.leave();
  }

  get isOver(): boolean {
    return this.#leaving.isOver;
  }

  close(): void {}

  advance(): boolean {
    let any = false;
    for (let message = this.#members.tryReceive(); message !== undefined; message = this.#members.tryReceive()) {
      any = true;
      const { kind, from } = openMessage(message.bytes);
      if (kind === LEAVE) this.#leaving.hasLeft(message.from);
      if (kind !== REPLY) continue;
      const { id, applied, answer } = decodeReply(from);
      if (message.from === this.#replica) {
        this.#heardAt = this.#members.now;
        this.#patience = 1;
      }
      this.#take(id, applied, answer);
    }
    if (this.#asked.size === 0) return any;
    if (this.#members.isLost(this.#replica)) return this.#next() || any;
    if (this.#members.now < this.#silentAt) return any;
    this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    return this.#next() || any;
  }

  get #replica(): number {
    return this.#options.replicas[this.#place] as number;
  }

  get #silentAt(): number {
    return this.#heardAt + this.#patience * this.#options.switchAfter;
  }

  #ask<T>(kind: RequestKind, key: string, change: KeyChange | null, result: (answer: StoreAnswer) => T): Pending<T> {
    const asked: Asked = {
      kind,
      key,
      change,
      session: 0,
      at: 0,
      command: EMPTY,
      times: 0,
      answer: null,
      error: null,
    };
    if (this.#asked.size === 0) this.#heardAt = this.#members.now;
    const id = this.#nextId++;
    this.#asked.set(id, asked);
    if (change !== null) this.#number(asked, change);
    this.#send(id, asked);
    return {
      get isDone() {
        return asked.answer !== null || asked.error !== null;
      },
      take() {
        if (asked.error !== null) throw asked.error;
        const answer = asked.answer as StoreAnswer;
        if ("failure" in answer) throw new StateError(answer.failure);
        return result(answer);
      },
    };
  }

  /** Gives a write its number in the session. */
  #number(asked: Asked, change: KeyChange): void {
    asked.session = this.#session;
    asked.at = this.#nextAt++;
    asked.times = 0;
    this.#numbered.add(asked);
    this.#dropAnswered();
    const oldest = (this.#numbered.first as Asked).at;
    asked.command = encodeChange(change, { id: this.#session, born: this.#born, oldest, at: asked.at });
  }

  #dropAnswered(): void {
    for (let first = this.#numbered.first; first !== undefined; first = this.#numbered.first) {
      if (first.answer === null && first.error === null) break;
      this.#numbered.leave();
    }
  }

  #send(id: number, asked: Asked): void {
    const { kind, key, command } = asked;
    asked.times++;
    this.#members.post(this.#replica, encodeRequest({ kind, id, atLeast: this.#applied, key, command }));
  }

  #take(id: number, applied: number, answer: StoreAnswer): void {
    this.#applied = Math.max(this.#applied, applied);
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    if (asked.change !== null && "outcome" in answer && answer.outcome === FORGOTTEN) {
      if (asked.times > 1) {
        asked.error = new StateError(
          "store: the replicas have forgotten this client meanwhile, and whether the write took effect is not known.",
        );
      } else {
        this.#renew(id, asked, asked.change);
        return;
      }
    }
    asked.answer = answer;
    this.#asked.delete(id);
    if (asked.change !== null) this.#dropAnswered();
  }

  /** In a new session, as the replicas have forgotten that of this write. Others of it come here one by one. */
  #renew(id: number, asked: Asked, change: KeyChange): void {
    if (asked.session === this.#session) {
      this.#session = this.#options.newSession();
      this.#born = this.#applied;
      this.#nextAt = 1;
      this.#numbered.clear();
    }
    this.#number(asked, change);
    this.#send(id, asked);
  }

  /** Asks the next replica that is not lost. @returns whether there was one to ask */
  #next(): boolean {
    const { replicas } = this.#options;
    for (let more = 1; more <= replicas.length; more++) {
      const place = (this.#place + more) % replicas.length;
      if (this.#members.isLost(replicas[place] as number)) continue;
      this.#place = place;
      this.#heardAt = this.#members.now;
      for (const [id, asked] of this.#asked) this.#send(id, asked);
      return true;
    }
    for (const [id, asked] of this.#asked) {
      asked.error = new RankLostError(this.#replica, "store: all replicas are lost.");
      this.#asked.delete(id);
    }
    return true;
  }
}
