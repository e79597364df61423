/** A replica's service to members that are none: it carries out what they ask for, and sends the answers. */
import { Fifo } from "../../ground/base/fifo.ts";
import type { Members } from "../messages/members.ts";
import type { Leaving } from "./leaving.ts";
import {
  decodeRequest,
  encodeReply,
  LATEST,
  LEAVE,
  openMessage,
  READ,
  REPLY,
  type RequestKind,
  type StoreAnswer,
  type StoreRequest,
  WRITE,
} from "./messages.ts";
import { blockedError, type Ordering, type Proposed } from "./ordering.ts";
import type { StoreState } from "./state.ts";

/** Requests that are taken before the replica goes on. */
const MESSAGES = 256;

interface Waiting {
  readonly from: number;
  readonly request: StoreRequest;
  /** Null for a read of the copy. */
  readonly proposed: Proposed | null;
}

export class ClientServer {
  readonly #members: Members;
  readonly #ordering: Ordering;
  readonly #state: StoreState;
  readonly #leaving: Leaving;
  /** Commands that go through the order, in which the replies come. */
  readonly #ordered = new Fifo<Waiting>();
  /** Reads of clients that have seen a newer state at another replica. */
  #early: Waiting[] = [];

  /** @param members all of them, by rank: replicas and others */
  constructor(members: Members, ordering: Ordering, state: StoreState, leaving: Leaving) {
    this.#members = members;
    this.#ordering = ordering;
    this.#state = state;
    this.#leaving = leaving;
  }

  /** Takes requests. @returns whether any message has come */
  receive(): boolean {
    let count = 0;
    for (; count < MESSAGES; count++) {
      const message = this.#members.tryReceive();
      if (message === undefined) break;
      const { kind, from } = openMessage(message.bytes);
      if (kind === LEAVE) this.#leaving.hasLeft(message.from);
      // of an answer that was late nobody waits
      else if (kind !== REPLY) this.#begin(message.from, decodeRequest(kind as RequestKind, from));
    }
    return count > 0;
  }

  #begin(from: number, request: StoreRequest): void {
    const { kind, command, atLeast } = request;
    if (kind === READ) {
      const read = { from, request, proposed: null };
      if (this.#ordering.applied >= atLeast) this.#reply(read);
      else this.#early.push(read);
      return;
    }
    const proposed = kind === WRITE ? this.#ordering.propose(command) : this.#ordering.sync();
    this.#ordered.add({ from, request, proposed });
  }

  /** Answers what is done. @returns whether anything was */
  answer(): boolean {
    let any = false;
    const isBlocked = this.#ordering.blocked !== null;
    for (let first = this.#ordered.first; first !== undefined; first = this.#ordered.first) {
      if (!isBlocked && !first.proposed?.done) break;
      this.#ordered.leave();
      this.#reply(first);
      any = true;
    }
    if (this.#early.length === 0) return any;
    const { applied } = this.#ordering;
    const isLate = ({ request }: Waiting) => applied >= request.atLeast;
    for (const read of this.#early.filter(isLate)) this.#reply(read);
    const before = this.#early.length;
    this.#early = this.#early.filter((read) => !isLate(read));
    return any || this.#early.length < before;
  }

  #reply({ from, request, proposed }: Waiting): void {
    const answer = this.#answerTo(request, proposed);
    this.#members.post(from, encodeReply({ id: request.id, applied: this.#ordering.applied, answer }));
  }

  #answerTo({ kind, key }: StoreRequest, proposed: Proposed | null): StoreAnswer {
    if (proposed !== null) {
      const { reply, error } = proposed;
      if (error !== null) return { failure: error.message };
      if (reply === null) return { failure: blockedError(this.#ordering).message };
      if (kind === WRITE) return { outcome: reply[0] as number };
    }
    return { value: kind === READ || kind === LATEST ? this.#state.values.get(key) : undefined };
  }

  leave(): void {
    this.#leaving.leave();
  }

  get present(): readonly number[] {
    return this.#leaving.present;
  }

  get isOver(): boolean {
    return this.#leaving.isOver;
  }
}
