/**
 * The memory that the threads of a node share: the buffers of each PE, and the words by which they go from hand to hand.
 *
 *     words                                       buffers
 *     PE 0: out 0 … 3, in 0 … 7 | PE 1: …       | PE 0: out 0 … 3, in 0 … 7 | PE 1: …
 *     └ 128 bytes each: nobody writes beside another's word     └ not at powers of two: those would share lines of a cache
 *
 * A word says whose its buffer is. Each goes to and fro between the same two threads, and each gives away only what it has:
 *
 *     out    0: the PE's, to be filled       1: the driver's, to be sent
 *     in     0: the driver's, to receive     1: the PE's, to be read
 *
 * Who gives a buffer away does it by Atomics.store, which is seen by the other's Atomics.load; so what was written into the buffer
 * before is seen as well. All words are 0 between two batches.
 */
import { LEADS } from "./drivers-job.ts";

/** Buffers that go out, and that come in, of a PE. */
export const OUT: number = Math.max(...Object.values(LEADS).flat());
/**
 * The other PE is no further ahead of what it has got than {@link OUT}, and what it got we have sent, with as much again ahead: with
 * twice as many receives there is always one begun.
 */
export const IN: number = 2 * OUT;

const LINE_BYTES = 128;

/** Bytes from buffer to buffer. */
const strideOf = (bytes: number): number => bytes + LINE_BYTES;

/** The memory of a node whose messages have `bytes` at most. */
export const driversMemory = (pes: number, bytes: number): SharedArrayBuffer =>
  new SharedArrayBuffer(pes * (OUT + IN) * (LINE_BYTES + strideOf(bytes)));

/** One PE's part of it, for messages of one size. */
export class LinkMemory {
  readonly #words: Int32Array;
  readonly #first: number;
  /** Buffers, as MPI and as the PE sees them. */
  readonly out: readonly Uint8Array[];
  readonly in: readonly Uint8Array[];
  readonly outWords: readonly Int32Array[];
  readonly inWords: readonly Int32Array[];

  constructor(memory: SharedArrayBuffer, pe: number, pes: number, bytes: number) {
    this.#words = new Int32Array(memory);
    this.#first = pe * (OUT + IN);
    const buffers = pes * (OUT + IN) * LINE_BYTES;
    const at = (index: number) => buffers + (this.#first + index) * strideOf(bytes);
    const list = <T>(count: number, make: (index: number) => T) =>
      Array.from({ length: count }, (_, i) => make(i));
    this.out = list(OUT, (i) => new Uint8Array(memory, at(i), bytes));
    this.in = list(IN, (i) => new Uint8Array(memory, at(OUT + i), bytes));
    this.outWords = this.out.map(({ byteOffset }) => new Int32Array(memory, byteOffset, bytes / 4));
    this.inWords = this.in.map(({ byteOffset }) => new Int32Array(memory, byteOffset, bytes / 4));
  }

  /** Whose a buffer is that goes out. The acquire to {@link giveOut}. */
  whoseOut(buffer: number): number {
    return Atomics.load(this.#words, this.#at(buffer));
  }

  /** Gives it away. The release to {@link whoseOut}. */
  giveOut(buffer: number, to: 0 | 1): void {
    Atomics.store(this.#words, this.#at(buffer), to);
  }

  /** Whose a buffer is that comes in. The acquire to {@link giveIn}. */
  whoseIn(buffer: number): number {
    return Atomics.load(this.#words, this.#at(OUT + buffer));
  }

  /** Gives it away. The release to {@link whoseIn}. */
  giveIn(buffer: number, to: 0 | 1): void {
    Atomics.store(this.#words, this.#at(OUT + buffer), to);
  }

  #at(index: number): number {
    return ((this.#first + index) * LINE_BYTES) / 4;
  }
}
