/**
 * Makes routes: in groups of near PEs, or in a mesh of any dimensions.
 *
 * Groups: the PEs are arranged in a grid with `groupSize` = n PEs in a row, which is a group.
 *
 *     1 hop    pe → pe'
 *     2 hops   (x, z) → (x, z') → (x', z')                             first within the row, then along the column
 *     3 hops   (x, y, z) → (x, y, y') → (x', y', y) → (x', y', z')     row, between rows, row
 *              tags: x' and z', then z and z', then x and z
 *
 * One and two hops are along a dimension each (dimension-order.ts). With three the middle one exchanges coordinates, so
 * that both others stay in a group; and the last plane of n rows may be filled in part.
 *
 * Meshes: s0 x s1 x s2 x … PEs, of which PE (x0, x1, x2, …) has position x0 + s0 * (x1 + s1 * (x2 + …)). An item takes
 * the greatest dimension first, x2 before x1 before x0: at each PE it goes along the greatest in which it differs from
 * its destination. So a PE needs no link to itself, but one for items to itself: the sum of s_d - 1, and one. PEs that
 * are near have near positions (grid.ts), so the greatest dimension is that between the farthest PEs.
 *
 * Limits: n divides the number of PEs; 3 hops in groups: n <= 256 and fewer than 2^16 planes. Source: Maley, DeVinney,
 * "Conveyors for Streaming Many-To-Many Communication", section 4.3.1, for groups; Narayanan, "Generalizing
 * Fine-Grained Message Aggregation", section 2.1, for meshes.
 *
 * Example, 2 hops, P = 6, n = 3: from 0 = (0, 0) to 5 = (1, 2): first to 2 = (0, 2) with tag 1, then to 5 with tag 0.
 * At 5 the link shows row 0 and the tag shows column 0, so the sender is 0 * 3 + 0 = 0. In the mesh 3 x 2 it goes to 3
 * = (x0 0, x1 1) first.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { dimensionOrder, tagBytesOf } from "./dimension-order.ts";
import { fieldsOf } from "./mesh-ways.ts";
import { type ConveyorRoute, type Dimension, type Hops, placesOf, planesOf, routeTable } from "./route.ts";

/** The smallest number of hops with the same effect: a grid with one column or one row is a line. */
function usefulHops(size: number, groupSize: number, hops: Hops): Hops {
  if (groupSize === 1 || size <= groupSize) return 1;
  return hops === 3 && size <= groupSize * groupSize ? 2 : hops;
}

/**
 * The routes in groups.
 * @param groupSize PEs in a row
 * @param hops largest number of hops; fewer if that makes no difference ({@link usefulHops})
 * @param ranks by position in the grid. @default in order
 * @throws UsageError if groupSize does not divide size, or the grid is too large
 */
export function makeRoute(size: number, groupSize: number, hops: Hops, ranks?: Int32Array): ConveyorRoute {
  return cached(`${size}/${groupSize}/${hops}/${ranks ?? ""}`, () => newRoute(size, groupSize, hops, ranks));
}

/**
 * The routes in a mesh. Dimensions of one PE are left out.
 * @param mesh the sizes of its dimensions, the least first; whole numbers from 1 on
 * @param ranks by position. @default in order
 * @throws UsageError unless their product is `size`
 */
export function makeMesh(size: number, mesh: readonly number[], ranks?: Int32Array): ConveyorRoute {
  const product = mesh.reduce((all, one) => all * one, 1);
  if (product !== size) {
    throw new UsageError(
      `mesh: expected sizes whose product is ${size}, the number of PEs, got ${meshText(mesh)}, which is ${product}`,
    );
  }
  return cached(`${size}/mesh ${mesh}/${ranks ?? ""}`, () => newMesh(size, mesh, ranks));
}

/** Example: `3 x 5 x 7`. */
export const meshText = (mesh: readonly number[]): string => mesh.join(" x ");

/** The dimensions of a mesh that have more than one PE, in the order of the hops: the greatest first. */
export function dimensionsOf(mesh: readonly number[]): readonly Dimension[] {
  let stride = 1;
  const dims = mesh.map((size): Dimension => {
    const dim = { size, stride };
    stride *= size;
    return dim;
  });
  const useful = dims.filter(({ size }) => size > 1).reverse();
  return useful.length > 0 ? useful : dims.slice(0, 1);
}

