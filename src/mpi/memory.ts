/**
 * Where memory of JavaScript lies, as MPI is told: a number, which is found once for each buffer, as asking takes as long as
 * a call. Buffers do not move, also not a WebAssembly memory that grows within its maximum.
 */
import { addressOf } from "../base/native.ts";

/** Places in buffers; the last buffer asked for costs no more than a comparison. */
export class Places {
  readonly #bases = new WeakMap<ArrayBufferLike, number>();
  #last: ArrayBufferLike | null = null;
  #base = 0;

  /** The address of the first byte of a view; good as long as its buffer is. */
  of(view: Uint8Array | Int32Array): number {
    const { buffer } = view;
    if (buffer !== this.#last) this.#find(buffer);
    return this.#base + view.byteOffset;
  }

  #find(buffer: ArrayBufferLike): void {
    let base = this.#bases.get(buffer);
    if (base === undefined) {
      base = addressOf(new Uint8Array(buffer));
      this.#bases.set(buffer, base);
    }
    this.#last = buffer;
    this.#base = base;
  }
}
