/**
 * A board on which the PEs of a node and its main thread tell each other about the window over the heaps of all nodes
 * of the world.
 *
 *     ┌───────────┬───────────┬────────────┬──────────────────────────────┐
 *     │ STATE i32 │ BYTES i32 │ HANDLE f64 │ REASON: why there is none    │
 *     └───────────┴───────────┴────────────┴──────────────────────────────┘
 *
 * A PE wants it; the main thread makes it, with those of the other nodes, or says why it could not (window-relay.ts).
 */

const STATE = 0;
const BYTES = 1;
const HANDLE_AT = 8;
const REASON_AT = 16;
const REASON_BYTES = 1008;

// values of STATE
const NONE = 0;
const WANTED = 1;
const MADE = 2;
const REFUSED = 3;

/** The board, as seen by one thread. */
export class WindowBoard {
  /** Shared; of a size of its own. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #handle: Float64Array;
  readonly #reason: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(REASON_AT + REASON_BYTES)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, HANDLE_AT / 4);
    this.#handle = new Float64Array(memory, HANDLE_AT, 1);
    this.#reason = new Uint8Array(memory, REASON_AT);
  }

  /** Says that it is wanted, unless that was said before. */
  want(): void {
    Atomics.compareExchange(this.#words, STATE, NONE, WANTED);
  }

  get isWanted(): boolean {
    return Atomics.load(this.#words, STATE) === WANTED;
  }

  /** Whether it is made, or cannot be. */
  get isSettled(): boolean {
    // pairs with the stores of made and refused: what they say was written before
    return Atomics.load(this.#words, STATE) >= MADE;
  }

  /** Its handle in this process, once it is settled; null if there is none. */
  get handle(): number | null {
    return Atomics.load(this.#words, STATE) === MADE ? (this.#handle[0] as number) : null;
  }

  /** Why there is none, once it is settled. */
  get reason(): string {
    // a shared array cannot be decoded
    return new TextDecoder().decode(this.#reason.slice(0, this.#words[BYTES]));
  }

  made(handle: number): void {
    this.#handle[0] = handle;
    Atomics.store(this.#words, STATE, MADE);
  }

  refused(reason: string): void {
    const { read, written } = new TextEncoder().encodeInto(reason, new Uint8Array(REASON_BYTES));
    this.#reason.set(new TextEncoder().encode(reason.slice(0, read)));
    this.#words[BYTES] = written;
    Atomics.store(this.#words, STATE, REFUSED);
  }
}
