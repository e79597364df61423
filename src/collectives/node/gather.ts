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
import type { DividedCopy } from "../team/divided-copy.ts";
import type { Team } from "../team/team.ts";
import { type ExposedValue, type Packed, shownBy, type Value, wrap } from "./exposed-values.ts";
import { copyShown, type Into, IntoRefusal, joinShown, placesOf, typeOfAll } from "./result-array.ts";

/** Bytes of a chunk, and how many there are at least in a part that two PEs copy. */
const CHUNK_BYTES = 32 * 1024;
const CHUNKS = 2;

const isDivided = (bytes: number): boolean => bytes >= CHUNKS * CHUNK_BYTES;

/** The joined parts at the root, undefined elsewhere. @param into for arrays; a new one without */
export function* gatherValues(
  team: Team,
  tag: number,
  x: Packed,
  root: number,
  into: Into | undefined,
): Task<Value | IntoRefusal> {
  const { board, rank, size, division } = team;
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
      const opened = division.opened(taken);
      if (!opened.ready()) yield opened;
      if (division.to >= 0) division.tell(copyChunks(team, division, rank, own, division.to), root);
    }
    if (!taken.ready()) yield taken;
    return undefined;
  }
  const parts = new Array<ExposedValue>(size);
  parts[rank] = own;
  let isLong = false;
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const ready = board.reached(peer, shown);
    if (!ready.ready()) yield ready;
    team.check(peer, shown, tag);
    const part = shownBy(team, peer, shown);
    isLong ||= isDivided(part.bytes);
    parts[peer] = part;
  }
  const result = isLong ? yield* joinDivided(team, parts, into) : joinShown(team, parts, into);
  board.next(tag);
  return result;
}

/** As {@link joinShown}, with the PEs that take a share. */
function* joinDivided(team: Team, parts: readonly ExposedValue[], into: Into | undefined): Task<Value | IntoRefusal> {
  const { rank, division, payload } = team;
  const type = division === null ? null : typeOfAll(parts);
  if (division === null || type === null) return joinShown(team, parts, into);
  const places = placesOf(team, type, parts, into);
  if (places instanceof IntoRefusal) return places;
  const { arrays, starts, result } = places;
  const place = (peer: number): number => arrays[peer].byteOffset + starts[peer];
  const open: number[] = [];
  for (const [peer, { bytes }] of parts.entries()) {
    if (peer === rank || !isDivided(bytes) || !payload.isShared(arrays[peer])) continue;
    division.open(peer, place(peer), Math.ceil(bytes / CHUNK_BYTES));
    open.push(peer);
  }
  for (const [peer, part] of parts.entries())
    if (!open.includes(peer)) copyShown(team, part, arrays[peer], starts[peer]);
  for (const peer of open) {
    const copied = copyChunks(team, division, peer, parts[peer], place(peer));
    const rest = division.copied(peer, Math.ceil(parts[peer].bytes / CHUNK_BYTES) - copied);
    if (!rest.ready()) yield rest;
  }
  return result;
}

/** Copies chunks of what PE `peer` shows while there are any. @returns how many */
function copyChunks(
  { payload }: Team,
  division: DividedCopy,
  peer: number,
  { address, bytes }: ExposedValue,
  to: number,
): number {
  for (let copied = 0; ; copied++) {
    const chunk = division.take(peer);
    if (chunk < 0) return copied;
    const start = chunk * CHUNK_BYTES;
    payload.copy(to + start, address + start, Math.min(CHUNK_BYTES, bytes - start));
  }
}
