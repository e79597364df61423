/**
 * Broadcast by single copy: one PE shows its array, all others read it. For long arrays.
 *
 * All PEs show each other the positions of their elements. A root's array that is in the heap (pe.alloc) is read in
 * place. If the reader's array is in the heap, too, the root does not idle meanwhile but writes its own chunk of the
 * reader's array itself, so that n cores copy to n - 1 arrays. Its own chunk is the one that scatter-reduce.ts lets it
 * write, too, so the chunk stays in its cache. A root's array outside the heap is copied through two segments of
 * staging memory in turn: the root fills one while the other is read.
 *
 * Limits: all readers read the root's cache at once; two synchronisations, whatever the length.
 *
 * Source: the flags are those of Smelt; single-copy reads as in Open MPI's xhc.
 *
 * Example, 2 PEs, 1 MiB in the heap at root 1 and at PE 0: PE 0 copies the first half of it from 1, PE 1 copies the
 * second half to 0.
 */

import type { Condition } from "../../ground/wait/condition.ts";
import type { Team } from "../team/team.ts";
import { SEGMENT_BYTES } from "../team/team-block.ts";
import { chunkStart, expose, fill, type Region, RegionTask } from "./region.ts";

/** Below this size only the reader copies: helping would cost more than it saves. */
const HELP_BYTES = 8192;

/** EXTRA on the board: whether the array itself is shown. */
const STAGED = 0;
const IN_PLACE = 1;

/** The next waits of a PE; each role has its own part of the list. */
type Stage =
  // a root whose array is in the heap: helps each reader that has shown its array
  | "help"
  // any other root: shows the next segment when all have read the last but one
  | "feed"
  // a reader: waits until the root shows something
  | "read"
  // a reader of an array in the heap: waits until the root has written its part
  | "helped"
  // a root: waits until all readers are done
  | "end";

/** The single-copy broadcasts of a team, at one PE. */
export class SingleCopy extends RegionTask<void> {
  readonly result: undefined = undefined;
  readonly #team: Team;
  #tag = 0;
  #root = 0;
  #stage: Stage = "end";
  /** Offset of the next part, and its number. */
  #start = 0;
  #part = 0;
  /** Number of PEs that were awaited already, one by one. */
  #step = 1;
  /** The phase in which all PEs show their elements. */
  #first = 0;

  constructor(team: Team) {
    super();
    this.#team = team;
  }

  begin(tag: number, region: Region, root: number): this {
    const { board, rank } = this.#team;
    const inPlace = region.array === null;
    this.#tag = tag;
    this.region = region;
    this.#root = root;
    this.#start = 0;
    this.#part = 0;
    this.#step = 1;
    this.#first = board.phase + 1;
    if (rank !== root) {
      this.#stage = "read";
      board.show(tag, inPlace ? region.address : 0, region.bytes, inPlace ? IN_PLACE : STAGED, root);
    } else if (inPlace) {
      this.#stage = "help";
      // without help there is nothing to wait for
      if (region.bytes < HELP_BYTES) this.#step = this.#team.size;
      board.show(tag, region.address, region.bytes, IN_PLACE);
    } else {
      this.#stage = "feed";
    }
    return this;
  }

  advance(): Condition | null {
    switch (this.#stage) {
      case "help":
        return this.#help();
      case "feed":
        return this.#feed();
      case "read":
        return this.#read();
      case "helped":
        return this.#helped();
      case "end":
        return this.#everybody();
    }
  }

  #help(): Condition | null {
    const { board, payload, rank, size } = this.#team;
    const { address, bytes } = this.region as Region;
    const low = chunkStart(bytes, rank, size);
    const high = chunkStart(bytes, rank + 1, size);
    for (; this.#step < size; this.#step++) {
      const peer = (rank + this.#step) % size;
      const shown = board.reached(peer, this.#first);
      if (!shown.ready()) return shown;
      this.#team.check(peer, this.#first, this.#tag);
      if (board.extra(peer, this.#first) === IN_PLACE) {
        payload.copy(board.address(peer, this.#first) + low, address + low, high - low);
      }
    }
    board.next(this.#tag);
    return this.#end();
  }

  #feed(): Condition | null {
    const { board, staging } = this.#team;
    const region = this.region as Region;
    // an empty array still takes one part, so that all PEs synchronise
    while (this.#part === 0 || this.#start < region.bytes) {
      // this segment and this entry of the board held the part before the last: all must have read it
      if (this.#part >= 2) {
        const wait = this.#everybody();
        if (wait !== null) return wait;
        this.#step = 1;
      }
      const bytes = Math.min(SEGMENT_BYTES, region.bytes - this.#start);
      const stage = staging.segment((this.#part & 1) as 0 | 1);
      board.show(this.#tag, expose(this.#team, region, this.#start, bytes, stage), bytes, STAGED);
      this.#start += bytes;
      this.#part++;
    }
    board.skip();
    return this.#end();
  }

  #end(): Condition | null {
    this.#stage = "end";
    this.#step = 1;
    return this.#everybody();
  }

  /** Waits until all others have reached this PE's phase. */
  #everybody(): Condition | null {
    const { board, rank, size } = this.#team;
    for (; this.#step < size; this.#step++) {
      const reached = board.reached((rank + this.#step) % size, board.phase);
      if (!reached.ready()) return reached;
    }
    return null;
  }

  #read(): Condition | null {
    const { board } = this.#team;
    const region = this.region as Region;
    const root = this.#root;
    for (;;) {
      const { phase } = board;
      const shown = board.reached(root, phase);
      if (!shown.ready()) return shown;
      this.#team.check(root, phase, this.#tag);
      const address = board.address(root, phase);
      if (board.extra(root, phase) === IN_PLACE) {
        this.#take(region, address);
        board.next(this.#tag, root);
        this.#stage = "helped";
        return this.#helped();
      }
      const bytes = board.bytes(root, phase);
      fill(this.#team, region, this.#start, bytes, address);
      board.next(this.#tag, root);
      this.#start += bytes;
      if (this.#start >= region.bytes) return null;
    }
  }

  /** Copies from `address` the bytes that the root does not write itself. */
  #take(region: Region, address: number): void {
    const team = this.#team;
    const { bytes } = region;
    const helped = region.array === null && bytes >= HELP_BYTES;
    const low = helped ? chunkStart(bytes, this.#root, team.size) : bytes;
    const high = helped ? chunkStart(bytes, this.#root + 1, team.size) : bytes;
    fill(team, region, 0, low, address);
    fill(team, region, high, bytes - high, address + high);
  }

  #helped(): Condition | null {
    const { board } = this.#team;
    const written = board.reached(this.#root, board.phase);
    return written.ready() ? null : written;
  }
}
