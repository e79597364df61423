/**
 * Routes in the order of the dimensions: each hop takes an item to its coordinate along one dimension of a mesh of PEs,
 * and the hops take the dimensions in a fixed order. Rows and columns of groups are such a mesh, and so is that of one
 * hop.
 *
 *     1 hop    pe → pe'                                                   no tag
 *     2 hops   (a, b) → (a', b) → (a', b')                                tags: b', then a
 *     3 hops   (a, b, c) → (a', b, c) → (a', b', c) → (a', b', c')        tags: b' and c', then a and c', then a and b
 *
 * In a mesh an item leaves out the hops along which it is at its coordinate already, with the tag that they would have
 * given it (mesh-ways.ts).
 *
 * A tag has a field for each coordinate, of as many bits as the dimension needs, and 1, 2 or 4 bytes for both of them.
 * A pivot shifts what it keeps to the lowest bits:
 *
 *     bits of c' ┐                    bits of a ┐
 *     ┌────┬────┐     ┌────┬────┐     ┌────┬────┐
 *     │ b' │ c' │ ──▶ │ a  │ c' │ ──▶ │ b  │ a  │
 *     └────┴────┘     └────┴────┘     └────┴────┘
 *
 * Source: Narayanan, "Generalizing Fine-Grained Message Aggregation", section 2.1, and NDMeshStreamer of Charm++, for
 * meshes; Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.3.1, for two hops; the tag
 * of the second of two hops is as wide as it has to be (bale's is as wide as the number of rows needs, which is too
 * little for more than 256 PEs in a row).
 *
 * Example: 12 PEs, a = 2, b = 2, c = 3, positions a * 6 + b * 3 + c. From 1 = (0, 0, 1) to 11 = (1, 1, 2): to 7 = (1,
 * 0, 1) with tag b' c' = 1 10, to 10 = (1, 1, 1) with tag a c' = 0 10, to 11 with tag b a = 0 0. It came over link c =
 * 1: from (0, 0, 1).
 */
import { type ConveyorRoute, coordinate, type Dimension, type Pivot, placesOf, routeTable } from "./route.ts";

/**
 * @param order by position: the rank @param dims by hop, one to three
 * @param isMesh whether items leave out hops, and the first hop is that which leaves the group
 */
export function dimensionOrder(
  order: Int32Array,
  dims: readonly Dimension[],
  isMesh: boolean,
): Omit<ConveyorRoute, "groupSize" | "mesh"> {
  const places = placesOf(order);
  const [a, b, c] = dims as readonly [Dimension, Dimension?, Dimension?];
  const common = { size: order.length, dims, order, places, plane: 0 };
  if (b === undefined) {
    const each = [{ tagBytes: 0, remote: false, turn: null }] as const;
    const link = (place: number) => coordinate(place, a);
    return { ...common, hops: 1, row: 1, low: 0, each, ...routeTable(places, order, link, () => 0) };
  }
  const [widths, turns] = [tagBytesOf(dims, isMesh), turnsOf(dims)];
  const remote = isMesh ? 0 : 1;
  const last = c ?? b;
  // the tag of the last hop is at most row - 1
  const row = c === undefined ? a.size : ((b.size - 1) << bitsOf(a)) + a.size;
  const senderOf = (place: number): number => {
    const left = c === undefined ? 0 : coordinate(place, b) << bitsOf(a);
    return coordinate(place, last) * row + (left | coordinate(place, a));
  };
  const ranks = new Int32Array(last.size * row).fill(-1);
  for (const [place, rank] of order.entries()) ranks[senderOf(place)] = rank;
  const tag = (place: number): number =>
    c === undefined ? coordinate(place, b) : (coordinate(place, b) << bitsOf(c)) | coordinate(place, c);
  return {
    ...common,
    hops: c === undefined ? 2 : 3,
    row,
    low: -1,
    ...routeTable(places, ranks, (place) => coordinate(place, a), tag),
    each: widths.map((tagBytes, hop) => ({ tagBytes, remote: hop === remote, turn: turns[hop] ?? null })),
  };
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

/** The pivots. */
function turnsOf(dims: readonly Dimension[]): Pivot[] {
  const [a, , c] = dims.map(bitsOf) as [number, number, number?];
  if (c === undefined) return [{ linkShift: 0, linkMask: -1, sourceShift: 0, keepShift: 0, keepMask: 0 }];
  return [
    { linkShift: c, linkMask: -1, sourceShift: c, keepShift: 0, keepMask: maskOf(c) },
    { linkShift: 0, linkMask: maskOf(c), sourceShift: a, keepShift: c, keepMask: maskOf(a) },
  ];
}

/** Bits of a coordinate. */
const bitsOf = ({ size }: Dimension): number => (size === 1 ? 0 : 32 - Math.clz32(size - 1));

const maskOf = (bits: number): number => (1 << bits) - 1;

const bytesFor = (bits: number): 1 | 2 | 4 => (bits <= 8 ? 1 : bits <= 16 ? 2 : 4);
