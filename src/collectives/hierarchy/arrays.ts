/**
 * Arrays over nodes: as numbers.ts, with elements that are sent from where they lie in the heap, and received there.
 *
 * Limits: an array goes whole from part to part, so a broadcast of long arrays over many nodes takes as many steps as
 * the tree is deep, each of the whole length.
 */
import type { Reducer } from "../../memory/kernels/kernels.ts";
import type { Region } from "../node/region.ts";
import { exchangePartners } from "../team/links.ts";
import type { Routine } from "../team/operation.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** Elements of a leader: in the heap, at `address`. */
export interface Elements {
  readonly address: number;
  readonly bytes: number;
  readonly count: number;
}

/** What becomes of the elements of a PE: they are read, or written, or both. */
export type Use = "read" | "written" | "changed";

/** Runs `work` on the elements of a region where they lie in the heap, or on a copy that is then put back. */
export function* inHeap(
  hierarchy: Hierarchy,
  region: Region,
  use: Use,
  work: (elements: Elements) => Routine<void>,
): Routine<void> {
  const { payload } = hierarchy.team;
  const { bytes, array, size } = region;
  const count = bytes / size;
  if (array === null) {
    yield* work({ address: region.address, bytes, count });
  } else {
    const address = hierarchy.stage.take(Math.max(1, bytes));
    if (use !== "written") payload.put(array, region.type, 0, bytes, address);
    yield* work({ address, bytes, count });
    if (use !== "read") payload.get(array, region.type, 0, bytes, address);
    hierarchy.stage.leave();
  }
  hierarchy.scratch.leave();
}

/** Gets the root's elements, where this PE is one that they come to, and passes them on to other parts. */
export function* relayElements(
  hierarchy: Hierarchy,
  region: Region,
  { address, bytes }: Elements,
  root: number,
): Routine<void> {
  const { parent, children } = hierarchy.place(root, true);
  if (parent >= 0) yield* hierarchy.put(yield* hierarchy.receive(parent), address, bytes);
  for (const child of children) yield* hierarchy.send(child, address, bytes);
  // what lies in the heap itself can be spread within the part meanwhile
  if (region.array !== null) yield* hierarchy.flush();
}

/** The elements of all parts combined, at the root; what the others hold may be anything. */
export function* reduceElements(
  hierarchy: Hierarchy,
  elements: Elements,
  reducer: Reducer,
  root: number,
): Routine<void> {
  const { parent, children } = hierarchy.place(root, false);
  for (const child of children.toReversed()) {
    reducer(elements.address, yield* received(hierarchy, child, elements), elements.count);
  }
  if (parent >= 0) yield* hierarchy.send(parent, elements.address, elements.bytes);
  yield* hierarchy.flush();
}

/** The elements of all parts combined, at each. */
export function* exchangeElements(
  hierarchy: Hierarchy,
  elements: Elements,
  reducer: Reducer,
  commutes: boolean,
): Routine<void> {
  const { own, parts } = hierarchy;
  const { address, bytes, count } = elements;
  const { kernels } = hierarchy.team.heap;
  const { core, folded, rounds } = exchangePartners(parts.length, own);
  if (own >= core) {
    yield* hierarchy.send(hierarchy.leader(folded), address, bytes);
    yield* hierarchy.flush();
    yield* hierarchy.put(yield* hierarchy.receive(hierarchy.leader(folded)), address, bytes);
    return;
  }
  if (folded >= 0) reducer(address, yield* received(hierarchy, hierarchy.leader(folded), elements), count);
  for (const partner of rounds) {
    const peer = hierarchy.leader(partner);
    yield* hierarchy.send(peer, address, bytes);
    const other = yield* received(hierarchy, peer, elements);
    yield* hierarchy.flush();
    if (partner > own || commutes) {
      reducer(address, other, count);
    } else {
      // the lower part's elements come first
      reducer(other, address, count);
      kernels.copy(address, other, bytes);
    }
  }
  if (folded >= 0) {
    yield* hierarchy.send(hierarchy.leader(folded), address, bytes);
    yield* hierarchy.flush();
  }
}

/** Elements that come from another part: where they lie, until the next come. */
function* received(hierarchy: Hierarchy, from: number, { bytes }: Elements): Routine<number> {
  const message = yield* hierarchy.receive(from);
  const address = hierarchy.scratch.take(Math.max(1, bytes));
  yield* hierarchy.put(message, address, bytes);
  return address;
}
