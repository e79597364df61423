/** What a PE waits for that comes from another node: nobody rings, so it asks MPI. */
import type { Mailbox } from "../../transport/messages/mailbox.ts";
import type { Condition } from "../../wait/condition.ts";

/** Longest sleep between two looks at what comes from another node, ms: nobody rings. */
const NAP_MS = 0.1;
/** Looks at the other node in place of so many at a word of this one: each asks MPI. */
const LOOKS_PER_POLL = 32;

/** Something that comes true when MPI has done its work. */
export class Far implements Condition {
  readonly napMs: number = NAP_MS;
  readonly peer: number;
  readonly ready: () => boolean;

  constructor(peer: number, ready: () => boolean) {
    this.peer = peer;
    this.ready = ready;
  }

  spin(looks: number): boolean {
    for (let look = 0; look < looks; look += LOOKS_PER_POLL) if (this.ready()) return true;
    return this.ready();
  }
}

/** The next message from a PE; one object for all waits of {@link Span.takeNumber}. */
export class Coming implements Condition {
  readonly napMs: number = NAP_MS;
  peer: number = -1;
  /** Messages that the mailbox had got when it was looked for; -1 at the start of a wait. */
  seen = -1;
  readonly #mailbox: Mailbox;
  readonly #stream: number;

  constructor(mailbox: Mailbox, stream: number) {
    this.#mailbox = mailbox;
    this.#stream = stream;
  }

  ready(): boolean {
    const { shelf } = this.#mailbox;
    this.#mailbox.poll();
    if (shelf.kept === this.seen) return false;
    this.seen = shelf.kept;
    return shelf.count(this.#stream, this.peer) > 0;
  }

  spin(looks: number): boolean {
    for (let look = 0; look < looks; look += LOOKS_PER_POLL) if (this.ready()) return true;
    return this.ready();
  }
}
