/**
 * Concurrent sends and receives, so that one call tests all of them.
 *
 *     slot       0        1        2        …
 *     handles  ┌────────┬────────┬────────┬───┐   a request each (4 or 8 bytes), or the null request
 *              └────────┴────────┴────────┴───┘
 *
 * A receive that is posted again and again is prepared once, and then only started: that takes a quarter less time, as
 * koffi converts one argument in place of seven.
 *
 * MPI counts bytes in an int. Longer content is sent in pieces, one after another, in the same slot; both ends do so,
 * as both know the length. Messages of one tag between two ranks arrive in the order in which they were sent (MPI 3.1,
 * section 3.5).
 */
import type { Address, Handle, MpiLibrary } from "./library.ts";
import { Addresses } from "./memory.ts";

/** The MPI of the requests: its functions, and the check of their error codes. */
interface Caller {
  readonly library: MpiLibrary;
  check(call: string, error: number): void;
}

/** Largest number of bytes of one MPI call. */
const PIECE_BYTES = 2 ** 30;

/** A send or receive in pieces: how the next one is begun, and the number of bytes left. */
interface Pieces {
  begin(at: number, bytes: number): void;
  at: number;
  left: number;
}

/** The requests of one thread. A slot is free, or has one send or receive until {@link test} reports it. */
export class Requests {
  readonly size: number;
  /** Number of slots in use. */
  active = 0;
  /** The completed requests of the last {@link test}, in order: slots; and source, tag and bytes of receives. */
  readonly slots: Int32Array;
  readonly sources: Int32Array;
  readonly tags: Int32Array;
  readonly bytes: Int32Array;
  readonly #mpi: Caller;
  readonly #places = new Addresses();
  readonly #handles: Uint8Array;
  /** By slot: the address of its request. */
  readonly #each: Float64Array;
  /**
   * By slot: the memory that MPI uses, or used last, referenced so that it is not collected; and its address, as it is
   * mostly the same again, and the buffer of a typed array is not known without a call of 0.1 us.
   */
  readonly #held: (Uint8Array | undefined)[];
  readonly #heldAt: Float64Array;
  readonly #statuses: Int32Array;
  readonly #completed = new Int32Array(1);
  /** Addresses of these four arrays and of {@link slots}. */
  readonly #handlesAt: number;
  readonly #statusesAt: number;
  readonly #completedAt: number;
  readonly #slotsAt: number;
  /** By slot: a transfer in pieces; and the number of such slots. */
  readonly #pieces: (Pieces | undefined)[];
  #pieced = 0;
  readonly #pieceBytes: number;
  /** By slot: 1 if it is in use. No slot from #top on is in use, so that MPI tests few. */
  readonly #busy: Uint8Array;
  #top = 0;
  /** By slot: 1 if a receive is prepared there. */
  readonly #prepared: Uint8Array;

  /** As Mpi.requests. */
  constructor(mpi: Caller, size: number, pieceBytes: number = PIECE_BYTES) {
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
    this.#pieces = new Array<Pieces | undefined>(size).fill(undefined);
    this.#heldAt = new Float64Array(size);
    this.#prepared = new Uint8Array(size);
    this.#pieceBytes = pieceBytes;
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

  /** The address of memory that a slot uses from now on. */
  #hold(slot: number, bytes: Uint8Array): Address {
    if (this.#held[slot] !== bytes) {
      this.#held[slot] = bytes;
      this.#heldAt[slot] = this.#places.of(bytes);
    }
    return this.#heldAt[slot] as Address;
  }

