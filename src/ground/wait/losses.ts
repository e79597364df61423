/**
 * Lost PEs of a world that goes on without them (`onLoss: "continue"`): who they are, and why, as all PEs of the node
 * see it.
 *
 * A loss is for ever. It is published by the PE's phase in the wait area (layout.ts), with a text beside it, and by the
 * word TROUBLE, which hot code looks at: not 0 once the world has ended or a PE is lost.
 */
import { RankLostError } from "../base/errors.ts";
import { LINE } from "../memory/heap-layout.ts";
import { CONTINUES, LOSSES, PE_PHASE, PE_REASON, PHASE_LOST, peWord, TROUBLE } from "./layout.ts";

/** Bytes of a reason; the word before it has its length. */
const REASON_BYTES = LINE - 4 * (PE_REASON + 1);

/** In place of a length: a thread writes the reason. */
const WRITING = -1;

/** The losses of a world, as seen by one thread. */
export class Losses {
  readonly pes: number;
  readonly #i32: Int32Array;
  readonly #u8: Uint8Array;
  readonly #offset: number;

  /** @param offset byte offset of the wait area (layout.ts) in the heap */
  constructor(i32: Int32Array, offset: number, pes: number) {
    this.pes = pes;
    this.#i32 = i32;
    this.#u8 = new Uint8Array(i32.buffer);
    this.#offset = offset;
  }

  /** From now on the world goes on without a PE that is lost. Before its threads start. */
  continueAfter(): void {
    this.#i32[this.#offset / 4 + CONTINUES] = 1;
  }

  /** Whether the world goes on without a PE that is lost. */
  get areSurvived(): boolean {
    return this.#i32[this.#offset / 4 + CONTINUES] === 1;
  }

  /** How many PEs are lost. */
  get count(): number {
    // pairs with the addition in lose()
    return Atomics.load(this.#i32, this.#offset / 4 + LOSSES);
  }

  isLost(pe: number): boolean {
    // pairs with the exchange in lose()
    return Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_PHASE) === PHASE_LOST;
  }

  /** As {@link isLost}, and seen late perhaps: for who looks again and again. */
  hasLost(pe: number): boolean {
    return this.#i32[this.#offset / 4 + TROUBLE] !== 0 && this.isLost(pe);
  }

  /** The first of these PEs that is lost; -1 if none is. */
  firstOf(members: readonly number[]): number {
    if (this.count === 0) return -1;
    for (const pe of members) if (this.isLost(pe)) return pe;
    return -1;
  }

  /** All that are lost, in order of rank. */
  all(): number[] {
    const lost: number[] = [];
    if (this.count > 0) for (let pe = 0; pe < this.pes; pe++) if (this.isLost(pe)) lost.push(pe);
    return lost;
  }

  /**
   * A PE is lost. The caller then wakes every sleeper.
   * @param message a sentence, of which as much is kept as there is room for @returns false if it was lost already
   */
  lose(pe: number, message: string): boolean {
    const i32 = this.#i32;
    const line = peWord(this.#offset, pe);
    // of two that lose it at once the first one's reason counts, unless that one is killed here
    if (Atomics.compareExchange(i32, line + PE_REASON, 0, WRITING) > 0) return false;
    const text = fitting(message === "" ? "no reason is known" : message);
    this.#u8.set(text, 4 * (line + PE_REASON + 1));
    i32[line + PE_REASON] = text.length;
    // publishes the reason: pairs with the load in isLost()
    if (Atomics.exchange(i32, line + PE_PHASE, PHASE_LOST) === PHASE_LOST) return false;
    // pairs with the load in `count`
    Atomics.add(i32, this.#offset / 4 + LOSSES, 1);
    Atomics.store(i32, this.#offset / 4 + TROUBLE, 1);
    return true;
  }

  /** Why it is lost. */
  reasonOf(pe: number): string {
    const line = peWord(this.#offset, pe);
    const from = 4 * (line + PE_REASON + 1);
    return Buffer.from(this.#u8.slice(from, from + (this.#i32[line + PE_REASON] as number))).toString();
  }

  /** What calls throw that need a PE which is lost. */
  errorOf(pe: number): RankLostError {
    return new RankLostError(pe, `PE ${pe} is lost: ${this.reasonOf(pe)}`);
  }
}

/** As much of a text as there is room for. */
function fitting(message: string): Uint8Array {
  const text = Buffer.from(message);
  if (text.length <= REASON_BYTES) return text;
  const end = Buffer.from("…");
  let bytes = REASON_BYTES - end.length;
  // no part of a character
  while (bytes > 0 && ((text[bytes] as number) & 0xc0) === 0x80) bytes--;
  return Buffer.concat([text.subarray(0, bytes), end]);
}
