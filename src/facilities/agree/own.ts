/**
 * The commands that were proposed at this replica and have no reply: those under way, at most `window`, each with a
 * sequence number, and those that wait. In each new epoch all that are under way go to its leader again, from the
 * lowest on: the sessions let each apply once. A proposal that was given up by its caller stays under way, as its
 * number must not be missing.
 */
import { Fifo } from "../../ground/base/fifo.ts";
import { bytesOf } from "../messages/bytes.ts";
import { OpenProposal, type Proposal } from "./proposal.ts";
import type { CommandSessions } from "./sessions.ts";
import type { MessageBatch } from "./wire/batch.ts";
import { COMMAND, type EntryHead } from "./wire/entries.ts";

interface Item {
  readonly kind: number;
  readonly command: Uint8Array;
  readonly proposal: OpenProposal;
}

export class Own {
  readonly #rank: number;
  readonly #window: number;
  readonly #waiting: Fifo<Item> = new Fifo();
  /** Those under way, by sequence number modulo the window. */
  readonly #open: (Item | undefined)[];
  /** The lowest sequence number under way, the next one, and the last one that was sent in this epoch. */
  #lowest = 1;
  #next = 1;
  #sent = 0;
  #incarnation = 0;
  readonly #head: { -readonly [K in keyof EntryHead]: EntryHead[K] };

  constructor(rank: number, window: number) {
    this.#rank = rank;
    this.#window = window;
    this.#open = new Array(window).fill(undefined);
    this.#head = { origin: rank, kind: COMMAND, incarnation: 0, sequence: 0, back: 0 };
  }

  /** 0 until {@link start}. */
  get incarnation(): number {
    return this.#incarnation;
  }

  get room(): number {
    return Math.max(0, this.#window - (this.#next - this.#lowest) - this.#waiting.length);
  }

  get isIdle(): boolean {
    return this.#next === this.#lowest && this.#waiting.length === 0;
  }

  /** From now on commands can go out. */
  start(incarnation: number): void {
    this.#incarnation = incarnation;
    this.#head.incarnation = incarnation;
  }

  /** @throws UsageError unless the command is bytes */
  propose(kind: number, command: ArrayBufferView): Proposal {
    // `slice` of a Buffer would not copy
    const bytes = new Uint8Array(bytesOf("propose", command));
    const proposal = new OpenProposal();
    this.#waiting.add({ kind, command: bytes, proposal });
    return proposal;
  }

  /** A new epoch: its leader gets all that is under way. */
  sendAgain(): void {
    this.#sent = this.#lowest - 1;
  }

  /** Writes what was not sent in this epoch to a batch, up to `most` bytes. @returns whether anything was written */
  write(batch: MessageBatch, most: number): boolean {
    if (this.#incarnation === 0) return false;
    const before = batch.count;
    while (batch.length < most) {
      if (this.#sent + 1 === this.#next && !this.#openNext()) break;
      const item = this.#open[++this.#sent % this.#window] as Item;
      this.#head.kind = item.kind;
      this.#head.sequence = this.#sent;
      this.#head.back = this.#sent - this.#lowest;
      batch.add(this.#head, item.command);
    }
    return batch.count > before;
  }

  /** The reply to the lowest that is under way. */
  resolve(sequence: number, reply: Uint8Array): void {
    const at = sequence % this.#window;
    this.#open[at]?.proposal.resolve(reply);
    this.#open[at] = undefined;
    this.#lowest = sequence + 1;
    if (this.#sent < sequence) this.#sent = sequence;
  }

  /** After a snapshot: what has it applied of those under way? */
  resolveFrom(sessions: CommandSessions): void {
    if (sessions.incarnationOf(this.#rank) !== this.#incarnation) return;
    const last = sessions.lastOf(this.#rank);
    while (this.#lowest <= last && this.#lowest < this.#next) {
      this.resolve(this.#lowest, sessions.replyTo(this.#rank, this.#lowest));
    }
  }

  /** No reply will come that anybody waits for. Those under way stay so. */
  reject(error: Error): void {
    for (let s = this.#lowest; s < this.#next; s++) this.#open[s % this.#window]?.proposal.reject(error);
    for (; this.#waiting.length > 0; this.#waiting.leave()) this.#waiting.first?.proposal.reject(error);
  }

  /** Whether the next one that waits is now under way. */
  #openNext(): boolean {
    const first = this.#waiting.first;
    if (first === undefined || this.#next - this.#lowest >= this.#window) return false;
    this.#open[this.#next++ % this.#window] = first;
    this.#waiting.leave();
    return true;
  }
}
