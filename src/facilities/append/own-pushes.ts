/** The pushes of one PE into the append buffers of all. */
import { bytesUnder, lengthOf, viewBytes } from "../../ground/base/byte-length.ts";
import { RankRangeError, UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { blocks } from "../../ground/wait/blocking.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { freed, type GroupBuffers, overflow } from "./errors.ts";
import { STAGE_BYTES } from "./layout.ts";
import { MAX_BYTES } from "./options.ts";
import { type AppendPush, CompletePush } from "./push.ts";
import type { BufferRegion, Range } from "./region.ts";
import type { Remote, RemotePush } from "./remote.ts";

/** The parts of the pushes. */
export interface OwnPushesParts {
  readonly seat: Seat;
  /** The buffers into which this PE stores; null if it stores into none. */
  readonly region: BufferRegion | null;
  /** Ranks of the PEs whose buffers are in the region, in its order. */
  readonly near: readonly number[];
  readonly buffers: GroupBuffers;
  /** Frees the memory when all PEs of the node have called it. */
  free(): void;
  /** Pushes to other nodes, then frees the memory; null if there are none. */
  readonly remote: Remote | null;
}

export class OwnPushes {
  isFreed = false;
  readonly #seat: Seat;
  readonly #size: number;
  readonly #mayBlock: boolean;
  /** Used for the owners that have a number in it only. */
  readonly #region: BufferRegion;
  readonly #buffers: GroupBuffers;
  readonly #free: () => void;
  readonly #remote: Remote | null;
  readonly #near: readonly number[];
  /** By rank: its number in the region; -1 if its buffer is elsewhere. */
  readonly #numbers: Int32Array;
  readonly #u8: Uint8Array;
  readonly #range: Range = { at: 0, taken: 0 };
  /** The owner into whose buffer a push of this PE goes step by step; -1 if there is none. */
  #stepping = -1;
  /** The last array that was pushed and was no Uint8Array, and its bytes. */
  #array: ArrayBufferView | null = null;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor({ seat, region, near, buffers, free, remote }: OwnPushesParts) {
    this.#size = seat.size;
    this.#buffers = buffers;
    this.#seat = seat;
    this.#mayBlock = seat.waiter.mayBlock;
    this.#region = region as BufferRegion;
    this.#free = free;
    this.#remote = remote;
    this.#u8 = seat.heap.u8;
    this.#near = near;
    this.#numbers = new Int32Array(seat.size).fill(-1);
    for (const [i, rank] of near.entries()) this.#numbers[rank] = i;
  }

  /** @param call its name in errors */
  push(call: string, dest: number, data: ArrayBufferView): number {
    if (!this.#mayBlock) throw blocks(call, `${call}Async()`);
    const owner = this.#owner(call, dest);
    if (owner >= 0) return this.#append(call, owner, dest, data);
    return this.#start(call, dest, data).wait();
  }

  /** A push into memory that this PE has. */
  #append(call: string, owner: number, dest: number, data: ArrayBufferView): number {
    let source = data as Uint8Array;
    let bytes = lengthOf(data);
    if (bytes < 0) {
      source = this.#bytesOf(call, data);
      bytes = source.length;
    }
    if (owner === this.#stepping) return this.#appendAmid(call, owner, dest, source, bytes);
    if (bytes <= STAGE_BYTES) {
      const taken = this.#region.push(owner, source, bytes);
      if (taken >= 0) {
        this.#seat.posted(this.#near[owner] as number, this.#region.awaited(owner));
        return taken;
      }
    }
    return this.#fill(call, owner, dest, source, bytes);
  }

  /** A push while another to that owner is amid its steps; apart, as a closure's variables are allocated per call. */
  #appendAmid(call: string, owner: number, dest: number, source: Uint8Array, bytes: number): number {
    return this.#region.amid(owner, () => this.#fill(call, owner, dest, source, bytes));
  }

  /** A push by its steps: of much data, or one that has no room. */
  #fill(call: string, owner: number, dest: number, source: Uint8Array, bytes: number): number {
    this.#reserve(call, owner, dest, bytes);
    const { at, taken } = this.#range;
    this.#put(source, bytes, at, taken);
    return this.#complete(owner, bytes);
  }

  async pushAsync(call: string, dest: number, data: ArrayBufferView): Promise<number> {
    const owner = this.#owner(call, dest);
    if (owner < 0) return this.#start(call, dest, data).waitAsync();
    const { step, rank } = this.#seat;
    // a writer has one push under way; the owner itself pushes while it answers those of other nodes
    if (step === undefined || this.#stepping >= 0 || dest === rank) {
      return this.#append(call, owner, dest, data);
    }
    const source = this.#bytesOf(call, data);
    const bytes = lengthOf(source);
    this.#stepping = owner;
    try {
      await step(0);
      this.#reserve(call, owner, dest, bytes);
      const { at, taken } = this.#range;
      await step(0);
      this.#put(source, bytes, at, taken);
      await step(taken);
      this.#range.taken = taken;
      return this.#complete(owner, bytes);
    } finally {
      this.#stepping = -1;
    }
  }

  pushStart(call: string, dest: number, data: ArrayBufferView): AppendPush {
    if (!this.#mayBlock) throw blocks(call, `${call.slice(0, -"Start".length)}Async()`);
    const owner = this.#owner(call, dest);
    if (owner >= 0) return new CompletePush(this.#append(call, owner, dest, data));
    return this.#start(call, dest, data);
  }

  /** Waits until all started pushes are complete. @throws the error of the first refused that was not waited for */
  *sync(call: string): Task<void> {
    const remote = this.#remote;
    if (remote === null) return;
    yield* remote.until(call, () => remote.isIdle);
    remote.throwFailed();
  }

  free(): void {
    this.isFreed = true;
    if (this.#remote === null) this.#free();
    else this.#remote.close();
  }

  /** Its number in the region; -1 if its buffer is elsewhere. */
  #owner(call: string, dest: number): number {
    if (this.isFreed) throw freed(call, this.#buffers.name);
    if (!(typeof dest === "number" && dest >>> 0 === dest && dest < this.#size)) {
      throw new RankRangeError(`${call}: expected a rank from 0 to ${this.#size - 1}, got ${shortText(dest)}`);
    }
    return this.#numbers[dest] as number;
  }

  #start(call: string, dest: number, data: ArrayBufferView): RemotePush {
    return (this.#remote as Remote).start(call, dest, this.#bytesOf(call, data));
  }

  #reserve(call: string, owner: number, dest: number, bytes: number): void {
    // the kernels count in 32 bits; no buffer has as many
    if (this.#region.reserve(owner, Math.min(bytes, MAX_BYTES), this.#range)) return;
    throw overflow(this.#buffers, { call, dest, wanted: bytes, left: this.#range.taken });
  }

  #complete(owner: number, bytes: number): number {
    const { taken } = this.#range;
    this.#region.complete(owner, this.#range, bytes);
    this.#seat.posted(this.#near[owner] as number, this.#region.awaited(owner));
    return taken;
  }

  /** Copies the first `taken` of the bytes to the heap. */
  #put(source: Uint8Array, bytes: number, at: number, taken: number): void {
    if (taken === 0) return;
    if (source.buffer === this.#seat.heap.buffer) this.#region.copy(at, source.byteOffset, taken);
    else this.#u8.set(taken === bytes ? source : source.subarray(0, taken), at);
  }

  /** The pushed bytes, whatever their own properties say. @throws UsageError unless a view that is not detached */
  #bytesOf(call: string, data: ArrayBufferView): Uint8Array {
    if (lengthOf(data) >= 0) return data as Uint8Array;
    const bytes = viewBytes(data);
    if (bytes < 0) {
      throw new UsageError(
        `${call}: expected a typed array or a DataView that is not detached, got ${shortText(data)}`,
      );
    }
    if (data !== this.#array || this.#bytes.length !== bytes) {
      this.#array = data;
      this.#bytes = bytesUnder(data);
    }
    return this.#bytes;
  }
}
