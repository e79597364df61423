/**
 * Routes in the order of the dimensions: each hop takes an item to its coordinate along one dimension of a mesh of PEs,
 * and the hops take the dimensions in a fixed order. Rows and columns of groups are such a mesh, and so is that of one
 * hop.
 *
 *     1 hop    pe → pe'                                                   no tag
 *     2 hops   (a, b) → (a', b) → (a', b')                                tags: b', then a
 *     3 hops   (a, b, c) → (a', b, c) → (a', b', c) → (a', b', c')        tags: b' and c', then a and c', then a and b
 *     …
 *
 * In a mesh an item leaves out the hops along which it is at its coordinate already, with the tag that they would have
 * given it (mesh-ways.ts).
 *
 * A tag has a field for each coordinate but that of its hop's link, that of the first hop in the lowest bits, of as
 * many bits as the dimension needs: 1, 2 or 4 bytes for all of them. A coordinate that is reached makes room for that
 * which the item came from:
 *
 *     ┌────┬────┐     ┌────┬────┐     ┌────┬────┐
 *     │ c' │ b' │ ──▶ │ c' │ a  │ ──▶ │ b  │ a  │
 *     └────┴────┘     └────┴────┘     └────┴────┘
 *
 * Source: Narayanan, "Generalizing Fine-Grained Message Aggregation", section 2.1, and NDMeshStreamer of Charm++, for
 * meshes; Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.3.1, for two hops; the tag
 * of the second of two hops is as wide as it has to be (bale's is as wide as the number of rows needs, which is too
 * little for more than 256 PEs in a row).
 *
 * Example: 12 PEs, a = 2, b = 2, c = 3, positions a * 6 + b * 3 + c. From 1 = (0, 0, 1) to 11 = (1, 1, 2): to 7 = (1,
 * 0, 1) with tag c' b' = 10 1, to 10 = (1, 1, 1) with tag c' a = 10 0, to 11 with tag b a = 0 0. It came over link c =
 * 1: from (0, 0, 1).
 */
import { type ConveyorRoute, coordinate, type Dimension, type Pivot, placesOf, routeTable } from "./route.ts";

/**
 * @param order by position: the rank @param dims by hop
 * @param isMesh whether items leave out hops, and the first hop is that which leaves the group
 */
export function dimensionOrder(
  order: Int32Array,
  dims: readonly Dimension[],
  isMesh: boolean,
): Omit<ConveyorRoute, "groupSize" | "mesh" | "fields"> {
  const places = placesOf(order);
  const last = dims.length - 1;
  const shifts = shiftsOf(dims);
  const coordinates = (place: number, count = dims.length): number => {
    let all = 0;
    for (let hop = 0; hop < count; hop++) all |= coordinate(place, dims[hop]) << shifts[hop];
    return all;
  };
  // the largest tag of the last hop, and one more
  const row = dims.slice(0, last).reduce((sum, { size }, hop) => sum + ((size - 1) << shifts[hop]), 1);
  const ranks = new Int32Array(dims[last].size * row).fill(-1);
  for (const [place, rank] of order.entries()) {
    ranks[coordinate(place, dims[last]) * row + coordinates(place, last)] = rank;
  }
  const widths = tagBytesOf(dims, isMesh);
  const remote = isMesh ? 0 : 1;
  const kept = isMesh ? 0 : bitsOf(dims[0]);
  return {
    size: order.length,
    hops: dims.length,
    dims,
    order,
    places,
    plane: 0,
    row,
    low: last === 0 ? 0 : -1,
    ...routeTable(
      places,
      ranks,
      (place) => coordinate(place, dims[0]),
      (place) => coordinates(place) >>> kept,
    ),
    each: widths.map((tagBytes, hop) => ({
      tagBytes,
      remote: hop === remote,
      turn: hop === last ? null : turnOf(shifts[hop], bitsOf(dims[hop + 1])),
    })),
  };
}

/** By hop: where its coordinate begins in a tag of all coordinates. */
export function shiftsOf(dims: readonly Dimension[]): number[] {
  let next = 0;
  return dims.map((dim) => {
    next += bitsOf(dim);
    return next - bitsOf(dim);
  });
}

/** Bytes of the tags of each hop; in a mesh as many at all hops, as an item is pushed into the buffers of any. */
export function tagBytesOf(dims: readonly Dimension[], isMesh: boolean): (0 | 1 | 2 | 4)[] {
  if (dims.length === 1) return [0];
  const bits = dims.map(bitsOf);
  const all = bits.reduce((sum, one) => sum + one, 0);
  const least = Math.min(...bits);
  // all coordinates but that of the link
  return bits.map((own) => bytesFor(all - (isMesh ? least : own)));
}

/** The pivot to the next hop, if that is the last: the coordinates before this one stay where they are. */
const turnOf = (shift: number, bits: number): Pivot => ({
  linkShift: shift,
  linkMask: maskOf(bits),
  sourceShift: shift,
  keepShift: 0,
  keepMask: maskOf(shift),
});

/** Bits of a coordinate. */
export const bitsOf = ({ size }: Dimension): number => (size === 1 ? 0 : 32 - Math.clz32(size - 1));

export const maskOf = (bits: number): number => (1 << bits) - 1;

const bytesFor = (bits: number): 1 | 2 | 4 => (bits <= 8 ? 1 : bits <= 16 ? 2 : 4);
