/**
 * Handshakes: how PEs of different nodes learn under which tags the others receive. Each sends one message for each of its
 * links to other nodes, as soon as it has the conveyor, and awaits as many. Nothing is sent over a link before that.
 */
import type { Envelope, Mailbox } from "../messages/mailbox.ts";

/** What is told to the PE at the other end of a link. */
export interface Handshake {
  readonly peer: number;
  readonly hop: number;
  /** The number of the link at the other end. */
  readonly theirs: number;
  /** Under which this PE receives what comes over it. */
  readonly tag: number;
}

/** One PE's handshakes of one conveyor. */
export class LinkHandshakes {
  readonly #mailbox: Mailbox;
  readonly #stream: number;
  readonly #onHandshake: (hop: number, link: number, tag: number) => void;
  readonly #unsent: Handshake[];
  /** By peer: how many are to come. */
  readonly #missing = new Map<number, number>();

  /** @param onGreeting is called for each that comes */
  constructor(
    mailbox: Mailbox,
    stream: number,
    handshakes: readonly Handshake[],
    onHandshake: (hop: number, link: number, tag: number) => void,
  ) {
    this.#mailbox = mailbox;
    this.#stream = stream;
    this.#onHandshake = onHandshake;
    this.#unsent = [...handshakes];
    for (const { peer } of handshakes) this.#missing.set(peer, (this.#missing.get(peer) ?? 0) + 1);
    this.#send();
  }

  /** Sends and receives what it can; whether that was all. */
  poll(): boolean {
    if (this.#unsent.length > 0) this.#send();
    if (this.#missing.size === 0) return this.#unsent.length === 0;
    this.#mailbox.poll();
    for (const [peer, missing] of this.#missing) {
      let left = missing;
      for (; left > 0; left--) {
        const message = this.#mailbox.unexpected.take(this.#stream, peer);
        if (message === undefined) break;
        this.#onHandshake(message.word, message.count, message.number);
      }
      if (left > 0) this.#missing.set(peer, left);
      else this.#missing.delete(peer);
    }
    return this.#missing.size === 0 && this.#unsent.length === 0;
  }

  /** A PE that has not greeted; -1 for none. */
  get awaited(): number {
    const { value } = this.#missing.keys().next();
    return value ?? -1;
  }

  /** The conveyor is no more: what others still tell of theirs is nobody's. */
  close(): void {
    let left = 0;
    for (const missing of this.#missing.values()) left += missing;
    this.#mailbox.unexpected.drop(this.#stream, left);
  }

  #send(): void {
    while (this.#unsent.length > 0 && this.#mailbox.canSend(8)) {
      const { peer, hop, theirs, tag } = this.#unsent.pop() as Handshake;
      const envelope: Envelope = { stream: this.#stream, tag: 0, word: hop, count: theirs, root: -1 };
      this.#mailbox.sendNumber(peer, envelope, tag);
    }
  }
}
