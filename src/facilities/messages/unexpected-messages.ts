/**
 * Messages that have come before they were asked for, by sender and tag (MPI's unexpected messages): a queue for each
 * pair of them that there is, so that a receive that names both finds its message at once. One that leaves either open
 * looks at the first message of each queue.
 */
import { Fifo } from "../../ground/base/fifo.ts";

/** Which messages a receive takes. */
export interface MessageFilter {
  /** The sender, by rank in the group. @default any */
  readonly from?: number | undefined;
  /** @default any */
  readonly tag?: number | undefined;
}

/** A message. */
export interface Message {
  /** The sender, by rank in the group. */
  readonly from: number;
  readonly tag: number;
  /** Its content: a view that is valid until the next call of a receive. */
  readonly bytes: Uint8Array;
}

/** Tags are below this. */
const TAGS = 2 ** 31;

/** A message, and its number in the order in which all have come. */
interface Kept {
  readonly message: Message;
  readonly number: number;
}

export class UnexpectedMessages {
  readonly #queues = new Map<number, Fifo<Kept>>();
  /** Messages that were added so far. */
  added = 0;

  /** Keeps a message; its bytes are copied. */
  add({ from, tag, bytes }: Message): void {
    const key = from * TAGS + tag;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new Fifo();
      this.#queues.set(key, queue);
    }
    queue.add({ message: { from, tag, bytes: bytes.slice() }, number: this.added++ });
  }

  /** The message that came first of those that the filter takes; it stays. */
  find(filter: MessageFilter): Message | undefined {
    return this.#first(filter)?.first?.message;
  }

  /** As {@link find}, and removes it. */
  take(filter: MessageFilter): Message | undefined {
    const queue = this.#first(filter);
    const kept = queue?.first;
    if (queue === undefined || kept === undefined) return undefined;
    queue.leave();
    const { from, tag } = kept.message;
    if (queue.length === 0) this.#queues.delete(from * TAGS + tag);
    return kept.message;
  }

  clear(): void {
    this.#queues.clear();
  }

  /** The queue whose first message is the one. */
  #first({ from, tag }: MessageFilter): Fifo<Kept> | undefined {
    if (this.#queues.size === 0) return undefined;
    if (from !== undefined && tag !== undefined) return this.#queues.get(from * TAGS + tag);
    let first: Fifo<Kept> | undefined;
    for (const queue of this.#queues.values()) {
      const { message, number } = queue.first as Kept;
      if ((from !== undefined && message.from !== from) || (tag !== undefined && message.tag !== tag)) continue;
      if (first === undefined || number < (first.first as Kept).number) first = queue;
    }
    return first;
  }
}
