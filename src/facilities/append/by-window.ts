/**
 * Pushes through MPI windows, sender-managed: the writer reserves room in the owner's memory, writes the bytes there,
 * and says that they are written. The owner's program takes no part.
 *
 *     reserve   ── RESERVED += n ──────▶   or, if what does not fit is an error:  RESERVED := HELD, and BASE is read
 *     write     ── bytes, in pieces ───▶                                          and RESERVED := the new value
 *     count     ── DONE += n, MESSAGES ▶     when DONE, which is read beside the writing, has come to this push
 *
 * Each is a round trip. Pushes are counted in the order of their places, so that all below DONE is written. Those
 * pushes of a PE to one owner that wait for the end of the ones before go together: their room is reserved at once, and
 * their bytes are gathered into pieces. So many that are started one after another take few round trips. Nothing is
 * begun before a turn: a PE that starts pushes and computes holds up nobody.
 *
 * All PEs push so, also to PEs of their own node and to themselves: additions of processors and of MPI need not be
 * atomic to each other.
 *
 * Limits: a PE that computes between two turns, as after a test(), holds up what others push to the same owner after
 * it. Most libraries need calls of the owner's node, any that waits, to take anything in (machine/mpi/window.ts).
 *
 * Source: Dinan, Flajslik, "One-Sided Append: A New Communication Paradigm For PGAS Models", sections 2.1 and 3.2.
 */
import type { Heap } from "../../ground/memory/heap.ts";
import type { Access, Window } from "../../machine/mpi/window.ts";
import type { GroupBuffers } from "./errors.ts";
import type { NodeBlock } from "./make-parts.ts";
import { raced } from "./region.ts";
import { Remote, type RemotePush, type RemoteWaits } from "./remote.ts";
import type { WindowBuffer } from "./window-buffer.ts";
import { COUNTING, gather, Lane, type LaneEntry, NOTHING, place, RESERVING, WRITING } from "./window-lane.ts";
import { BASE, DONE, FREED, GONE, HEAD, HELD, PIECE_BYTES, RESERVED, SLOTS, slotsAt } from "./window-layout.ts";

/** Slots that are not taken for looks at DONE, so that what others wait for goes on. */
const SPARE = 2;

/** Where the buffer of a PE is: its node, which is a rank in the window, and a byte offset in the heap of that node. */
export interface WindowPlace {
  readonly node: number;
  readonly at: number;
  readonly length: number;
}

/** The parts of a window's pushes. */
export interface WindowParts {
  readonly heap: Heap;
  readonly window: Window;
  readonly own: WindowBuffer;
  /** This PE's rank in the group. */
  readonly rank: number;
  /** Of each PE, by rank in the group. */
  readonly places: readonly WindowPlace[];
  /** Of each node of the group, its block, which begins with its first part. */
  readonly blocks: readonly NodeBlock[];
  /** That of this node, and how many PEs of the group the node has. */
  readonly block: NodeBlock;
  readonly here: number;
  readonly truncates: boolean;
  readonly counting: boolean;
  /** Ends the world. @returns the error */
  fail(error: unknown): unknown;
  /** No push can come any more, and nothing of this PE is under way. @param isLast of its node */
  over(isLast: boolean): void;
}

/** The pushes of one PE. */
export class ByWindow extends Remote {
  readonly #parts: WindowParts;
  readonly #lanes: readonly Lane[];
  /** Those with something to do. */
  readonly #active = new Set<Lane>();
  /** Slots that are free; the lane of each other one, null for the word that this node has gone. */
  readonly #free: number[] = Array.from({ length: SLOTS }, (_, slot) => slot);
  readonly #laneOf: (Lane | null)[] = new Array<Lane | null>(SLOTS).fill(null);
  readonly #words: BigInt64Array;
  /** Where the slots begin, a byte offset in the heap. */
  readonly #slotsAt: number;
  #pending = 0;
  #isBusy = false;
  #trace = 0n;
  /** Whether this PE pushes nothing more; nodes that this one has to tell, and accesses that tell. */
  #hasClosed = false;
  #untold: NodeBlock[] = [];
  #telling = 0;

  constructor(parts: WindowParts, seat: RemoteWaits, buffers: GroupBuffers) {
    super(seat, buffers);
    this.#parts = parts;
    this.#lanes = parts.places.map(({ node, at, length }) => new Lane(node, at, length));
    this.#words = new BigInt64Array(parts.heap.buffer);
    const { at, length } = parts.places[parts.rank] as WindowPlace;
    this.#slotsAt = slotsAt(at, length);
    seat.sideWork.add(this);
  }

