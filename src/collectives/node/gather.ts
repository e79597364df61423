/**
 * Gather: every PE's x at the root, in order of rank.
 *
 * All PEs show their data; the root copies it, PE by PE, and then lets them continue. Long parts of an array in the heap
 * go to the root's memory there chunk by chunk, and a PE that waits in the call copies chunks of its own, too. One that
 * has gone on from the call's Async form copies none, and nobody waits for it. Arrays may have different lengths.
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
import type { Team } from "../team/team.ts";
import { type ExposedValue, type Packed, shownBy, type Value, wrap } from "./exposed-values.ts";
import { copyShown, type Into, IntoRefusal, joinShown, placesOf, typeOfAll } from "./result-array.ts";

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
  const { board, rank, size, division, heap } = team;
  const own = wrap(team, x);
  const divided = rank !== root && division !== null && isDivided(own.bytes);
  if (divided) division.offer();
  board.show(tag, own.address, own.bytes, own.extra);
  const shown = board.phase;
  if (rank !== root) {
    board.skip();
    const taken = board.reached(root, board.phase);
    if (taken.ready()) return undefined;
    if (divided) {
      const opened = division.opened(root);
      if (!opened.ready()) yield opened;
      division.tell(division.copy(rank, own.bytes, own.address, division.to, heap.kernels.copy), root);
    }
    if (!taken.ready()) yield taken;
    return undefined;
  }
  const parts = new Array<ExposedValue>(size).fill(own);
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const ready = board.reached(peer, shown);
    if (!ready.ready()) yield ready;
    team.check(peer, shown, tag);
    parts[peer] = shownBy(team, peer, shown);
  }
  const result = parts.some(({ bytes }) => isDivided(bytes))
    ? yield* joinDivided(team, parts, into)
    : joinShown(team, parts, into);
  board.next(tag);
  return result;
}

/** As {@link joinShown}, with the PEs that take a share. */
function* joinDivided(team: Team, parts: readonly ExposedValue[], into: Into | undefined): Task<Value | IntoRefusal> {
  const { rank, division, payload, heap } = team;
  if (division === null) return joinShown(team, parts, into);
  const type = typeOfAll(parts);
  const places = type === null ? null : placesOf(team, type, parts, into);
  const isPlaced = places !== null && !(places instanceof IntoRefusal);
  const place = (peer: number): number => (isPlaced ? places.arrays[peer].byteOffset + places.starts[peer] : 0);
  const open: number[] = [];
  for (const [peer, { bytes }] of parts.entries()) {
    if (peer === rank || !isDivided(bytes)) continue;
    const isShared = isPlaced && payload.isShared(places.arrays[peer]);
    division.open(peer, place(peer), isShared ? chunksOf(bytes) : 0);
    if (isShared) open.push(peer);
  }
  if (places === null) return joinShown(team, parts, into);
  if (!isPlaced) return places;
  const { arrays, starts, result } = places;
  for (const [peer, part] of parts.entries())
    if (!open.includes(peer)) copyShown(team, part, arrays[peer], starts[peer]);
  for (const peer of open) {
    const { bytes, address } = parts[peer];
    const copied = division.copy(peer, bytes, address, place(peer), heap.kernels.copy);
    const rest = division.copied(peer, chunksOf(bytes) - copied);
    if (!rest.ready()) yield rest;
  }
  return result;
}
