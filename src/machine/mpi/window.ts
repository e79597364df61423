/**
 * A window: memory of each of some processes that all of them read and change without the other side's doing.
 *
 * It is made by one thread of each process of the job; then all threads may use it, each by a {@link Window} of its
 * own, at the same time. It stays open for accesses (MPI_Win_lock_all) until it is freed, when all accesses have ended.
 * Its memory must stay as long.
 *
 * Every access is an MPI_Rget_accumulate. Of the accesses with a request it alone says by it that the target has what
 * was written; for MPI_Put only MPI_Win_flush does, which waits in the library, where no timeout and no lost PE ends
 * it.
 *
 * Limits: Open MPI 4.1 makes no window over TCP where several threads may call it. Libraries need calls of the target,
 * of any of its threads, unless the network has hardware for it.
 *
 * Source: MPI 3.1, chapter 11: 11.2.1, 11.3.5 (request-based accesses), 11.4 (unified memory), 11.5.3 and 11.7.
 */
import { HandleSlot } from "./communicator.ts";
import type { Address, Handle } from "./library.ts";
import { Addresses } from "./memory.ts";
import type { Mpi } from "./mpi.ts";
import type { Requests } from "./requests.ts";

/** On 64-bit integers: the operand is added, replaces them, or nothing changes; `write`: replaces bytes. */
export type Access = "add" | "replace" | "read" | "write";

/** Of a message that is looked for to let the library go on; if there is one it stays. */
const PROBED_TAG = 0;

/** A window, as seen by one thread. */
export class Window {
  /** Slots of accesses that are under way; {@link test} says which are over. */
  readonly requests: Requests;
  readonly #mpi: Mpi;
  readonly #handle: Handle;
  readonly #heapAt: Address;
  readonly #places = new Addresses();
  /** The flag and the status of a probe. */
  readonly #probe: Int32Array;

  /**
   * Makes one, once in each process of the job: it blocks until all have come.
   * @param memory of this process that is its part
   * @returns its handle, for the constructor in any thread of the process @throws MpiError if the library makes none
   */
  static create(mpi: Mpi, memory: Uint8Array): Handle {
    const { abi, functions, world, infoNull, errorsReturn } = mpi.library;
    const places = new Addresses();
    const slot = new HandleSlot(abi, places);
    const error = functions.winCreate(places.of(memory), memory.length, 1, infoNull, world, slot.at);
    mpi.check("MPI_Win_create", error);
    const window = slot.value;
    mpi.check("MPI_Win_set_errhandler", functions.winSetErrhandler(window, errorsReturn));
    mpi.check("MPI_Win_lock_all", functions.winLockAll(0, window));
    return window;
  }

  /** Frees one, once in each process of the job: it blocks until all have come. */
  static free(mpi: Mpi, handle: Handle): void {
    const { abi, functions } = mpi.library;
    mpi.check("MPI_Win_unlock_all", functions.winUnlockAll(handle));
    const slot = new HandleSlot(abi, new Addresses());
    slot.value = handle;
    mpi.check("MPI_Win_free", functions.winFree(slot.at));
  }

  /** @param heap of operands and results, by byte offset @param slots accesses under way at the same time */
  constructor(mpi: Mpi, handle: Handle, heap: Uint8Array, slots: number) {
    this.#mpi = mpi;
    this.#handle = handle;
    this.requests = mpi.requests(slots);
    this.#heapAt = this.#places.of(heap) - heap.byteOffset;
    this.#probe = new Int32Array(2 + mpi.library.abi.statusWords);
  }

  /**
   * Begins an access, in a free slot.
   * @param rank of the process
   * @param at byte of its part
   * @param from byte offset of the operand
   * @param into byte offset of the result, which is what was there before
   * @param count integers, or bytes
   * @throws MpiError
   */
  begin(slot: number, access: Access, rank: number, at: number, from: number, into: number, count: number): void {
    const { byte, int64, sum, replace, noOp } = this.#mpi.library;
    const op = access === "add" ? sum : access === "read" ? noOp : replace;
    const type = access === "write" ? byte : int64;
    const [operand, result] = [this.#heapAt + from, this.#heapAt + into];
    this.requests.getAccumulate(slot, this.#handle, op, type, operand, result, count, rank, at);
  }

  /** How many accesses are over since the last call; `requests.slots` has their slots. @throws MpiError */
  test(): number {
    if (this.requests.active > 0) return this.requests.test();
    // accesses of others need calls of this process
    const { functions, world, abi } = this.#mpi.library;
    const at = this.#places.of(this.#probe);
    const error = functions.iprobe(abi.anySource, PROBED_TAG, world, at, at + 8);
    this.#mpi.check("MPI_Iprobe", error);
    return 0;
  }

  /** An acquire: earlier writes of others are seen from here on. */
  sync(): void {
    this.#mpi.check("MPI_Win_sync", this.#mpi.library.functions.winSync(this.#handle));
  }
}
