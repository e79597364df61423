/**
 * Routes: how an item gets from any PE to any other in one, two or three hops, and how its destination determines its
 * sender.
 *
 * The PEs are arranged in a grid with `groupSize` = n PEs in a row (a row is a group of near PEs). An item has a tag
 * with the coordinates that it still has to reach; every hop replaces one by a coordinate that it came from.
 *
 *     1 hop    pe → pe'                                          no tag
 *     2 hops   (x, z) → (x, z') → (x', z')                       first within the row, then along the column
 *              tags: x', then z
 *     3 hops   (x, y, z) → (x, y, y') → (x', y', y) → (x', y', z')     row, between rows, row
 *              tags: x' and z', then z and z', then x and z
 *
 * The path from one PE to another is the same for every item, so items stay in order.
 *
 * Limits: n divides the number of PEs; 3 hops: n <= 256 and fewer than 2^16 planes of n rows. Source:
 * papers/conveyors.txt, section 4.3.1; the tag of the second of two hops is as wide as n needs (bale's is as wide as
 * the number of rows needs, which is too little for n > 256).
 *
 * Example, 2 hops, P = 6, n = 3: from 0 = (0, 0) to 5 = (1, 2): first to 2 = (0, 2) with tag 1, then to 5 with tag 0.
 * At 5 the link shows row 0 and the tag shows column 0, so the sender is 0 * 3 + 0 = 0.
 */
import { UsageError } from "../../base/errors.ts";

/** Largest number of hops of an item. */
export type Hops = 1 | 2 | 3;

/** How tags are read and written when a buffer of one hop is forwarded to the next (pivot, as in bale). */
export interface Pivot {
  /** The next link is `(tag >>> linkShift) & linkMask`. */
  readonly linkShift: number;
  readonly linkMask: number;
  /** The next tag is `(source link << sourceShift) | ((tag >>> keepShift) & keepMask)`. */
  readonly sourceShift: number;
  readonly keepShift: number;
  readonly keepMask: number;
}

/** One hop, the same for all PEs. */
export interface RouteHop {
  /** Bytes of a tag: 0, 1, 2 or 4. */
  readonly tagBytes: 0 | 1 | 2 | 4;
  /** Whether the hop leaves the group. */
  readonly remote: boolean;
  /** The pivot to the next hop; null after the last hop. */
  readonly turn: Pivot | null;
}

/** Routes among `size` PEs. */
export interface Route {
  readonly size: number;
  readonly hops: Hops;
  readonly groupSize: number;
  /** By position in the grid: the rank. */
  readonly ranks: Int32Array;
  /** By rank: its position. */
  readonly places: Int32Array;
  /** By destination: the first link, and the first tag. */
  readonly link: Uint32Array;
  readonly tag: Uint32Array;
  /** Both and the ranks, one after the other, for kernels; and where the ranks begin in it. */
  readonly table: Uint32Array;
  readonly ranksAt: number;
  readonly each: readonly RouteHop[];
  /**
   * Coefficients of the sender of an item received with `tag` over link `source` of the last hop:
   * `(tag >>> 8) * plane + source * row + (tag & low)`.
   */
  readonly plane: number;
  readonly row: number;
  readonly low: number;
}

/** The smallest number of hops with the same effect: a grid with one column or one row is a line. */
function usefulHops(size: number, groupSize: number, hops: Hops): Hops {
  if (groupSize === 1 || size <= groupSize) return 1;
  return hops === 3 && size <= groupSize * groupSize ? 2 : hops;
}

/**
 * @param groupSize PEs in a row
 * @param hops largest number of hops; fewer if that makes no difference ({@link usefulHops})
 * @param ranks by position in the grid. @default in order
 * @throws UsageError if groupSize does not divide size, or the grid is too large
 */
export function makeRoute(size: number, groupSize: number, hops: Hops, ranks?: Int32Array): Route {
  const name = `${size}/${groupSize}/${hops}/${ranks ?? ""}`;
  const route = known.get(name) ?? newRoute(size, groupSize, hops, ranks);
  // only a few are kept: the tables have an entry for each PE
  if (known.size >= KNOWN_ROUTES) known.clear();
  known.set(name, route);
  return route;
}

/** Cached routes: they are the same for all PEs, and a virtual machine has thousands of PEs in one thread. */
const known = new Map<string, Route>();
const KNOWN_ROUTES = 16;

