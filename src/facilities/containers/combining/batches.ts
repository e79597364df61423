/**
 * Keys that have come once, gathered by their owner: whole numbers of up to 32 bits. A batch is one operation, and its
 * owner reads the memory of all its keys at once.
 *
 *     keys      PE 0: 7 7 5 9 . . . .     PE 1: 3 8 . . . . . .
 *     lengths   4                         2
 */

/** Keys of a batch, at most: as many reads as a processor has under way, and little cost for each operation. */
const MOST = 256;
/** Keys of all batches: many PEs have smaller ones. */
const MOST_OF_ALL = 2 ** 15;

export class KeyBatches {
  readonly keys: Uint32Array;
  /** Keys of a batch, at most. */
  readonly most: number;
  readonly #lengths: Uint32Array;

  /** @param owners number of PEs @param fitting keys for which an operation has room */
  constructor(owners: number, fitting: number) {
    this.most = Math.max(1, Math.min(MOST, fitting, Math.floor(MOST_OF_ALL / owners)));
    this.keys = new Uint32Array(owners * this.most);
    this.#lengths = new Uint32Array(owners);
  }

  /** Adds a key. @returns whether the batch of its owner is full: it has to be emptied before the next key */
  add(owner: number, key: number): boolean {
    const length = this.#lengths[owner] as number;
    this.keys[owner * this.most + length] = key;
    this.#lengths[owner] = length + 1;
    return length + 1 === this.most;
  }

  /** Where the keys of an owner begin. */
  startOf(owner: number): number {
    return owner * this.most;
  }

  /** Empties the batch of an owner; its keys stay where they are until the next one. @returns their number */
  take(owner: number): number {
    const length = this.#lengths[owner] as number;
    this.#lengths[owner] = 0;
    return length;
  }
}
