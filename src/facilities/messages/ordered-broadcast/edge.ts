/** An edge of the tree at one of its members: a queue pair, submissions upwards, and ordered messages downwards. */
import type { Pair, PartReceiver, PartSender } from "../../../pe/pairs/parts.ts";
import { FROM, HEAD_BYTES, HELLO, KIND } from "./layout.ts";
import type { LogCursor } from "./log.ts";

/** One member's side of it. */
export class Edge {
  /** The other member, by rank in the group. */
  readonly peer: number;
  /** How far a child has got in the log; null for the parent. */
  readonly cursor: LogCursor | null;
  readonly sender: PartSender;
  readonly receiver: PartReceiver;
  readonly #pair: Pair;
  readonly #i32: Int32Array;
  readonly #own: number;
  /** Whether it is known that the other member has made its end: its HELLO has come. */
  isKnown = false;
  #hasGreeted = false;

  /** @param i32 the heap @param own this member's rank */
  constructor(i32: Int32Array, own: number, peer: number, pair: Pair, cursor: LogCursor | null) {
    this.peer = peer;
    this.cursor = cursor;
    this.sender = pair.sender;
    this.receiver = pair.receiver;
    this.#pair = pair;
    this.#i32 = i32;
    this.#own = own;
    this.#greet();
  }

  #greet(): boolean {
    const at = this.sender.tryClaim(HEAD_BYTES);
    if (at < 0) return false;
    this.#hasGreeted = true;
    this.publish(at, this.#own, HELLO, 0, true);
    return true;
  }

  /** Byte offset in the heap of the next part's head; -1 while there is no room. @param bytes of its content */
  tryClaim(bytes: number): number {
    if (!this.#hasGreeted && !this.#greet()) return -1;
    return this.sender.tryClaim(HEAD_BYTES + bytes);
  }

  /** Hands over the part that was claimed last. @param at its head */
  publish(at: number, from: number, kind: number, bytes: number, isLast: boolean): void {
    this.#i32[at / 4 + FROM] = from;
    this.#i32[at / 4 + KIND] = kind;
    this.sender.publish(HEAD_BYTES + bytes, isLast);
  }

  /** The head of the oldest part that has come; -1 if there is none. HELLO is taken by the way. */
  tryPart(): number {
    for (;;) {
      const at = this.receiver.tryWait();
      if (at < 0 || this.#i32[at / 4 + KIND] !== HELLO) return at;
      this.isKnown = true;
      this.receiver.release();
    }
  }

  /** Bytes of the content of the part that was found last. */
  get bytes(): number {
    return this.receiver.bytes - HEAD_BYTES;
  }

  /** Whether the other member has closed its end, and all that it sent before was received. */
  get isOver(): boolean {
    // the first look is the cheaper one; the last one is at what came before the end was closed
    return this.sender.isClosed && this.receiver.isOver && this.tryPart() < 0;
  }

  close(): void {
    this.#pair.close(false);
  }

  /** Whether nothing is left to be done for it, once it is closed. */
  get isDone(): boolean {
    return this.#pair.isOver;
  }
}
