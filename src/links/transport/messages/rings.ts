/**
 * Messages through memory, between PEs of nodes that have mapped each other's heaps: a ring in the receiver's heap for
 * each sender, written by the sender and read where it is (layout.ts).
 *
 * The sender stores FULL after a message, the receiver clears it when it has read that; both take the slots in turn. So
 * a short message and its flag are one cache line.
 *
 * Source: the channels of Barrelfish (UMP) and FastForward, with a flag in each slot.
 */
import { keepsOrder } from "../../../ground/memory/order.ts";
import { BY_MPI, type Nodes } from "../nodes.ts";
import { FROM, FULL, RING_SLOTS, ringTo, SLOT_BYTES } from "./layout.ts";

const SLOT_WORDS: number = SLOT_BYTES / 4;

/** The word index of the slot after `word`, in a ring that begins at word `first`. */
const after = (first: number, word: number): number =>
  word + SLOT_WORDS === first + RING_SLOTS * SLOT_WORDS ? first : word + SLOT_WORDS;

/** Stores a flag, after everything stored before; pairs with the load in {@link flagAt} of the PE at the other end. */
function setFlag(i32: Int32Array, isOrdered: boolean, word: number, value: number): void {
  if (isOrdered) i32[word] = value;
  else Atomics.store(i32, word, value);
}

/** A flag, before everything loaded after it; pairs with the store in {@link setFlag}. */
const flagAt = (i32: Int32Array, isOrdered: boolean, word: number): number =>
  isOrdered ? i32[word] : Atomics.load(i32, word);

/** The rings that a PE reads. */
export class RingsIn {
  readonly #i32: Int32Array;
  readonly #isOrdered = keepsOrder();
  /** By sender: word index of the ring, and of the slot of its next message. */
  readonly #first: Int32Array;
  readonly #slot: Int32Array;
  /** The sender that is looked at first, and that of the last message found. */
  #next = 0;
  #last = 0;

  /** @param rings byte offsets */
  constructor(i32: Int32Array, rings: readonly number[]) {
    this.#i32 = i32;
    this.#first = Int32Array.from(rings, (ring) => ring / 4);
    this.#slot = this.#first.slice();
  }

  /** Byte offset of the next message; -1 if there is none. Then call {@link again} before the next look. */
  look(): number {
    const i32 = this.#i32;
    const slots = this.#slot;
    const { length } = slots;
    let sender = this.#next;
    for (let looked = 0; looked < length; looked++) {
      const word = slots[sender];
      const next = sender + 1 === length ? 0 : sender + 1;
      if (flagAt(i32, this.#isOrdered, word + FULL) !== 0) {
        this.#last = sender;
        this.#next = next;
        return 4 * word;
      }
      sender = next;
    }
    return -1;
  }

  /** The message of {@link look} was read: its slot is free again. */
  again(): void {
    const sender = this.#last;
    const word = this.#slot[sender];
    this.#slot[sender] = after(this.#first[sender], word);
    setFlag(this.#i32, this.#isOrdered, word + FULL, 0);
  }
}

/** The rings that a PE writes. */
export class RingsOut {
  readonly #i32: Int32Array;
  readonly #isOrdered = keepsOrder();
  readonly #rank: number;
  /** By rank in the world: word index of the ring, negative if there is none; and of the slot of its next message. */
  readonly #first: Int32Array;
  readonly #slot: Int32Array;

  constructor(i32: Int32Array, nodes: Nodes, rank: number) {
    const size = nodes.starts.at(-1) as number;
    this.#i32 = i32;
    this.#rank = rank;
    this.#first = Int32Array.from({ length: size }, (_, to) => {
      const ring = ringTo(nodes, rank, to);
      return ring === BY_MPI ? -1 : ring / 4;
    });
    this.#slot = this.#first.slice();
  }

  /** Whether there is a ring for a PE. */
  leadTo(to: number): boolean {
    return this.#first[to] >= 0;
  }

  /** Byte offset of the slot for the next message to a PE; -1 while it is in use. */
  next(to: number): number {
    const word = this.#slot[to];
    return flagAt(this.#i32, this.#isOrdered, word + FULL) === 0 ? 4 * word : -1;
  }

  /** Sends the message that was written into the slot of {@link next}. */
  post(to: number): void {
    const word = this.#slot[to];
    const next = after(this.#first[to], word);
    this.#slot[to] = next;
    setFlag(this.#i32, this.#isOrdered, word + FULL, 1);
    // what is there already, whether the slot is free or not: so the line is this CPU's when the next message is
    // written
    this.#i32[next + FROM] = this.#rank;
  }
}
