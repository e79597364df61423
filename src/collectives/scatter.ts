/**
 * Scatter: part i of the root's x at PE i.
 *
 * What: the root shows all parts; each PE copies its own; the root goes on when all have.
 *
 * Limits: what does not lie in the heap is staged whole.
 *
 * Source: MPI 4.0, section 6.6 (scatter).
 *
 * Example with 3 PEs: [1, 2, 3, 4, 5, 6] at the root gives [1, 2], [3, 4], [5, 6]; a list of 3 values
 * gives each PE one.
 */
import { UsageError } from "../errors.ts";
import type { Routine } from "./operation.ts";
import { isTypedArray, LIST, type Packed, unwrap, unwrapOne, type Value, wrap, wrapMany } from "./parcels.ts";
import type { Team } from "./team.ts";

/** Throws when x cannot be cut into a part for each PE; only the root's x counts. */
export function checkScatter(x: Value, size: number): void {
  const length = isTypedArray(x) || Array.isArray(x) ? x.length : -1;
  if (Array.isArray(x) ? length !== size : length < 0 || length % size !== 0) {
    throw new UsageError(
      `scatter: expected at the root a typed array whose length is a multiple of ${size}, or a list of ${size} ` +
        `values; got ${length < 0 ? typeof x : `a length of ${length}`}`,
    );
  }
}

/** This PE's part; `x` counts at the root only. */
export function* scatterParcels(
  team: Team,
  tag: number,
  x: Packed | readonly Packed[] | null,
  root: number,
): Routine<Value> {
  const { board, rank, size } = team;
  if (rank !== root || x === null) {
    const phase = board.phase + 1;
    const shown = board.reached(root, phase);
    if (!shown.ready()) yield shown;
    team.check(root, phase, tag);
    const part = partOf(team, board.address(root, phase), board.bytes(root, phase), board.extra(root, phase));
    board.next(tag, root);
    return part;
  }
  const { address, bytes, extra } = "kind" in x ? wrap(team, x) : wrapMany(team, x);
  board.show(tag, address, bytes, extra);
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const taken = board.reached(peer, board.phase);
    if (!taken.ready()) yield taken;
    team.check(peer, board.phase, tag);
  }
  return partOf(team, address, bytes, extra);
}

function partOf(team: Team, address: number, bytes: number, extra: number): Value {
  if (extra === LIST) return unwrapOne(team, address, team.rank);
  return unwrap(team, {
    address: address + (bytes / team.size) * team.rank,
    bytes: bytes / team.size,
    extra,
  });
}
