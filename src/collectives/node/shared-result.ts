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
import type { Condition } from "../../ground/wait/condition.ts";
import { ReusableTask } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import type { Barrier } from "./barrier.ts";
import type { Packed } from "./exposed-values.ts";
import { copyOwn } from "./result-array.ts";

/** Those of a team, at one PE. */
export class SharedResult extends ReusableTask<void> {
  readonly result: undefined = undefined;
  readonly #team: Team;
  readonly #barrier: Barrier;
  #tag = 0;
  #x: Packed | null = null;
  #into: TypedArray | null = null;
  /** Place of the last one. */
  #last = -1;
  #isWritten = false;

  constructor(team: Team, barrier: Barrier) {
    super();
    this.#team = team;
    this.#barrier = barrier;
  }

  /** @param into as sharedByAll() of calls/into.ts has found it */
  begin(tag: number, x: Packed, into: TypedArray): this {
    this.#tag = tag;
    this.#x = x;
    this.#into = into;
    this.#isWritten = false;
    const place = this.#team.payload.placeOf(into);
    if (this.#last === place) this.#barrier.begin(tag);
    else this.#write();
    this.#last = place;
    return this;
  }

  advance(): Condition | null {
    const wait = this.#barrier.advance();
    if (wait !== null || this.#isWritten) return wait;
    this.#write();
    return this.#barrier.advance();
  }

  protected override forget(): void {
    this.#x = null;
    this.#into = null;
  }

  /** Copies this PE's part, and begins to meet the others. */
  #write(): void {
    const x = this.#x as Packed;
    const into = this.#into as TypedArray;
    const bytes = x.content.byteLength;
    const at = this.#team.rank * bytes;
    const { buffer, byteOffset } = x.content;
    if (buffer !== into.buffer || byteOffset !== into.byteOffset + at) copyOwn(this.#team, x, 0, bytes, into, at);
    this.#barrier.begin(this.#tag);
    this.#isWritten = true;
  }
}
