/** The numbers of a table's entries: from 0 on; those that were removed are given again, the last one first. */
import { NONE } from "./table.ts";

export class Entries {
  #end = 0;
  readonly #free: number[] = [];
  /** 1: free. Has no memory until an entry is removed. */
  #isFree = new Uint8Array(0);

  /** All numbers that were given are below it. */
  get end(): number {
    return this.#end;
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#isFree.byteLength + 8 * this.#free.length;
  }

  take(): number {
    const entry = this.#free.pop();
    if (entry === undefined) return this.#end++;
    this.#isFree[entry] = 0;
    return entry;
  }

  giveBack(entry: number): void {
    if (entry >= this.#isFree.length) {
      const larger = new Uint8Array(2 * this.#end);
      larger.set(this.#isFree);
      this.#isFree = larger;
    }
    this.#isFree[entry] = 1;
    this.#free.push(entry);
  }

  /** The next one in use; {@link NONE} behind the last. */
  next(entry: number): number {
    let next = entry + 1;
    if (this.#free.length > 0) while (this.#isFree[next] === 1) next++;
    return next < this.#end ? next : NONE;
  }

  clear(): void {
    this.#end = 0;
    this.#free.length = 0;
    this.#isFree = new Uint8Array(0);
  }
}
