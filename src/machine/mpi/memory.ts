/**
 * The address of JavaScript memory as MPI needs it: a number, determined once for each buffer, as that takes as long as
 * a call. Buffers do not move; neither does a WebAssembly memory that grows within its maximum.
 */
import { addressOf } from "../../ground/base/native/native.ts";

/** Addresses of buffers; for the last buffer used, the look-up is only a comparison. */
export class Addresses {
  readonly #bases = new WeakMap<ArrayBufferLike, number>();
  #last: ArrayBufferLike | null = null;
  #base = 0;

  /** The address of the first byte of a view; valid as long as its buffer exists. */
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
