/**
 * Routes: how an item gets from any PE to any other in some hops, and how its destination determines its sender. Every
 * hop is along one dimension of a grid of PEs. An item has a tag with the coordinates that it still has to reach; every
 * hop replaces one by a coordinate that it came from.
 *
 * The path from one PE to another is the same for every item, so items stay in order. The routes are made in
 * dimension-order.ts and make-route.ts.
 */
import type { Hop } from "../../links/transport/contract.ts";

/** Largest number of hops of an item in groups. */
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
  /** Whether it is the hop that leaves the group; of a mesh the first one, along its greatest dimension. */
  readonly remote: boolean;
  /** The pivot to the next hop; null after the last hop. In a mesh that to the last hop alone is taken as it is. */
  readonly turn: Pivot | null;
}

/** A dimension of the grid of PEs. */
export interface Dimension {
  /** PEs along it. */
  readonly size: number;
  /** Positions from one of them to the next. */
  readonly stride: number;
}

/** Routes among `size` PEs. */
export interface ConveyorRoute {
  readonly size: number;
  readonly hops: number;
  /** PEs of a group; of a mesh those with the same greatest coordinate. */
  readonly groupSize: number;
  /** The sizes of a mesh of more than one dimension, the least dimension first; null for a grid of groups. */
  readonly mesh: readonly number[] | null;
  /** By hop: the dimension that it is along; null if that differs from PE to PE (three hops in groups). */
  readonly dims: readonly Dimension[] | null;
  /** By position in the grid: the rank. */
  readonly order: Int32Array;
  /** By rank: its position. */
  readonly places: Int32Array;
  /** By destination: the first link, and the first tag; in a mesh the tag has all coordinates (mesh-ways.ts). */
  readonly link: Uint32Array;
  readonly tag: Uint32Array;
  /**
   * The sender of an item received with `tag` over link `source` of the last hop, by
   * `(tag >>> 8) * plane + source * row + (tag & low)`. In grids of groups this is its position; else some numbers are
   * of nobody: -1.
   */
  readonly ranks: Int32Array;
  readonly plane: number;
  readonly row: number;
  readonly low: number;
  /** Of a mesh: the table of fields by bit (mesh-ways.ts); else empty. */
  readonly fields: Uint32Array;
  /** Links, tags and ranks, one after the other, for kernels; of a mesh ranks and fields; and where the ranks begin. */
  readonly table: Uint32Array;
  readonly ranksAt: number;
  readonly each: readonly RouteHop[];
}

/** The coordinate of a position along a dimension. */
export const coordinate = (place: number, { size, stride }: Dimension): number => Math.floor(place / stride) % size;

/** The rank at each position, and the position of each rank. */
export function placesOf(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (const [place, rank] of order.entries()) places[rank] = place;
  return places;
}

/** The part of a route that is by destination. @param linkOf by position, as tagOf */
export function routeTable(
  places: Int32Array,
  ranks: Int32Array,
  linkOf: (place: number) => number,
  tagOf: (place: number) => number,
): Pick<ConveyorRoute, "link" | "tag" | "ranks" | "table" | "ranksAt"> {
  const { length } = places;
  const table = new Uint32Array(2 * length + ranks.length);
  const [link, tag] = [table.subarray(0, length), table.subarray(length, 2 * length)];
  table.set(ranks, 2 * length);
  for (const [dest, place] of places.entries()) {
    link[dest] = linkOf(place);
    tag[dest] = tagOf(place);
  }
  return { link, tag, ranks, table, ranksAt: 2 * length };
}

/** Planes of n rows of n PEs, the last of them filled in part. */
export const planesOf = (size: number, n: number): number => 1 + Math.floor((size - 1) / (n * n));

/**
 * The PEs linked to a PE at each hop, by link, -1 if there is none; and its own link number at theirs. In a mesh a PE
 * has a link to itself at the last hop alone.
 */
export function friendsOf(route: ConveyorRoute, rank: number): Hop[] {
  const { size, groupSize: n, mesh, dims, order } = route;
  const place = route.places[rank];
  const friend = (count: number, at: (link: number) => number) =>
    Int32Array.from({ length: count }, (_, link) => (at(link) < size ? order[at(link)] : -1));
  if (dims !== null) {
    return dims.map((dim, hop): Hop => {
      const self = coordinate(place, dim);
      const friends = friend(dim.size, (link) => place + (link - self) * dim.stride);
      if (mesh === null || hop === dims.length - 1) return { friends, self };
      friends[self] = -1;
      return { friends, self, skipsSelf: true };
    });
  }
  const z = place % n;
  const y = Math.floor(place / n) % n;
  const group = { friends: friend(n, (link) => place - z + link), self: z };
  const across = friend(planesOf(size, n), (link) => link * n * n + n * z + y);
  return [group, { friends: across, self: Math.floor(place / (n * n)) }, group];
}

/** The sender of an item received with `tag` over link `source` of the last hop. */
export function originOf(route: ConveyorRoute, source: number, tag: number): number {
  return route.ranks[(tag >>> 8) * route.plane + source * route.row + (tag & route.low)];
}