  readonly hint: string =
    "another PE may have begun one to the same owner and not gone on with it (it started it, and computes after a test()), or no PE of the " +
    "owner's node is in a call that waits. Let it wait for its push, or a PE of that node wait.";

  protected begin(push: RemotePush): void {
    const lane = this.#lanes[push.dest] as Lane;
    lane.queue.add(push);
    this.#pending++;
    this.#active.add(lane);
  }

  /** Any PE that pushes to the same owner may be in the way. */
  protected awaits(): number {
    return -1;
  }

  get pending(): number {
    return this.#pending;
  }

  turn(): boolean {
    if (this.#isBusy || this.isOver) return false;
    this.#isBusy = true;
    try {
      const { window, own } = this.#parts;
      const ended = window.test();
      for (let i = 0; i < ended; i++) this.#ended(window.requests.slots[i] as number);
      let moved = ended > 0;
      for (const lane of this.#active) if (this.#advance(lane)) moved = true;
      this.#rotate();
      if (this.isClosed && this.#pending === 0) this.#close();
      const { trace } = own;
      if (trace !== this.#trace) moved = true;
      this.#trace = trace;
      return moved;
    } finally {
      this.#isBusy = false;
    }
  }

  /** Another lane is the first to take slots in the next turn. */
  #rotate(): void {
    const [first] = this.#active;
    if (first === undefined || this.#active.size === 1) return;
    this.#active.delete(first);
    this.#active.add(first);
  }

  urge(): void {}

  protected fail(error: unknown): unknown {
    return this.#parts.fail(error);
  }

  /** An access is over. */
  #ended(slot: number): void {
    this.#free.push(slot);
    const lane = this.#laneOf[slot] as Lane | null;
    if (lane === null) {
      this.#telling--;
      return;
    }
    lane.open--;
    const result = this.#result(slot) / 8;
    if (slot === lane.doneSlot) {
      lane.doneSlot = -1;
      // beyond it by others, if this one takes no bytes
      lane.isNext = (this.#words[result] as bigint) >= lane.reserved;
    }
    if (lane.stage !== RESERVING) return;
    if (slot === lane.baseSlot) {
      lane.base = this.#words[result] as bigint;
      return;
    }
    lane.reserved = this.#words[result] as bigint;
    if (this.#parts.truncates) lane.base = this.#words[result + 1] as bigint;
  }

  /** Takes a lane as far as it goes. @returns whether anything was begun, or has ended */
  #advance(lane: Lane): boolean {
    let moved = false;
    while (this.#step(lane)) moved = true;
    if (lane.stage === NOTHING && lane.queue.length === 0 && lane.batch.length === 0) this.#active.delete(lane);
    return moved;
  }

  #step(lane: Lane): boolean {
    if (lane.stage === NOTHING) return this.#reserve(lane);
    if (lane.stage === WRITING && this.#write(lane)) return true;
    if (lane.open > 0) return false;
    if (lane.stage === RESERVING) return this.#reserved(lane);
    if (lane.stage === WRITING && lane.isNext && lane.begun === lane.total && !lane.holds) return this.#count(lane);
    if (lane.stage === COUNTING) return this.#settle(lane);
    return false;
  }

  #reserve(lane: Lane): boolean {
    const { truncates } = this.#parts;
    if (this.#free.length < (truncates ? 1 : 2)) return false;
    if (lane.batch.length === 0) gather(lane);
    if (lane.batch.length === 0) return this.#settle(lane);
    lane.stage = RESERVING;
    if (truncates) {
      let all = 0;
      for (const { bytes } of lane.batch) all += bytes;
      this.#access(lane, "add", RESERVED, BigInt(all), 0n);
    } else {
      this.#access(lane, "replace", RESERVED, HELD);
      lane.baseSlot = this.#access(lane, "read", BASE, 0n);
    }
    return true;
  }

  #reserved(lane: Lane): boolean {
    const { truncates, counting } = this.#parts;
    lane.baseSlot = -1;
    if (lane.reserved === HELD) {
      // another writer has it; this one tries again in its next turn
      lane.stage = NOTHING;
      return false;
    }
    place(lane, truncates, counting);
    lane.holds = !truncates;
    lane.stage = WRITING;
    return true;
  }

  /** Gives RESERVED back, and begins pieces. @returns whether one was begun */
  #write(lane: Lane): boolean {
    if (this.#free.length === 0) return false;
    if (lane.holds) {
      lane.holds = false;
      this.#access(lane, "replace", RESERVED, lane.reserved + BigInt(lane.total));
      return true;
    }
    if (lane.begun === lane.total) return this.#ask(lane);
    const slot = this.#take(lane);
    const bytes = Math.min(PIECE_BYTES, lane.total - lane.begun);
    this.#copy(lane, this.#operand(slot), bytes);
    const at = lane.at + HEAD + lane.position + lane.begun;
    this.#begin(slot, lane.node, "write", at, bytes);
    lane.begun += bytes;
    return true;
  }

  /** Reads DONE, beside the last pieces, until it has come to this batch. @returns whether it was begun */
  #ask(lane: Lane): boolean {
    if (lane.isNext || lane.doneSlot >= 0 || this.#free.length <= SPARE) return false;
    lane.doneSlot = this.#access(lane, "read", DONE, 0n);
    return true;
  }

  /** Copies the next bytes of a batch into the heap. */
  #copy(lane: Lane, to: number, bytes: number): void {
    const { u8 } = this.#parts.heap;
    for (let copied = 0; copied < bytes; ) {
      const { data, taken } = lane.batch[lane.entry] as LaneEntry;
      const part = Math.min(taken - lane.skipped, bytes - copied);
      // an array that was detached meanwhile has no bytes
      if (part > 0 && data.length > 0) u8.set(data.subarray(lane.skipped, lane.skipped + part), to + copied);
      else u8.fill(0, to + copied, to + copied + part);
      copied += part;
      lane.skipped += part;
      if (lane.skipped < taken) continue;
      lane.entry++;
      lane.skipped = 0;
    }
  }

  #count(lane: Lane): boolean {
    lane.stage = COUNTING;
    if (lane.counted === 0 && lane.messages === 0) return true;
    if (this.#free.length === 0) {
      lane.stage = WRITING;
      return false;
    }
    this.#access(lane, "add", DONE, BigInt(lane.counted), BigInt(lane.messages));
    return true;
  }

  #settle(lane: Lane): boolean {
    const { batch } = lane;
    lane.batch = [];
    lane.stage = NOTHING;
    for (const { push, reply } of batch) {
      this.#pending--;
      push.settle(lane.hasRaced ? { error: raced() } : { reply });
    }
    return batch.length > 0;
  }

  /** Tells all nodes, once all PEs of this one push nothing more; and ends when all have told. */
  #close(): void {
    const { heap, blocks, block, here, window, over } = this.#parts;
    const word = (block.offset + FREED) / 4;
    if (!this.#hasClosed) {
      this.#hasClosed = true;
      // pairs with the same addition at the other PEs of the node: the last one knows that none pushes any more
      if (Atomics.add(heap.i32, word, 1) + 1 === here) this.#untold = [...blocks];
    }
    while (this.#untold.length > 0 && this.#free.length > 0) {
      const { node, offset } = this.#untold.pop() as NodeBlock;
      const slot = this.#take(null);
      this.#words[this.#operand(slot) / 8] = 1n;
      this.#begin(slot, node, "add", offset + GONE, 1);
      this.#telling++;
    }
    if (this.#untold.length > 0 || this.#telling > 0) return;
    // pairs with the additions of all nodes
    const gone = Atomics.load(this.#words, (block.offset + GONE) / 8);
    if (Number(gone) < blocks.length) return;
    window.sync();
    this.isOver = true;
    this.seat.sideWork.delete(this);
    // pairs as above: the last one knows that all of the node have seen it
    over(Atomics.add(heap.i32, word, 1) + 1 === 2 * here);
  }

  /** Begins an access to one or two integers of the owner's control line. @returns its slot */
  #access(lane: Lane, access: Access, at: number, operand: bigint, second?: bigint): number {
    const slot = this.#take(lane);
    const word = this.#operand(slot) / 8;
    this.#words[word] = operand;
    if (second !== undefined) this.#words[word + 1] = second;
    this.#begin(slot, lane.node, access, lane.at + at, second === undefined ? 1 : 2);
    return slot;
  }

  /** Takes a free slot. */
  #take(lane: Lane | null): number {
    const slot = this.#free.pop() as number;
    this.#laneOf[slot] = lane;
    if (lane !== null) lane.open++;
    return slot;
  }

  #begin(slot: number, node: number, access: Access, at: number, count: number): void {
    this.#parts.window.begin(slot, access, node, at, this.#operand(slot), this.#result(slot), count);
  }

  #operand(slot: number): number {
    return this.#slotsAt + slot * 2 * PIECE_BYTES;
  }

  #result(slot: number): number {
    return this.#operand(slot) + PIECE_BYTES;
  }
}
