/**
 * The address board of a virtual team (collectives/team/address-board.ts): who shows what, in virtual time.
 *
 * A PE that moves to its next phase is not held up by those that look. A look finds it as late as a message would have
 * come, and takes as long as receiving one.
 */

import type { Board, EagerHeaders } from "../../collectives/team/boards.ts";
import { EAGER_SLOTS } from "../../collectives/team/team-block.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wait } from "../simulate/awaiting.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import type { VirtualHeap } from "./heap.ts";
import type { TeamRoom } from "./links.ts";

/** The display of a PE: the entries of its last phases. */
class Shown {
  phase = 0;
  /** By the last bits of the phase. */
  readonly times: number[] = new Array<number>(EAGER_SLOTS).fill(0);
  readonly entries: Entry[] = new Array<Entry>(EAGER_SLOTS).fill(NOTHING);
  /** Those who wait for its next phase. */
  readonly waiting: Set<VirtualPE> = new Set();
}

interface Entry {
  readonly tag: number;
  readonly address: number;
  readonly bytes: number;
  readonly extra: number;
}

const NOTHING: Entry = { tag: 0, address: 0, bytes: 0, extra: 0 };

/** The displays of the PEs of a team, by rank. */
export class SharedBoard {
  readonly room: TeamRoom;
  readonly shown: readonly Shown[];

  constructor(room: TeamRoom) {
    this.room = room;
    this.shown = room.pes.map(() => new Shown());
  }
}

/** The condition that a PE has reached a phase; one for all PEs, as one is awaited at a time. */
class Reaching implements Condition, Pick<Wait, "dueAt"> {
  peer = -1;
  dueAt: number = Number.POSITIVE_INFINITY;
  #rank = 0;
  #phase = 0;
  /** When what is awaited can be seen; -1 if it is not known. */
  #visible = -1;
  readonly #shared: SharedBoard;
  readonly #own: VirtualPE;
  /** By rank: the phase that this PE has seen. */
  readonly #seen = new Map<number, number>();

  constructor(shared: SharedBoard, own: VirtualPE) {
    this.#shared = shared;
    this.#own = own;
  }

  await(rank: number, phase: number): this {
    if (rank !== this.#rank || phase !== this.#phase) this.#visible = -1;
    this.#rank = rank;
    this.#phase = phase;
    this.peer = this.#shared.room.pes[rank].rank;
    return this;
  }

  ready(): boolean {
    const { room, shown } = this.#shared;
    const { machine, pes } = room;
    const other = shown[this.#rank];
    const from = pes[this.#rank];
    const own = this.#own;
    this.dueAt = Number.POSITIVE_INFINITY;
    if (((other.phase - this.#phase) | 0) < 0) {
      other.waiting.add(own);
      return false;
    }
    const seen = this.#seen.get(this.#rank);
    if (seen !== undefined && ((seen - this.#phase) | 0) >= 0) return true;
    if (this.#visible < 0) {
      // an older one was reached before
      const since = other.phase - this.#phase >= EAGER_SLOTS ? 0 : other.times[this.#phase & (EAGER_SLOTS - 1)];
      this.#visible = since + machine.messages.showing(from, own);
    }
    if (this.#visible > Math.max(own.clock, machine.now)) {
      this.dueAt = this.#visible;
      return false;
    }
    own.clock += machine.messages.receiving(from, own);
    this.#seen.set(this.#rank, this.#phase);
    return true;
  }

  spin(): boolean {
    return this.ready();
  }
}

/** The board, as seen by one PE. */
export class VirtualBoard implements Board {
  readonly #shared: SharedBoard;
  readonly #own: Shown;
  readonly #pe: VirtualPE;
  readonly #reaching: Reaching;

  constructor(shared: SharedBoard, rank: number) {
    this.#shared = shared;
    this.#own = shared.shown[rank];
    this.#pe = shared.room.pes[rank];
    this.#reaching = new Reaching(shared, this.#pe);
  }

  get phase(): number {
    return this.#own.phase;
  }

  show(tag: number, address: number, bytes: number, extra: number): void {
    this.#move({ tag, address, bytes, extra });
  }

  next(tag: number): void {
    this.#move({ ...this.#own.entries[(this.#own.phase + 1) & (EAGER_SLOTS - 1)], tag });
  }

  skip(): void {
    this.#move(this.#own.entries[(this.#own.phase + 1) & (EAGER_SLOTS - 1)]);
  }

  #move(entry: Entry): void {
    const { machine } = this.#shared.room;
    const own = this.#own;
    own.phase = (own.phase + 1) | 0;
    own.entries[own.phase & (EAGER_SLOTS - 1)] = entry;
    own.times[own.phase & (EAGER_SLOTS - 1)] = this.#pe.clock;
    // they find out when they can see it
    for (const pe of own.waiting) machine.wake(pe, this.#pe.clock);
    own.waiting.clear();
  }

  reached(rank: number, phase: number): Condition {
    return this.#reaching.await(rank, phase);
  }

  isOf(rank: number, phase: number, tag: number): boolean {
    return this.#entry(rank, phase).tag === tag;
  }

  address(rank: number, phase: number): number {
    return this.#entry(rank, phase).address;
  }

  bytes(rank: number, phase: number): number {
    return this.#entry(rank, phase).bytes;
  }

  extra(rank: number, phase: number): number {
    return this.#entry(rank, phase).extra;
  }

  #entry(rank: number, phase: number): Entry {
    return this.#shared.shown[rank].entries[phase & (EAGER_SLOTS - 1)];
  }
}

/** The same with rooms for short messages, in blocks of the heap that are taken when they are used. */
export class VirtualHeaders extends VirtualBoard implements EagerHeaders {
  readonly #heap: VirtualHeap;
  readonly #blocks: number[];
  readonly #buffers = new Array<number>(EAGER_SLOTS).fill(0);
  readonly #lengths = new Array<number>(EAGER_SLOTS).fill(-1);

  /** @param blocks gets those that are in use until all PEs have left */
  constructor(shared: SharedBoard, rank: number, blocks: number[]) {
    super(shared, rank);
    this.#heap = shared.room.heap;
    this.#blocks = blocks;
  }

  /** Most are much shorter than they may be: a block of their length, which grows. */
  buffer(bytes: number): number {
    const slot = (this.phase + 1) & (EAGER_SLOTS - 1);
    if (bytes > this.#lengths[slot]) {
      this.#lengths[slot] = bytes;
      this.#buffers[slot] = this.#heap.allocate(bytes);
      this.#blocks.push(this.#buffers[slot]);
    }
    return this.#buffers[slot];
  }
}
