/** The medium of virtual PEs: messages and boards in virtual time, and memory that is taken when it is used. */
import { EagerBoard } from "../../collectives/team/eager-board.ts";
import type { Medium, StagingMemory, TeamBoards, TeamParts, TeamPlace } from "../../collectives/team/medium.ts";
import { SEGMENT_BYTES } from "../../collectives/team/team-block.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import { SharedBoard, VirtualBoard, VirtualHeaders } from "./board.ts";
import type { VirtualHeap } from "./heap.ts";
import { type TeamRoom, VirtualLinks } from "./links.ts";

/** The medium of one team, at all its PEs. */
export class VirtualMedium implements Medium {
  readonly #room: TeamRoom;
  readonly #links: VirtualLinks;
  readonly #board: SharedBoard;
  readonly #headers: SharedBoard;
  /** Blocks of the heap that are in use until all PEs have left. */
  readonly #blocks: number[] = [];

  constructor(room: TeamRoom) {
    this.#room = room;
    this.#links = new VirtualLinks(room);
    this.#board = new SharedBoard(room);
    this.#headers = new SharedBoard(room);
  }

  parts({ rank }: TeamPlace): TeamParts {
    return {
      staging: new VirtualStaging(this.#room.heap, this.#blocks),
      links: this.#links.of(rank),
    };
  }

  boards({ rank, members }: TeamPlace): TeamBoards {
    return {
      board: new VirtualBoard(this.#board, rank),
      eager: new EagerBoard(new VirtualHeaders(this.#headers, rank, this.#blocks), rank, members.length),
      division: null,
    };
  }

  /** All PEs have left. */
  free(): void {
    for (const block of this.#blocks) this.#room.heap.free(block);
    this.#blocks.length = 0;
  }
}

class VirtualStaging implements StagingMemory {
  readonly #heap: VirtualHeap;
  readonly #blocks: number[];
  #cells = 0;
  #segments = 0;
  #whole = 0;
  #wholeBytes = 0;

  constructor(heap: VirtualHeap, blocks: number[]) {
    this.#heap = heap;
    this.#blocks = blocks;
  }

  cell(index: 0 | 1): number {
    if (this.#cells === 0) this.#cells = this.#kept(2 * LINE);
    return this.#cells + index * LINE;
  }

  segment(index: 0 | 1): number {
    if (this.#segments === 0) this.#segments = this.#kept(2 * SEGMENT_BYTES);
    return this.#segments + index * SEGMENT_BYTES;
  }

  /** Most values are short: a block of their length, which grows. */
  whole(bytes: number): number {
    if (bytes <= this.#wholeBytes) return this.#whole;
    if (this.#wholeBytes > 0) this.#heap.free(this.#whole);
    this.#wholeBytes = 0;
    this.#whole = this.#heap.allocate(bytes);
    this.#wholeBytes = bytes;
    return this.#whole;
  }

  leave(): number {
    return this.#wholeBytes > 0 ? this.#whole : 0;
  }

  #kept(bytes: number): number {
    const block = this.#heap.allocate(bytes);
    this.#blocks.push(block);
    return block;
  }
}
