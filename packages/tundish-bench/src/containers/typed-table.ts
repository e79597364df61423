/** What one writes by hand to count keys. */
import { mixed } from "./inputs.ts";

/** Counts by open addressing over typed arrays, with room for all keys from the start. */
export class TypedTable {
  readonly #keys: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #bits: number;

  constructor(most: number) {
    this.#bits = Math.ceil(Math.log2(1.33 * most));
    this.#keys = new Uint32Array(2 ** this.#bits);
    this.#counts = new Uint32Array(2 ** this.#bits);
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#counts.byteLength;
  }

  add(key: number): void {
    const keys = this.#keys;
    const counts = this.#counts;
    const mask = keys.length - 1;
    let slot = Math.imul(key, 0x9e3779b9) >>> (32 - this.#bits);
    while (counts[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & mask;
    keys[slot] = key;
    counts[slot]++;
  }

  /** The number of keys, and a sum of keys and counts that depends on no order. */
  entriesAndSum(): readonly [number, number] {
    let [entries, sum] = [0, 0];
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const count = this.#counts[slot] as number;
      entries += Number(count > 0);
      if (count > 0) sum = (sum + mixed(this.#keys[slot] as number, count)) >>> 0;
    }
    return [entries, sum];
  }
}
