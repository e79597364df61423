/**
 * Gather and allgather into an array that all PEs share (allocShared): each PE copies its own part to its place, once,
 * and all meet at a barrier. A part that lies there already is not copied.
 *
 * A result may be read until the PE's next call of this kind. So two arrays in turn need one barrier for each call, as
 * all have read the one when they meet with the other; the same array again needs one more, before it is written.
 *
 * Limits: parts of one length, which fill the array. Nothing orders what PEs do with the array besides.
 *
 * Source: MPI 4.0, section 6.7.1 (allgather, MPI_IN_PLACE); one copy for a whole node as in an MPI-3 shared window.
 *
 * Example with 2 PEs: [1, 2] and [3, 4] make the shared array [1, 2, 3, 4]; PE 1 copies 3 and 4.
 */
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import type { Barrier } from "./barrier.ts";
import type { Packed } from "./exposed-values.ts";
import { copyOwn } from "./result-array.ts";

/** Those of a team, at one PE. */
export class SharedResult {
  readonly #team: Team;
  readonly #barrier: Barrier;
  /** Byte offset of the last one. */
  #last = -1;

  constructor(team: Team, barrier: Barrier) {
    this.#team = team;
    this.#barrier = barrier;
  }

  /** @param into as sharedByAll() of calls/into.ts has found it */
  *fill(tag: number, x: Packed, into: TypedArray): Task<TypedArray> {
    const bytes = x.content.byteLength;
    const at = this.#team.rank * bytes;
    if (this.#last === into.byteOffset) yield* this.#barrier.begin(tag);
    this.#last = into.byteOffset;
    if (x.address !== into.byteOffset + at) copyOwn(this.#team, x, 0, bytes, into, at);
    yield* this.#barrier.begin(tag);
    return into;
  }
}