/** Bytes of the tags in a mesh of more than one dimension. */
export const meshTagBytes = (mesh: readonly number[]): number => tagBytesOf(dimensionsOf(mesh), true)[0] as number;

/** Cached routes: they are the same for all PEs, and a virtual machine has thousands of PEs in one thread. */
const known = new Map<string, ConveyorRoute>();
const KNOWN_ROUTES = 16;

function cached(name: string, make: () => ConveyorRoute): ConveyorRoute {
  const route = known.get(name) ?? make();
  // only a few are kept: the tables have an entry for each PE
  if (known.size >= KNOWN_ROUTES) known.clear();
  known.set(name, route);
  return route;
}

const inOrder = (size: number): Int32Array => Int32Array.from({ length: size }, (_, rank) => rank);

function newRoute(size: number, groupSize: number, hops: Hops, given: Int32Array | undefined): ConveyorRoute {
  const useful = usefulHops(size, groupSize, hops);
  if (useful > 1 && size % groupSize !== 0) {
    throw new UsageError(
      `groupSize: expected a divisor of the number of PEs (${size}), got ${groupSize}. Leave it out, or use hops: 1.`,
    );
  }
  if (useful === 1) return direct(size);
  const order = given ?? inOrder(size);
  if (useful === 3) return threeHops(order, groupSize);
  const rowFirst = [
    { size: groupSize, stride: 1 },
    { size: size / groupSize, stride: groupSize },
  ];
  return { groupSize, ...inGroups, ...dimensionOrder(order, rowFirst, false) };
}

const inGroups = { mesh: null, fields: new Uint32Array(0) } as const;

/** One hop: a PE's link to another is its rank. */
const direct = (size: number): ConveyorRoute => ({
  groupSize: size,
  ...inGroups,
  ...dimensionOrder(inOrder(size), [{ size, stride: 1 }], false),
});

function newMesh(size: number, mesh: readonly number[], given: Int32Array | undefined): ConveyorRoute {
  const dims = dimensionsOf(mesh);
  if (dims.length === 1) return direct(size);
  const [{ stride: groupSize }] = dims as readonly [Dimension];
  const sizes = dims.map((dim) => dim.size).reverse();
  const route = dimensionOrder(given ?? inOrder(size), dims, true);
  // each PE has ways of its own
  const { length } = route.ranks;
  const fields = fieldsOf(dims);
  const table = new Uint32Array(length + fields.length);
  table.set(route.ranks);
  table.set(fields, length);
  return { groupSize, mesh: sizes, ...route, table, ranksAt: 0, fields: table.subarray(length) };
}

const BYTE = 255;

function threeHops(order: Int32Array, n: number): ConveyorRoute {
  const size = order.length;
  const planes = planesOf(size, n);
  if (n > BYTE + 1 || planes > 2 ** 16) {
    throw new UsageError(
      `groupSize: 3 hops take at most ${BYTE + 1} PEs in a group, got ${n} of ${size}. Use hops: 2.`,
    );
  }
  const plane = n * n;
  const bits = n <= 16 ? 4 : 8;
  const places = placesOf(order);
  return {
    size,
    hops: 3,
    groupSize: n,
    ...inGroups,
    dims: null,
    order,
    places,
    ...routeTable(
      places,
      order,
      (place) => Math.floor(place / n) % n,
      (place) => (Math.floor(place / plane) << 8) | (place % n),
    ),
    each: [
      {
        tagBytes: 4,
        remote: false,
        turn: { linkShift: 8, linkMask: -1, sourceShift: bits, keepShift: 0, keepMask: BYTE },
      },
      {
        tagBytes: bits === 4 ? 1 : 2,
        remote: true,
        turn: { linkShift: 0, linkMask: (1 << bits) - 1, sourceShift: 8, keepShift: bits, keepMask: BYTE },
      },
      { tagBytes: 4, remote: false, turn: null },
    ],
    plane,
    row: n,
    low: BYTE,
  };
}
