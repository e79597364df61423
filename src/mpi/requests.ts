/**
 * Sends and receives that are under way, side by side, so that one call tests all of them.
 *
 *     slot       0        1        2        …
 *     handles  ┌────────┬────────┬────────┬───┐   a request each (4 or 8 bytes), or the one that is none
 *              └────────┴────────┴────────┴───┘
 */
import type { MpiLibrary } from "./library.ts";
import { Places } from "./memory.ts";

/** The MPI that requests are made of: its functions, and the check of what they return. */
interface Caller {
  readonly library: MpiLibrary;
  check(call: string, error: number): void;
}

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
  readonly #mpi: Caller;
  readonly #places = new Places();
  readonly #handles: Uint8Array;
  /** By slot: where its request lies. */
  readonly #each: Float64Array;
  /** By slot: the memory that MPI uses, kept as long as that. */
  readonly #held: (Uint8Array | undefined)[];
  readonly #statuses: Int32Array;
  readonly #completed = new Int32Array(1);
  /** Of these four and of {@link slots}. */
  readonly #handlesAt: number;
  readonly #statusesAt: number;
  readonly #completedAt: number;
  readonly #slotsAt: number;
  /** By slot: 1 where something is under way; and no slot from #top on has anything, so that MPI looks at few. */
  readonly #busy: Uint8Array;
  #top = 0;

  /** @internal see Mpi.requests */
  constructor(mpi: Caller, size: number) {
    const { abi } = mpi.library;
    this.#mpi = mpi;
    this.size = size;
    this.slots = new Int32Array(size);
    this.sources = new Int32Array(size);
    this.tags = new Int32Array(size);
    this.bytes = new Int32Array(size);
    this.#handles = new Uint8Array(size * abi.requestBytes);
    this.#handlesAt = this.#places.of(this.#handles);
    this.#each = Float64Array.from({ length: size }, (_, slot) => this.#handlesAt + slot * abi.requestBytes);
    this.#held = new Array<Uint8Array | undefined>(size).fill(undefined);
    this.#statuses = new Int32Array(size * abi.statusWords);
    this.#statusesAt = this.#places.of(this.#statuses);
    this.#completedAt = this.#places.of(this.#completed);
    this.#slotsAt = this.#places.of(this.slots);
    this.#busy = new Uint8Array(size);
    for (let slot = 0; slot < size; slot++) this.#clear(slot);
  }

  #clear(slot: number): void {
    const { requestNull, abi } = this.#mpi.library;
    const view = new DataView(this.#handles.buffer);
    if (abi.requestBytes === 8) view.setBigUint64(slot * 8, BigInt(requestNull), true);
    else view.setUint32(slot * 4, requestNull, true);
  }

  #begun(slot: number): void {
    this.active++;
    this.#busy[slot] = 1;
    if (slot >= this.#top) this.#top = slot + 1;
  }

  /**
   * Sends the first `length` of `bytes`, which must stay as they are until the slot is free again.
   * @throws MpiError
   */
  send(slot: number, bytes: Uint8Array, dest: number, tag: number, length: number = bytes.length): void {
    const { functions, byte, world } = this.#mpi.library;
    const from = this.#places.of(bytes);
    this.#held[slot] = bytes;
    this.#mpi.check("MPI_Isend", functions.isend(from, length, byte, dest, tag, world, this.#each[slot]));
    this.#begun(slot);
  }

  /** As {@link send}, of all `bytes`; it is not over before their receive has begun. @throws MpiError */
  sendSynchronously(slot: number, bytes: Uint8Array, dest: number, tag: number): void {
    const { functions, byte, world } = this.#mpi.library;
    const from = this.#places.of(bytes);
    this.#held[slot] = bytes;
    const error = functions.issend(from, bytes.length, byte, dest, tag, world, this.#each[slot]);
    this.#mpi.check("MPI_Issend", error);
    this.#begun(slot);
  }

  /** Receives at most `bytes.length` bytes. @param source a rank, or -1 for any @throws MpiError */
  receive(slot: number, bytes: Uint8Array, source: number, tag: number): void {
    const { functions, byte, world, abi } = this.#mpi.library;
    const from = source < 0 ? abi.anySource : source;
    const into = this.#places.of(bytes);
    this.#held[slot] = bytes;
    const error = functions.irecv(into, bytes.length, byte, from, tag, world, this.#each[slot]);
    this.#mpi.check("MPI_Irecv", error);
    this.#begun(slot);
  }

  /** Ends a receive that nothing came for; {@link test} says when it is over. @throws MpiError */
  cancel(slot: number): void {
    const { functions } = this.#mpi.library;
    this.#mpi.check("MPI_Cancel", functions.cancel(this.#each[slot]));
  }

  /** How many are over since the last call; {@link slots} says which, and they are free. @throws MpiError */
  test(): number {
    if (this.active === 0) return 0;
    const { functions, abi } = this.#mpi.library;
    const { statusWords, source, tag, count } = abi;
    const error = functions.testsome(
      this.#top,
      this.#handlesAt,
      this.#completedAt,
      this.#slotsAt,
      this.#statusesAt,
    );
    this.#mpi.check("MPI_Testsome", error);
    const some = this.#completed[0] as number;
    const completed = some === abi.undefined ? 0 : some;
    for (let i = 0; i < completed; i++) {
      const status = i * statusWords;
      const slot = this.slots[i];
      this.#held[slot] = undefined;
      this.#busy[slot] = 0;
      this.sources[i] = this.#statuses[status + source] as number;
      this.tags[i] = this.#statuses[status + tag] as number;
      this.bytes[i] = this.#statuses[status + count] as number;
    }
    this.active -= completed;
    while (this.#top > 0 && this.#busy[this.#top - 1] === 0) this.#top--;
    return completed;
  }
}
