/**
 * A communicator of some processes, for the library's own nonblocking collectives: barrier, broadcast of bytes, sum of
 * doubles.
 *
 * It is made by one thread of each process; then other threads may use it too, but only one at a time, and all
 * processes make the same calls in the same order. A collective cannot be cancelled: MPI may use its memory until
 * {@link test} reports its end.
 *
 * Source: MPI 3.1, sections 5.12 (nonblocking collectives) and 6.4.2 (MPI_Comm_create_group).
 */
import type { Abi } from "./abi.ts";
import type { Address, Handle, MpiLibrary } from "./library.ts";
import { Addresses } from "./memory.ts";

/** The MPI of a communicator: its functions, and the check of their error codes. */
interface Caller {
  readonly library: MpiLibrary;
  check(call: string, error: number): void;
}

/** Room for a handle, which MPI fills in. */
export class HandleSlot {
  readonly at: Address;
  readonly #view = new DataView(new ArrayBuffer(8));
  readonly #abi: Abi;

  constructor(abi: Abi, places: Addresses) {
    this.#abi = abi;
    this.at = places.of(new Uint8Array(this.#view.buffer));
  }

  get value(): Handle {
    // addresses have 47 bits
    return this.#abi.requestBytes === 8 ? Number(this.#view.getBigUint64(0, true)) : this.#view.getInt32(0, true);
  }

  set value(handle: Handle) {
    if (this.#abi.requestBytes === 8) this.#view.setBigUint64(0, BigInt(handle), true);
    else this.#view.setInt32(0, handle, true);
  }
}

/** A communicator, as seen by one thread, which has at most one collective in progress. */
export class Communicator {
  readonly #mpi: Caller;
  readonly #handle: Handle;
  readonly #places = new Addresses();
  readonly #request: HandleSlot;
  readonly #completed = new Int32Array(1);
  readonly #completedAt: Address;
  readonly #status: Uint8Array;
  readonly #statusAt: Address;

  /**
   * Makes one, once in each of the processes `ranks`, all of which must have come: it blocks until they have.
   * @param tag the same in all, and of no other communicator that is made at the same time
   * @returns its handle, for the constructor in any thread of the process
   * @throws MpiError
   */
  static create(mpi: Caller, ranks: readonly number[], tag: number): Handle {
    const { abi, functions, world, errorsReturn } = mpi.library;
    const places = new Addresses();
    const [all, some, comm] = [0, 0, 0].map(() => new HandleSlot(abi, places)) as [HandleSlot, HandleSlot, HandleSlot];
    const list = Int32Array.from(ranks);
    mpi.check("MPI_Comm_group", functions.commGroup(world, all.at));
    mpi.check("MPI_Group_incl", functions.groupIncl(all.value, list.length, places.of(list), some.at));
    mpi.check("MPI_Comm_create_group", functions.commCreateGroup(world, some.value, tag, comm.at));
    for (const group of [all, some]) mpi.check("MPI_Group_free", functions.groupFree(group.at));
    mpi.check("MPI_Comm_set_errhandler", functions.setErrhandler(comm.value, errorsReturn));
    return comm.value;
  }

  constructor(mpi: Caller, handle: Handle) {
    const { abi } = mpi.library;
    this.#mpi = mpi;
    this.#handle = handle;
    this.#request = new HandleSlot(abi, this.#places);
    this.#completedAt = this.#places.of(this.#completed);
    this.#status = new Uint8Array(4 * abi.statusWords);
    this.#statusAt = this.#places.of(this.#status);
  }

  /** @throws MpiError, as the other two do */
  barrier(): void {
    const error = this.#mpi.library.functions.ibarrier(this.#handle, this.#request.at);
    if (error !== 0) this.#mpi.check("MPI_Ibarrier", error);
  }

  /** The bytes of the process number `root`, at each. */
  broadcast(at: Address, bytes: number, root: number): void {
    const { functions, byte } = this.#mpi.library;
    const error = functions.ibcast(at, bytes, byte, root, this.#handle, this.#request.at);
    if (error !== 0) this.#mpi.check("MPI_Ibcast", error);
  }

  /** The sums of `count` doubles, at each. */
  sum(from: Address, to: Address, count: number): void {
    const { functions, double, sum } = this.#mpi.library;
    const error = functions.iallreduce(from, to, count, double, sum, this.#handle, this.#request.at);
    if (error !== 0) this.#mpi.check("MPI_Iallreduce", error);
  }

  /** Whether the collective has ended. @throws MpiError */
  test(): boolean {
    const { functions } = this.#mpi.library;
    const error = functions.test(this.#request.at, this.#completedAt, this.#statusAt);
    if (error !== 0) this.#mpi.check("MPI_Test", error);
    return this.#completed[0] !== 0;
  }

  /** Gives it up, once in each process; no collective is in progress. @throws MpiError */
  free(): void {
    const slot = new HandleSlot(this.#mpi.library.abi, this.#places);
    slot.value = this.#handle;
    this.#mpi.check("MPI_Comm_free", this.#mpi.library.functions.commFree(slot.at));
  }
}
