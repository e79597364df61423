/**
 * Gather: every PE's x at the root, in order of rank.
 *
 * All PEs show their data, and the root copies it, PE by PE. PEs with short data go on at once, the others when the root
 * has read theirs. The longest parts go to the root's memory in the heap chunk by chunk, and a PE that waits in the call
 * copies chunks of its own, too. One that has gone on from the call's Async form copies none, and nobody waits for it.
 * Arrays may have different lengths.
 *
 * Limits: the root alone copies to memory that is not in the heap, and what is short; an array outside the heap is
 * copied whole to the staging memory.
 *
 * Source: MPI 4.0, section 6.5 (gather, gatherv).
 *
 * Example with 3 PEs: arrays [1], [2, 2], [3] become [1, 2, 2, 3] at the root; values a, b, c a list.
 */
import type { Task } from "../../ground/wait/task.ts";
import { CHUNK_BYTES, chunksOf } from "../team/divided-copy.ts";
import { isRendezvous } from "../team/eager-board.ts";
import type { Team } from "../team/team.ts";
import { type Packed, type Value, wrap } from "./exposed-values.ts";
import {
  bytesShown,
  copyOwn,
  copyShown,
  type Into,
  IntoRefusal,
  isClampedByAll,
  joinShown,
  placesFor,
  typeShown,
} from "./result-array.ts";

/** Whether two PEs copy a part of so many bytes. */
const isDivided = (bytes: number): boolean => bytes >= 2 * CHUNK_BYTES;

/** The joined parts at the root, undefined elsewhere. @param into for arrays; a new one without */
export function* gatherValues(
  team: Team,
  tag: number,
  x: Packed,
  root: number,
  into: Into | undefined,
): Task<Value | IntoRefusal> {
  const { board, eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  const bytes = x.content.byteLength;
  if (rank !== root) {
    const own = wrap(team, x);
    if (team.division !== null && isDivided(bytes)) team.division.offer();
    eager.show(tag, own.address, bytes, own.extra, root);
    board.skip();
    if (isRendezvous(bytes)) yield* untilRead(team, own.address, bytes, root);
    return undefined;
  }
  eager.show(tag, 0, bytes, x.extra, root);
  let longest = 0;
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const begun = eager.begun(peer);
    if (!begun.ready()) yield begun;
    team.checkHeader(peer, tag);
    longest = Math.max(longest, eager.bytes(peer));
  }
  const result = isDivided(longest) ? yield* joinDivided(team, x, into) : joinShown(team, x, into);
  if (isRendezvous(longest)) board.next(tag);
  else board.skip();
  return result;
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

/** As {@link joinShown}, with the PEs that take a share. */
function* joinDivided(team: Team, x: Packed, into: Into | undefined): Task<Value | IntoRefusal> {
  const { eager, rank, size, division, payload, heap } = team;
  if (division === null) return joinShown(team, x, into);
  const type = typeShown(team);
  const places = type === null ? null : placesFor(team, type, isClampedByAll(team), bytesShown(team), into);
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
  const { arrays, starts, result } = places;
  for (let peer = 0; peer < size; peer++) {
    const bytes = eager.bytes(peer);
    if (peer === rank) copyOwn(team, x, 0, bytes, arrays[peer], starts[peer]);
    else if (!open.includes(peer)) copyShown(team, eager.address(peer), bytes, arrays[peer], starts[peer]);
  }
  for (const peer of open) {
    const bytes = eager.bytes(peer);
    const copied = division.copy(peer, bytes, eager.address(peer), place(peer), heap.kernels.copy);
    const rest = division.copied(peer, chunksOf(bytes) - copied);
    if (!rest.ready()) yield rest;
  }
  return result;
}
