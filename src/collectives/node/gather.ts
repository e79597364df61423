/**
 * Gather and allgather: every PE's x at the root, or at all PEs, in order of rank.
 *
 * All PEs show their data, and the root copies it, PE by PE, or each of them does. PEs with short data go on at once,
 * the others when theirs has been read. The longest parts go to a root's memory in the heap chunk by chunk, and a PE
 * that waits in the call copies chunks of its own, too. One that has gone on from the call's Async form copies none,
 * and nobody waits for it. Arrays may have different lengths.
 *
 * Limits: the root alone copies to memory that is not in the heap, and what is short; an array outside the heap is
 * copied whole to the staging memory.
 *
 * Source: MPI 4.0, sections 6.5 and 6.7 (gather, gatherv, allgather, allgatherv).
 *
 * Example with 3 PEs: arrays [1], [2, 2], [3] become [1, 2, 2, 3] at the root; values a, b, c a list.
 */
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { CHUNK_BYTES, chunksOf } from "../team/divided-copy.ts";
import { ALL, isRendezvous } from "../team/eager-board.ts";
import { IntoRefusal } from "../team/refusals.ts";
import type { Team } from "../team/team.ts";
import { EagerCall } from "./eager-call.ts";
import { allRead, exposeWhole, haveRead, type Packed, type Value } from "./exposed-values.ts";
import { arraysShown, copyOwn, type Into, joinInto, joinShown, placesShown } from "./result-array.ts";

/** Whether two PEs copy a part of so many bytes. Of fewer the root is as fast alone, as it has its own part by then. */
const isDivided = (bytes: number): boolean => bytes >= 8 * CHUNK_BYTES;

/** The gathers of a team, at one PE. */
export class Gather extends EagerCall<Value | IntoRefusal> {
  override result: Value | IntoRefusal = undefined;
  #x: Packed | null = null;
  #root = ALL;
  #into: Into | undefined = undefined;
  #place = -1;
  /** Bytes of this PE's own part that are in the result already. */
  #copied = 0;
  /** Where this PE's message is. */
  #address = 0;

  /**
   * The joined parts at the root, undefined elsewhere.
   * @param root ALL: at every PE @param into for arrays; a new one without @param place its {@link heapPlace}
   */
  begin(tag: number, x: Packed, root: number, into: Into | undefined, place = -1): this {
    this.#x = x;
    this.#root = root;
    this.#into = into;
    this.#place = place;
    return this.start(tag, root === ALL || root === this.team.rank);
  }

  protected show(): void {
    const { eager, payload, rank, division } = this.team;
    const x = this.#x as Packed;
    const bytes = x.content.byteLength;
    const root = this.#root;
    if (root !== rank) this.#address = exposeWhole(this.team, x).address;
    if (root !== ALL && root !== rank && isDivided(bytes)) division?.offer();
    eager.show(this.tag, this.#address, bytes, x.extra, root);
    this.#copied = 0;
    // others come later, as the root has read their lines: meanwhile the first PE copies its own, which comes first
    if (rank === 0 && this.#place >= 0 && (this.#into as TypedArray).byteLength >= bytes) {
      if (root !== ALL && division !== null && isDivided(bytes)) this.#copyUntilBegun(bytes);
      else {
        payload.copy(this.#place, x.address, bytes);
        this.#copied = bytes;
      }
    }
  }

  /** Copies of its own until all others have come, who copy at the same time once this PE has seen them. */
  #copyUntilBegun(bytes: number): void {
    const { eager, payload, size } = this.team;
    const from = (this.#x as Packed).address;
    for (let peer = 1; this.#copied < bytes && peer < size; ) {
      if (eager.begun(peer).ready()) peer++;
      else {
        payload.copy(this.#place + this.#copied, from + this.#copied, Math.min(CHUNK_BYTES, bytes - this.#copied));
        this.#copied = Math.min(this.#copied + CHUNK_BYTES, bytes);
      }
    }
  }

  protected see(): void {}

  protected override forget(): void {
    this.result = undefined;
    this.#x = null;
    this.#into = undefined;
  }

  protected end(): Task<void> | null {
    const { team, tag, longest } = this;
    const x = this.#x as Packed;
    const root = this.#root;
    const bytes = x.content.byteLength;
    if (root !== ALL && root !== team.rank) {
      team.board.skip();
      return isRendezvous(bytes) ? untilRead(team, this.#address, bytes, root) : null;
    }
    if (root !== ALL && team.division !== null && isDivided(longest)) return this.#divided();
    this.result = joinShown(team, x, this.#into, this.#place, this.#copied === bytes);
    if (root === ALL) return allRead(team, tag, Math.max(longest, bytes));
    haveRead(team, tag, longest);
    return null;
  }

  *#divided(): Task<void> {
    this.result = yield* joinDivided(this.team, this.#x as Packed, this.#into, this.#copied);
    haveRead(this.team, this.tag, this.longest);
  }
}

/** Waits until the root has read a long part; copies a share of it if the root opens it. */
function* untilRead({ board, division, rank, heap }: Team, from: number, bytes: number, root: number): Task<void> {
  const read = board.reached(root, board.phase);
  if (read.ready()) return;
  if (division !== null && isDivided(bytes)) {
    const opened = division.opened(root);
    if (!opened.ready()) yield opened;
    division.tell(division.copy(rank, bytes, from, division.to, heap.kernels.copy), root);
  }
  if (!read.ready()) yield read;
}

/** As {@link joinShown}, with the PEs that take a share. @param hasOwn bytes of x that are in the result already */
function* joinDivided(team: Team, x: Packed, into: Into | undefined, hasOwn: number): Task<Value | IntoRefusal> {
  const { eager, rank, size, division, payload, heap } = team;
  if (division === null) return joinShown(team, x, into);
  const shown = arraysShown(team, x, into);
  const places = shown === null ? null : placesShown(team, shown, into);
  const isPlaced = places !== null && !(places instanceof IntoRefusal);
  const place = (peer: number): number => (isPlaced ? places.arrays[peer].byteOffset + places.starts[peer] : 0);
  const open: number[] = [];
  for (let peer = 0; peer < size; peer++) {
    const bytes = eager.bytes(peer);
    if (peer === rank || !isDivided(bytes)) continue;
    const isShared = isPlaced && payload.isShared(places.arrays[peer]);
    division.open(peer, place(peer), isShared ? chunksOf(bytes) : 0);
    if (isShared) open.push(peer);
  }
  if (places === null) return joinShown(team, x, into);
  if (!isPlaced) return places;
  joinInto(team, x, places, [...open, rank]);
  copyOwn(team, x, hasOwn, eager.bytes(rank) - hasOwn, places.arrays[rank], places.starts[rank] + hasOwn);
  for (const peer of open) {
    const bytes = eager.bytes(peer);
    const copied = division.copy(peer, bytes, eager.address(peer), place(peer), heap.kernels.copy);
    const rest = division.copied(peer, chunksOf(bytes) - copied);
    if (!rest.ready()) yield rest;
  }
  return places.result;
}