  /** Sends `length` bytes from `start` on, which must not change until the slot is free. @throws MpiError */
  send(slot: number, bytes: Uint8Array, dest: number, tag: number, length: number = bytes.length, start = 0): void {
    const from = this.#hold(slot, bytes) + start;
    if (length <= this.#pieceBytes) this.#isend(slot, from, length, dest, tag);
    else this.#inPieces(slot, from, length, (at, piece) => this.#isend(slot, at, piece, dest, tag));
    this.#begun(slot);
  }

  #isend(slot: number, from: Address, bytes: number, dest: number, tag: number): void {
    const { functions, byte, world } = this.#mpi.library;
    const error = functions.isend(from, bytes, byte, dest, tag, world, this.#each[slot]);
    if (error !== 0) this.#mpi.check("MPI_Isend", error);
  }

  /** As {@link send}, of all `bytes`; it does not complete before their receive has begun. @throws MpiError */
  sendSynchronously(slot: number, bytes: Uint8Array, dest: number, tag: number): void {
    const { length } = bytes;
    const from = this.#hold(slot, bytes);
    if (length <= this.#pieceBytes) this.#issend(slot, from, length, dest, tag);
    else this.#inPieces(slot, from, length, (at, piece) => this.#issend(slot, at, piece, dest, tag));
    this.#begun(slot);
  }

  #issend(slot: number, from: Address, bytes: number, dest: number, tag: number): void {
    const { functions, byte, world } = this.#mpi.library;
    this.#mpi.check("MPI_Issend", functions.issend(from, bytes, byte, dest, tag, world, this.#each[slot]));
  }

  /**
   * Receives at most `bytes.length` bytes; if they are more than 2^30, exactly that number, from a given rank.
   * @param source a rank, or -1 for any
   * @throws MpiError
   */
  receive(slot: number, bytes: Uint8Array, source: number, tag: number): void {
    const { length } = bytes;
    const into = this.#hold(slot, bytes);
    if (length <= this.#pieceBytes) this.#irecv(slot, into, length, source, tag);
    else this.#inPieces(slot, into, length, (at, piece) => this.#irecv(slot, at, piece, source, tag));
    this.#begun(slot);
  }

  #irecv(slot: number, into: Address, bytes: number, source: number, tag: number): void {
    const { functions, byte, world, abi } = this.#mpi.library;
    const from = source < 0 ? abi.anySource : source;
    this.#mpi.check("MPI_Irecv", functions.irecv(into, bytes, byte, from, tag, world, this.#each[slot]));
  }

  /**
   * Reads `count` elements of the memory of a rank in a window, and changes them by an operator, each at once
   * (MPI_Rget_accumulate). It completes when that is done. The memory here must stay until then, and be shared: nothing
   * refers to it.
   * @param from the operand @param into where the elements as they were are written @param at byte in the window of
   * that rank
   * @throws MpiError
   */
  getAccumulate(
    slot: number,
    window: Handle,
    op: Handle,
    type: Handle,
    from: Address,
    into: Address,
    count: number,
    rank: number,
    at: number,
  ): void {
    const { functions } = this.#mpi.library;
    const request = this.#each[slot] as Address;
    const error = functions.rgetAccumulate(
      from,
      count,
      type,
      into,
      count,
      type,
      rank,
      at,
      count,
      type,
      op,
      window,
      request,
    );
    if (error !== 0) this.#mpi.check("MPI_Rget_accumulate", error);
    this.#begun(slot);
  }

  /**
   * Prepares a receive of at most `bytes.length` bytes (2^30 at most) in a slot that is used for nothing else; then
   * {@link start} it.
   * @param source a rank, or -1 for any
   * @throws MpiError
   */
  prepare(slot: number, bytes: Uint8Array, source: number, tag: number): void {
    const { functions, byte, world, abi } = this.#mpi.library;
    const into = this.#hold(slot, bytes);
    this.#prepared[slot] = 1;
    const from = source < 0 ? abi.anySource : source;
    const error = functions.recvInit(into, bytes.length, byte, from, tag, world, this.#each[slot]);
    this.#mpi.check("MPI_Recv_init", error);
  }

  /** Starts a prepared receive. @throws MpiError */
  start(slot: number): void {
    const error = this.#mpi.library.functions.start(this.#each[slot]);
    if (error !== 0) this.#mpi.check("MPI_Start", error);
    this.#begun(slot);
  }

  /** Gives up the prepared receives, none of which is in progress. @throws MpiError */
  unprepare(): void {
    const { functions } = this.#mpi.library;
    for (let slot = 0; slot < this.size; slot++) {
      if (this.#prepared[slot] === 0) continue;
      this.#prepared[slot] = 0;
      this.#mpi.check("MPI_Request_free", functions.requestFree(this.#each[slot]));
    }
  }

  #inPieces(slot: number, at: Address, bytes: number, begin: Pieces["begin"]): void {
    const pieces = { begin, at, left: bytes };
    this.#next(pieces);
    this.#pieces[slot] = pieces;
    this.#pieced++;
  }

  #next(pieces: Pieces): void {
    const bytes = Math.min(this.#pieceBytes, pieces.left);
    pieces.begin(pieces.at, bytes);
    pieces.at += bytes;
    pieces.left -= bytes;
  }

  /** Starts the next pieces of requests; the number of slots that completed the last, moved to the front. */
  #goOn(completed: number): number {
    let over = 0;
    for (let i = 0; i < completed; i++) {
      const slot = this.slots[i];
      const pieces = this.#pieces[slot];
      if (pieces !== undefined && pieces.left > 0) {
        this.#next(pieces);
        continue;
      }
      if (pieces !== undefined) {
        this.#pieces[slot] = undefined;
        this.#pieced--;
      }
      const { statusWords } = this.#mpi.library.abi;
      this.slots[over] = slot;
      this.#statuses.copyWithin(over * statusWords, i * statusWords, (i + 1) * statusWords);
      over++;
    }
    return over;
  }

  /** Cancels a receive; {@link test} reports its completion. @throws MpiError */
  cancel(slot: number): void {
    const { functions } = this.#mpi.library;
    const pieces = this.#pieces[slot];
    if (pieces !== undefined) pieces.left = 0;
    this.#mpi.check("MPI_Cancel", functions.cancel(this.#each[slot]));
  }

  /**
   * As {@link test}, of one slot that is in use: whether its transfer, of one piece, has completed; {@link bytes}[0] is
   * its length.
   * @throws MpiError
   */
  testOne(slot: number): boolean {
    const { functions, abi } = this.#mpi.library;
    const error = functions.test(this.#each[slot], this.#completedAt, this.#statusesAt);
    if (error !== 0) this.#mpi.check("MPI_Test", error);
    if (this.#completed[0] === 0) return false;
    this.bytes[0] = this.#count(abi.count, 0);
    this.#busy[slot] = 0;
    this.active--;
    while (this.#top > 0 && this.#busy[this.#top - 1] === 0) this.#top--;
    return true;
  }

  /** Bytes by a status that begins at word `at`. @param word that has them; null: the library is asked */
  #count(word: number | null, at: number): number {
    if (word !== null) return this.#statuses[at + word] as number;
    const { functions, byte } = this.#mpi.library;
    const error = functions.getCount(this.#statusesAt + 4 * at, byte, this.#completedAt);
    if (error !== 0) this.#mpi.check("MPI_Get_count", error);
    return this.#completed[0] as number;
  }

  /**
   * The number of requests that completed since the last call; {@link slots} has their slots, which are free. For a
   * transfer in pieces, {@link bytes} is the length of the last piece.
   * @throws MpiError
   */
  test(): number {
    if (this.active === 0) return 0;
    const { functions, abi } = this.#mpi.library;
    const { statusWords, source, tag, count } = abi;
    const error = functions.testsome(this.#top, this.#handlesAt, this.#completedAt, this.#slotsAt, this.#statusesAt);
    this.#mpi.check("MPI_Testsome", error);
    const some = this.#completed[0] as number;
    const ended = some === abi.undefined ? 0 : some;
    const completed = this.#pieced === 0 ? ended : this.#goOn(ended);
    for (let i = 0; i < completed; i++) {
      const status = i * statusWords;
      const slot = this.slots[i];
      this.#busy[slot] = 0;
      this.sources[i] = this.#statuses[status + source] as number;
      this.tags[i] = this.#statuses[status + tag] as number;
      this.bytes[i] = this.#count(count, status);
    }
    this.active -= completed;
    while (this.#top > 0 && this.#busy[this.#top - 1] === 0) this.#top--;
    return completed;
  }
}
