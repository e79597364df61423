/**
 * Handshakes: how PEs of different nodes learn the tags under which the others receive, or, if their heaps are mapped,
 * where the links are. Each PE sends one message for
 * each of its links to other nodes as soon as it has the conveyor, and awaits as many. Nothing is sent over a link
 * before that.
 */
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { Envelope, PEMailbox } from "../messages/mailbox.ts";

/** The message to the PE at the other end of a link. */
export interface Handshake {
  readonly peer: number;
  readonly hop: number;
  /** The number of the link at the other end. */
  readonly theirs: number;
  /** The tag under which this PE receives over the link; of a mapped link, its byte offset in this PE's heap. */
  readonly place: number;
  /** Byte offset of the conveyor's block in that heap. */
  readonly block: number;
}

/** Called for a handshake that has come: of which link of this PE, and what it says of it. */
type OnHandshake = (hop: number, link: number, place: number, block: number) => void;

/** One PE's handshakes of one conveyor. */
export class LinkHandshakes {
  readonly #mailbox: PEMailbox;
  readonly #stream: number;
  readonly #onHandshake: OnHandshake;
  readonly #unsent: Handshake[];
  /** By peer: number of handshakes to be received. */
  readonly #missing = new Map<number, number>();

  /** @param onHandshake is called for each received one */
  constructor(mailbox: PEMailbox, stream: number, handshakes: readonly Handshake[], onHandshake: OnHandshake) {
    this.#mailbox = mailbox;
    this.#stream = stream;
    this.#onHandshake = onHandshake;
    this.#unsent = [...handshakes];
    for (const { peer } of handshakes) this.#missing.set(peer, (this.#missing.get(peer) ?? 0) + 1);
    this.#send();
  }

  /** Sends and receives what is possible now; returns whether all is done. */
  poll(): boolean {
    if (this.#unsent.length > 0) this.#send();
    if (this.#missing.size === 0) return this.#unsent.length === 0;
    this.#mailbox.poll();
    for (const [peer, missing] of this.#missing) {
      let left = missing;
      for (; left > 0; left--) {
        const message = this.#mailbox.unexpected.take(this.#stream, peer);
        if (message === undefined) break;
        this.#onHandshake(message.word, message.count, message.number, message.tag * LINE);
      }
      if (left > 0) this.#missing.set(peer, left);
      else this.#missing.delete(peer);
    }
    return this.#missing.size === 0 && this.#unsent.length === 0;
  }

  /** A PE whose handshakes are missing; -1 for none. */
  get awaited(): number {
    const { value } = this.#missing.keys().next();
    return value ?? -1;
  }

  /** The conveyor was freed: further handshakes are discarded. */
  close(): void {
    let left = 0;
    for (const missing of this.#missing.values()) left += missing;
    this.#mailbox.unexpected.drop(this.#stream, left);
  }

  #send(): void {
    for (let next = this.#unsent.at(-1); next !== undefined; next = this.#unsent.at(-1)) {
      const { peer, hop, theirs, place, block } = next;
      if (!this.#mailbox.canSend(peer, 8)) return;
      this.#unsent.pop();
      const envelope: Envelope = {
        stream: this.#stream,
        tag: block / LINE,
        word: hop,
        count: theirs,
        root: -1,
      };
      this.#mailbox.sendNumber(peer, envelope, place);
    }
  }
}
