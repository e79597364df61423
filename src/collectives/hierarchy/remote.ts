/** A wait of a PE for something from another node: nobody wakes it, so it asks MPI. */

import type { Condition } from "../../ground/wait/condition.ts";
import type { Post } from "../../links/transport/messages/post.ts";

/** Longest sleep between two looks at what comes from another node, ms: nobody wakes. */
const POLL_MS = 0.1;
/** Looks at the other node in place of so many at a word of this one: each asks MPI. */
const LOOKS_PER_POLL = 32;
/** Messages for others that one look takes. */
const MOST_MESSAGES = 8;
/**
 * Looks that find nothing, one after the other, before a PE that has departed is taken to have sent no more. One look
 * takes a few messages only, and MPI has others that it has not told of.
 */
const LAST_LOOKS = 256;

/** Something that comes true when MPI has done its work. */
export abstract class RemoteCondition implements Condition {
  readonly pollMs: number = POLL_MS;
  abstract readonly peer: number;
  protected readonly mailbox: Post;
  /** The finds of the mailbox so far, and the looks since then. */
  #finds = -1;
  #looks = 0;

  constructor(mailbox: Post) {
    this.mailbox = mailbox;
  }

  abstract ready(): boolean;

  spin(looks: number): boolean {
    for (let look = 0; look < looks; look += LOOKS_PER_POLL) if (this.ready()) return true;
    return this.ready();
  }

  isInVain(): boolean {
    const { finds } = this.mailbox;
    if (finds !== this.#finds) {
      this.#finds = finds;
      this.#looks = 0;
    }
    return ++this.#looks > LAST_LOOKS;
  }
}

/** Room for sending or receiving, or a transfer that is over: what `ready` says. */
export class RemoteWait extends RemoteCondition {
  readonly peer: number;
  readonly ready: () => boolean;

  constructor(mailbox: Post, peer: number, ready: () => boolean) {
    super(mailbox);
    this.peer = peer;
    this.ready = ready;
  }
}

/** The next message from a PE; one object for all that a group receives. */
export class Arrival extends RemoteCondition {
  peer: number = -1;
  /** Messages that the mailbox had got when it was looked for; -1 at the start of a wait. */
  #seen = -1;
  readonly #stream: number;

  constructor(mailbox: Post, stream: number) {
    super(mailbox);
    this.#stream = stream;
  }

  /** From now on the next message from this PE is awaited. */
  expect(peer: number): void {
    this.peer = peer;
    this.#seen = -1;
  }

  ready(): boolean {
    const { mailbox } = this;
    const { unexpected } = mailbox;
    for (let message = 0; message < MOST_MESSAGES; message++) {
      const isMore = mailbox.poll();
      if (unexpected.kept !== this.#seen) {
        this.#seen = unexpected.kept;
        if (unexpected.count(this.#stream, this.peer) > 0) return true;
      }
      if (!isMore) return false;
    }
    return false;
  }
}