function newRoute(size: number, groupSize: number, hops: Hops, given: Int32Array | undefined): Route {
  const useful = usefulHops(size, groupSize, hops);
  if (useful > 1 && size % groupSize !== 0) {
    throw new UsageError(
      `groupSize: expected a divisor of the number of PEs (${size}), got ${groupSize}. Leave it out, or use hops: 1.`,
    );
  }
  const ranks =
    useful > 1 && given !== undefined ? given : Int32Array.from({ length: size }, (_, rank) => rank);
  const places = new Int32Array(size);
  for (const [place, rank] of ranks.entries()) places[rank] = place;
  if (useful === 1) return oneHop(ranks, places);
  return useful === 2 ? twoHops(ranks, places, groupSize) : threeHops(ranks, places, groupSize);
}

function oneHop(ranks: Int32Array, places: Int32Array): Route {
  return {
    size: ranks.length,
    hops: 1,
    groupSize: ranks.length,
    ranks,
    places,
    ...routeTable(
      ranks,
      places,
      (place) => place,
      () => 0,
    ),
    each: [{ tagBytes: 0, remote: false, turn: null }],
    plane: 0,
    row: 1,
    low: 0,
  };
}

function twoHops(ranks: Int32Array, places: Int32Array, n: number): Route {
  const size = ranks.length;
  return {
    size,
    hops: 2,
    groupSize: n,
    ranks,
    places,
    ...routeTable(
      ranks,
      places,
      (place) => place % n,
      (place) => Math.floor(place / n),
    ),
    each: [
      {
        tagBytes: tagBytesFor(size / n),
        remote: false,
        turn: { linkShift: 0, linkMask: -1, sourceShift: 0, keepShift: 0, keepMask: 0 },
      },
      { tagBytes: tagBytesFor(n), remote: true, turn: null },
    ],
    plane: 0,
    row: n,
    low: -1,
  };
}

const BYTE = 255;

function threeHops(ranks: Int32Array, places: Int32Array, n: number): Route {
  const size = ranks.length;
  const planes = planesOf(size, n);
  if (n > BYTE + 1 || planes > 2 ** 16) {
    throw new UsageError(
      `groupSize: 3 hops take at most ${BYTE + 1} PEs in a group, got ${n} of ${size}. Use hops: 2.`,
    );
  }
  const plane = n * n;
  const bits = n <= 16 ? 4 : 8;
  return {
    size,
    hops: 3,
    groupSize: n,
    ranks,
    places,
    ...routeTable(
      ranks,
      places,
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

/** Words of the table of routes for each PE. */
export const ROUTE_WORDS = 3;

function routeTable(
  ranks: Int32Array,
  places: Int32Array,
  linkOf: (place: number) => number,
  tagOf: (place: number) => number,
): Pick<Route, "link" | "tag" | "table" | "ranksAt"> {
  const { length } = places;
  const table = new Uint32Array(ROUTE_WORDS * length);
  const [link, tag] = [table.subarray(0, length), table.subarray(length, 2 * length)];
  table.set(ranks, 2 * length);
  for (const [dest, place] of places.entries()) {
    link[dest] = linkOf(place);
    tag[dest] = tagOf(place);
  }
  return { link, tag, table, ranksAt: 2 * length };
}

const tagBytesFor = (values: number): 1 | 2 | 4 => (values <= 2 ** 8 ? 1 : values <= 2 ** 16 ? 2 : 4);

const planesOf = (size: number, n: number): number => 1 + Math.floor((size - 1) / (n * n));

/** The PEs linked to a PE at each hop, by link, -1 if there is none; and its own link number at theirs. */
export function friendsOf(
  route: Route,
  rank: number,
): { readonly friends: Int32Array; readonly self: number }[] {
  const { size, hops, groupSize: n, ranks } = route;
  const place = route.places[rank];
  const z = place % n;
  const friend = (count: number, at: (link: number) => number) =>
    Int32Array.from({ length: count }, (_, link) => (at(link) < size ? ranks[at(link)] : -1));
  if (hops === 1) return [{ friends: friend(size, (link) => link), self: place }];
  const group = { friends: friend(n, (link) => place - z + link), self: z };
  if (hops === 2) {
    return [group, { friends: friend(size / n, (link) => link * n + z), self: Math.floor(place / n) }];
  }
  const y = Math.floor(place / n) % n;
  const across = friend(planesOf(size, n), (link) => link * n * n + n * z + y);
  return [group, { friends: across, self: Math.floor(place / (n * n)) }, group];
}

/** The sender of an item received with `tag` over link `source` of the last hop. */
export function originOf(route: Route, source: number, tag: number): number {
  return route.ranks[(tag >>> 8) * route.plane + source * route.row + (tag & route.low)];
}
