/**
 * Sends and receives that are under way, side by side, so that one call tests all of them.
 *
 *     slot       0        1        2        …
 *     handles  ┌────────┬────────┬────────┬───┐   a request each (4 or 8 bytes), or the one that is none
 *              └────────┴────────┴────────┴───┘
 */
import type { Mpi } from "./mpi.ts";

/** The requests of one thread. A slot is free, or holds one send or receive until {@link test} says that it is over. */
export class Requests {
  readonly size: number;
  /** Slots in use. */
  active = 0;
  /** Of what {@link test} has found, in order: slots; source, tag and bytes of those that were receives. */
  readonly slots: Int32Array;
  readonly sources: Int32Array;
  readonly tags: Int32Array;
  readonly bytes: Int32Array;
  readonly #mpi: Mpi;
  readonly #handles: Uint8Array;
  /** The memory of each request. */
  readonly #each: readonly Uint8Array[];
  /** By slot: the memory that MPI uses, kept as long as that. */
  readonly #held: (Uint8Array | undefined)[];
  readonly #statuses: Int32Array;
  /** An array of one, whose address koffi passes on: to copy a number out of one of its own takes five times as long. */
  readonly #completed = new Int32Array(1);

  /** @internal see Mpi.requests */
  constructor(mpi: Mpi, size: number) {
    const { abi } = mpi.library;
    this.#mpi = mpi;
    this.size = size;
    this.slots = new Int32Array(size);
    this.sources = new Int32Array(size);
    this.tags = new Int32Array(size);
    this.bytes = new Int32Array(size);
    this.#handles = new Uint8Array(size * abi.requestBytes);
    this.#each = Array.from({ length: size }, (_, slot) =>
      this.#handles.subarray(slot * abi.requestBytes, (slot + 1) * abi.requestBytes),
    );
    this.#held = new Array<Uint8Array | undefined>(size).fill(undefined);
    this.#statuses = new Int32Array(size * abi.statusWords);
    for (let slot = 0; slot < size; slot++) this.#clear(slot);
  }

  #clear(slot: number): void {
    const { requestNull } = this.#mpi.library;
    const view = new DataView(this.#handles.buffer);
    if (typeof requestNull === "bigint") view.setBigUint64(slot * 8, requestNull, true);
    else view.setUint32(slot * 4, requestNull, true);
  }

  /**
   * Sends the first `length` of `bytes`, which must stay as they are until the slot is free again.
   * @throws MpiError
   */
  send(slot: number, bytes: Uint8Array, dest: number, tag: number, length: number = bytes.length): void {
    const { functions, byte, world } = this.#mpi.library;
    const request = this.#each[slot] as Uint8Array;
    this.#held[slot] = bytes;
    this.#mpi.check("MPI_Isend", functions.isend(bytes, length, byte, dest, tag, world, request));
    this.active++;
  }

  /** As {@link send}, of all `bytes`; it is not over before their receive has begun. @throws MpiError */
  sendSynchronously(slot: number, bytes: Uint8Array, dest: number, tag: number): void {
    const { functions, byte, world } = this.#mpi.library;
    const request = this.#each[slot] as Uint8Array;
    this.#mpi.check("MPI_Issend", functions.issend(bytes, bytes.length, byte, dest, tag, world, request));
    this.active++;
  }

  /** Receives at most `bytes.length` bytes. @param source a rank, or -1 for any @throws MpiError */
  receive(slot: number, bytes: Uint8Array, source: number, tag: number): void {
    const { functions, byte, world, abi } = this.#mpi.library;
    const request = this.#each[slot] as Uint8Array;
    const from = source < 0 ? abi.anySource : source;
    this.#held[slot] = bytes;
    this.#mpi.check("MPI_Irecv", functions.irecv(bytes, bytes.length, byte, from, tag, world, request));
    this.active++;
  }

  /** Ends a receive that nothing came for; {@link test} says when it is over. @throws MpiError */
  cancel(slot: number): void {
    const { functions } = this.#mpi.library;
    this.#mpi.check("MPI_Cancel", functions.cancel(this.#each[slot] as Uint8Array));
  }

  /** How many are over since the last call; {@link slots} says which, and they are free. @throws MpiError */
  test(): number {
    if (this.active === 0) return 0;
    const { functions, abi } = this.#mpi.library;
    const { statusWords, source, tag, count } = abi;
    const error = functions.testsome(this.size, this.#handles, this.#completed, this.slots, this.#statuses);
    this.#mpi.check("MPI_Testsome", error);
    const some = this.#completed[0] as number;
    const completed = some === abi.undefined ? 0 : some;
    for (let i = 0; i < completed; i++) {
      const status = i * statusWords;
      this.#held[this.slots[i]] = undefined;
      this.sources[i] = this.#statuses[status + source] as number;
      this.tags[i] = this.#statuses[status + tag] as number;
      this.bytes[i] = this.#statuses[status + count] as number;
    }
    this.active -= completed;
    return completed;
  }
}
