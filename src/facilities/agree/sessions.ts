/**
 * The state that makes each command apply once: for each replica, the sequence number of its last command that was
 * applied, and the replies that it may not have. Part of the replicated state: the same at all replicas after the same
 * commands, and in snapshots.
 *
 * A replica's commands apply in the order of their sequence numbers, none twice and none left out: only `last + 1` is
 * applied, and anything else takes an index without effect. An epoch's leader gets a replica's open commands from the
 * lowest on, in order, so nothing waits for ever. A later incarnation, which begins at 1 again, ends the earlier one.
 */
import { malformed } from "./wire/message.ts";

interface Session {
  incarnation: number;
  last: number;
  /** The lowest sequence number whose reply is kept. */
  floor: number;
  /** Replies by sequence number modulo the window. */
  readonly replies: Uint8Array[];
}

const EMPTY = new Uint8Array(0);

export class CommandSessions {
  readonly #sessions: Session[];
  readonly #window: number;

  constructor(size: number, window: number) {
    this.#window = window;
    this.#sessions = Array.from({ length: size }, () => ({ incarnation: 0, last: 0, floor: 1, replies: [] }));
  }

  incarnationOf(origin: number): number {
    return this.#of(origin).incarnation;
  }

  lastOf(origin: number): number {
    return this.#of(origin).last;
  }

  /** Whether a command is to be applied; it then counts as applied. */
  admit(origin: number, incarnation: number, sequence: number, back: number): boolean {
    const session = this.#of(origin);
    if (incarnation < session.incarnation) return false;
    if (incarnation > session.incarnation) {
      session.incarnation = incarnation;
      session.last = 0;
      session.floor = 1;
      session.replies.length = 0;
    }
    if (sequence !== session.last + 1) return false;
    session.last = sequence;
    const floor = sequence - Math.min(back, this.#window - 1);
    for (; session.floor < floor; session.floor++) session.replies[session.floor % this.#window] = EMPTY;
    return true;
  }

  /** Keeps the reply to the command that was admitted last. */
  keep(origin: number, reply: Uint8Array): void {
    const session = this.#of(origin);
    // an array without holes, also when a snapshot begins in the midst of it
    const at = session.last % this.#window;
    while (session.replies.length < at) session.replies.push(EMPTY);
    session.replies[at] = reply;
  }

  /** The reply to a command, which was applied and is open. */
  replyTo(origin: number, sequence: number): Uint8Array {
    return this.#of(origin).replies[sequence % this.#window] ?? EMPTY;
  }

  #of(origin: number): Session {
    const session = this.#sessions[origin];
    if (session === undefined) throw malformed(`a command of replica ${origin} of ${this.#sessions.length}`);
    return session;
  }

  /** For each replica incarnation (u32), last, floor (f64), then the replies from floor to last, with lengths (u32). */
  encode(): Uint8Array {
    let length = 0;
    for (const session of this.#sessions) {
      length += 20;
      for (let s = session.floor; s <= session.last; s++) length += 4 + this.#reply(session, s).length;
    }
    const bytes = new Uint8Array(length);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (const session of this.#sessions) {
      view.setUint32(at, session.incarnation, true);
      view.setFloat64(at + 4, session.last, true);
      view.setFloat64(at + 12, session.floor, true);
      at += 20;
      for (let s = session.floor; s <= session.last; s++) {
        const reply = this.#reply(session, s);
        view.setUint32(at, reply.length, true);
        bytes.set(reply, at + 4);
        at += 4 + reply.length;
      }
    }
    return bytes;
  }

  #reply(session: Session, sequence: number): Uint8Array {
    return session.replies[sequence % this.#window] ?? EMPTY;
  }

  decode(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    const need = (more: number) => {
      if (at + more > bytes.length) throw malformed("a snapshot that is cut off");
    };
    for (const session of this.#sessions) {
      need(20);
      session.incarnation = view.getUint32(at, true);
      session.last = view.getFloat64(at + 4, true);
      session.floor = view.getFloat64(at + 12, true);
      at += 20;
      session.replies.length = 0;
      const replies: Uint8Array[] = [];
      for (let s = session.floor; s <= session.last; s++) {
        need(4);
        const length = view.getUint32(at, true);
        at += 4;
        need(length);
        // after a restart with a smaller window the older ones are of no use
        replies[s % this.#window] = bytes.slice(at, at + length);
        at += length;
      }
      session.floor = Math.max(session.floor, session.last - this.#window + 1);
      for (let i = 0; i < replies.length; i++) session.replies.push(replies[i] ?? EMPTY);
    }
  }
}
