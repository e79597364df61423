/**
 * Messages of the measurements: shared memory, as the buffers of conveyors are.
 *
 *     word   0             1                   …
 *          ┌─────────────┬───────────────────┬───┐
 *          │ 1: the last │ who of the senders│   │
 *          └─────────────┴───────────────────┴───┘
 */

/** A message, or memory for one. */
export class Message {
  readonly bytes: Uint8Array;
  readonly #words: Int32Array;

  constructor(bytes: number) {
    const memory = new SharedArrayBuffer(bytes);
    this.bytes = new Uint8Array(memory);
    this.#words = new Int32Array(memory, 0, 2);
  }

  /** Of data: no further message follows. Of an answer: send no more. */
  get isLast(): boolean {
    return this.#words[0] === 1;
  }

  get sender(): number {
    return this.#words[1] as number;
  }

  /** Sets its marks. */
  mark(isLast: boolean, sender: number): this {
    this.#words[0] = isLast ? 1 : 0;
    this.#words[1] = sender;
    return this;
  }
}

/** The marks of a message. */
interface Marks {
  readonly isLast?: boolean;
  readonly sender?: number;
}

/** A message of at least 8 bytes. */
export function message(bytes: number, { isLast = false, sender = 0 }: Marks = {}): Message {
  return new Message(bytes).mark(isLast, sender);
}
