/** The choices of a conveyor: what is chosen when nothing is said, and what cannot be. */

import { UsageError } from "../../ground/base/errors.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import type { Buffers } from "../../links/transport/contract.ts";
import { shareBytes } from "../../links/transport/heap/layout.ts";
import { countersBytes } from "../../links/transport/heap/link-counters.ts";
import { CONTROL_BUFFERS } from "../disciplines/exchange-sites.ts";
import { type Codec, constantBits } from "./codec.ts";
import { byDomains, gridOf, type Levels } from "./grid.ts";
import { behindTable, tableBytes } from "./link-table.ts";
import { dimensionsOf, makeMesh, makeRoute } from "./make-route.ts";
import { WAY_BYTES } from "./mesh-ways.ts";
import { type ConveyorDiscipline, type ConveyorOptions, type ConveyorType, MAX_BUFFER_BYTES } from "./options.ts";
import { type ConveyorRoute, type Hops, planesOf } from "./route.ts";
import { checkSending, type Sending, sendingOf } from "./sending.ts";

/** Every choice made. */
export interface CompleteChoice {
  readonly type: ConveyorType;
  readonly route: ConveyorRoute;
  /** The PEs in the order of the domains. */
  readonly near: Int32Array;
  readonly bufferBytes: number;
  readonly buffersPerLink: 1 | 2 | 4;
  readonly discipline: ConveyorDiscipline;
  readonly sending: Sending;
  readonly adapt: boolean;
  readonly steady: boolean;
  readonly lossy: boolean;
  readonly codec: Codec | null;
  /** Buffers' worth of memory beside the links, of which {@link STAGING_BUFFERS} are staging. */
  readonly scratch: number;
  /** Bytes of the budget that the buffers leave. */
  readonly spareBytes: number;
  readonly observe: boolean;
  readonly timeout: number;
  readonly signal: AbortSignal | null;
}

/** Of buffers in shared memory. */
export const DEFAULT_BUFFER_BYTES = 16_384;
/** Without a budget: bytes of all buffers in one heap together, and of one PE, that smaller buffers try to keep to. */
const FAIR_BYTES = 128 * 2 ** 20;
const FAIR_BYTES_OF_ONE = 4 * 2 ** 20;
/** Bytes of a PE that a conveyor keeps to when nothing is said. @param heapPEs PEs that share a heap: of a node */
export const fairBytes = (heapPEs: number): number => Math.min(FAIR_BYTES_OF_ONE, FAIR_BYTES / heapPEs);
/** Room for tags beside an item that is as large as a buffer, and what buffers are a multiple of. */
export const TAG_ROOM = 128;

/** Bytes that one buffer takes in memory. */
export const storedBytes = (bufferBytes: number): number => roundUp(bufferBytes, TAG_ROOM) + TAG_ROOM;

/** The inputs of choices where PEs are on several nodes. */
export interface NodeLayout {
  /** Bytes of a buffer when nothing is said, if they keep to the budget. */
  readonly bufferBytes: number;
  /** Hops tried by default: the first where buffers of `leastBytes` keep to the budget is taken. */
  readonly usualHops: readonly Hops[];
  readonly leastBytes: number;
  /** Whether they are tried also for items that are larger, and for buffers of a given size. */
  readonly alsoLarge: boolean;
  /** PEs of each node. @default none: there is one node, or they differ */
  readonly nodeSize?: number | undefined;
  /** PEs whose buffers lie in one heap, at most. @default all */
  readonly heapPEs?: number;
  /** Of a budget, what plans may take: they estimate the memory. */
  readonly share: number;
  /** Bytes of the heap that a PE needs. */
  bytesOf(route: ConveyorRoute, scratch: number, buffers: Buffers): number;
}

/** Buffers that columns pass through when they are pushed (belts/column-pusher.ts), where these are small. */
export const STAGING_BUFFERS = 2;
/** Bytes of them that are enough, unless an item has more: columns pass through them part by part. */
const STAGING_BYTES = 65_536;

/** Bytes of them, a multiple of 128. @param itemBytes 0 for items of any length: long ones do not pass */
export const stagingBytes = (bufferBytes: number, itemBytes: number): number =>
  STAGING_BUFFERS * Math.min(storedBytes(bufferBytes), Math.max(STAGING_BYTES / 2, storedBytes(itemBytes)));

/** A PE's memory beside its links, in buffers: staging, pulled columns, the last pulled item; compression. */
export const scratchBuffers = (isCompressed: boolean): number => STAGING_BUFFERS + 2 + (isCompressed ? 2 : 0);

/** The inputs of the numbers of links. */
export type RouteShape = Pick<ConveyorRoute, "size" | "hops" | "groupSize"> & {
  readonly mesh?: ConveyorRoute["mesh"] | undefined;
};

/** Bytes of the heap that a PE needs when all PEs are on one node. */
export function bytesOfPE(route: RouteShape, scratch: number, buffers: Buffers): number {
  return shareBytes(linksOf(route), scratch, buffers, ownTableBytes(route));
}

/**
 * Bytes of a buffer of one hop on one node below which more hops take less time: sending and receiving a buffer then
 * costs its items more than another hop does. Source: the plans (src/plan) for many items on measured machines of 64 to
 * 256 CPUs.
 */
const LEAST_BYTES = 1024;

/** The layout of one node. Equally near PEs have no groups, so one hop. @param levels which are near each other */
export const oneNode = (levels: Levels): NodeLayout => ({
  bufferBytes: DEFAULT_BUFFER_BYTES,
  usualHops: levels.length > 0 ? [1, 2, 3] : [1],
  leastBytes: LEAST_BYTES,
  // it is few items in a buffer that make more hops worth while
  alsoLarge: false,
  share: 1,
  bytesOf: bytesOfPE,
});

/** The surroundings of a conveyor, where they matter. */
interface Circumstances {
  /** Which PEs are near each other. @default all equally */
  readonly levels?: Levels | undefined;
  /** Of the budget that buffers take, where there is a choice. @default 1 */
  readonly share?: number | undefined;
  /** @default that of one node */
  readonly nodeLayout?: NodeLayout | undefined;
  /** Of conveyors that share `maxBytes`. @default 1 */
  readonly count?: number;
  /** Bytes of `maxBytes` that other memory takes, less with a smaller `maxBytes`. @default none */
  readonly beside?: ((maxBytes: number) => number) | undefined;
}

/**
 * Makes all choices for items of `itemBytes` among `size` PEs.
 * @param options checked ones
 * @throws UsageError for options that cannot be with so many PEs, or items of this size
 */
export function choose(
  options: ConveyorOptions,
  size: number,
  itemBytes: number,
  circumstances: Circumstances = {},
): CompleteChoice {
  const { levels = [], share = 1, nodeLayout = oneNode(levels), count = 1, beside = () => 0 } = circumstances;
  const {
    type = "tensor",
    bufferBytes: asked,
    buffersPerLink = 2,
    discipline = "eager",
    adapt = false,
    steady = false,
    lossy = false,
    compress = false,
  } = options;
  checkSending(options, type);
  if (adapt && type !== "tensor") {
    throw new UsageError(
      `adapt: expected type "tensor", whose buffers are sent one by one, got ${JSON.stringify(type)}. Leave one of them out.`,
    );
  }
  const { maxBytes: total, observe = false, timeout = Number.POSITIVE_INFINITY, signal } = options;
  const maxBytes = total === undefined ? undefined : (total - beside(total)) / count;
  const fixed = type === "trivial" ? Math.max(itemBytes, asked ?? 0) : asked;
  if (type === "trivial" && itemBytes > MAX_BUFFER_BYTES) {
    throw new UsageError(
      `conveyor: expected items of at most ${MAX_BUFFER_BYTES} bytes with type "trivial", which has a buffer for each, ` +
        `got ${itemBytes}`,
    );
  }
  const perLink = type === "trivial" ? 1 : buffersPerLink;
  const usual = fixed ?? Math.max(nodeLayout.leastBytes, itemBytes);
  const isSmall = fixed === undefined && itemBytes <= nodeLayout.leastBytes;
  const codec = compress === true ? constantBits : compress || null;
  const scratch = scratchBuffers(codec !== null);
  const budget = maxBytes === undefined ? fairBytes(nodeLayout.heapPEs ?? size) : maxBytes * share;
  const memoryOf = (one: ConveyorRoute, bytes: number) =>
    nodeLayout.bytesOf(one, scratch, { bytes: storedBytes(bytes), perLink }) +
    (discipline === "eager" ? 0 : controlBytes(nodeLayout, one));
  const route = chooseRoute(
    options,
    size,
    levels,
    type === "tensor" && (isSmall || nodeLayout.alsoLarge) ? nodeLayout.usualHops : [1],
    (one) => memoryOf(one, usual) <= budget,
    nodeLayout.nodeSize,
  );
  const memory = (bytes: number) => memoryOf(route, bytes);
  let bufferBytes = fixed ?? Math.max(nodeLayout.bufferBytes, itemBytes);
  // the largest half, quarter, … that keeps to the budget
  while (fixed === undefined && memory(bufferBytes) > budget && bufferBytes / 2 >= Math.max(itemBytes, 64)) {
    bufferBytes = Math.floor(bufferBytes / 2);
  }
  if (maxBytes !== undefined && memory(bufferBytes) > maxBytes) {
    const ways = [
      type === "tensor" && route.hops < 3 && options.mesh === undefined ? "more hops" : [],
      perLink > 1 ? "buffersPerLink: 1" : [],
      fixed === undefined ? [] : "smaller buffers",
    ].flat();
    const links = count * memory(bufferBytes);
    let least = links;
    while (least - beside(least) < links) least = links + beside(least);
    throw new UsageError(
      `maxBytes: expected at least ${least} bytes for ${count > 1 ? `${count} conveyors with ` : ""}` +
        `${linksOf(route)} links with ${perLink} x ${bufferBytes} bytes each, got ${total}. ` +
        `Allow more${ways.length > 0 ? `, or try ${ways.join(", ")}` : ""}.`,
    );
  }
  return {
    type,
    route,
    near: byDomains(size, levels),
    bufferBytes,
    buffersPerLink: perLink,
    discipline,
    sending: sendingOf(options),
    adapt,
    steady,
    lossy,
    codec,
    scratch,
    spareBytes: (maxBytes ?? Number.POSITIVE_INFINITY) - memory(bufferBytes),
    observe,
    timeout,
    signal: signal ?? null,
  };
}

/** @param usual hops to try when nothing is said @param fits whether one of them will do */
function chooseRoute(
  { hops, groupSize, mesh }: ConveyorOptions,
  size: number,
  levels: Levels,
  usual: readonly Hops[],
  fits: (route: ConveyorRoute) => boolean,
  nodeSize: number | undefined,
): ConveyorRoute {
  if (mesh !== undefined) return makeMesh(size, mesh, byDomains(size, levels));
  if (groupSize !== undefined && size % groupSize !== 0) {
    throw new UsageError(`groupSize: expected a divisor of ${size}, the number of PEs, got ${groupSize}`);
  }
  const routeWith = (n: Hops): ConveyorRoute => {
    if (n === 1) return makeRoute(size, size, 1);
    const grid = gridOf(size, n, levels, groupSize, nodeSize);
    return makeRoute(size, grid.groupSize, n, grid.ranks);
  };
  if (hops !== undefined || usual.length === 1) return routeWith(hops ?? usual[0]);
  let route = routeWith(usual[0]);
  for (const n of usual.slice(1)) if (!fits(route)) route = routeWith(n);
  return route;
}

/** Bytes that the control messages of a discipline take, at most. */
const controlBytes = (layout: NodeLayout, route: ConveyorRoute): number =>
  lanesOfLink(route) * layout.bytesOf(route, 0, CONTROL_BUFFERS);

/** Most lanes for each link: with three hops in groups, links lead to others than they come from (lane-numbers.ts). */
export const lanesOfLink = ({ dims }: Pick<ConveyorRoute, "dims">): 1 | 2 => (dims === null ? 2 : 1);

/** Links of one PE at each hop; in a mesh without one to itself, but at the last hop. */
export function linksByHop({ size, hops, groupSize: n, mesh }: RouteShape): number[] {
  if (mesh !== undefined && mesh !== null) {
    const dims = dimensionsOf(mesh);
    return dims.map(({ size: along }, hop) => (hop === dims.length - 1 ? along : along - 1));
  }
  if (hops === 1) return [size];
  return hops === 2 ? [n, size / n] : [n, planesOf(size, n), n];
}

/** Links of one PE. */
export const linksOf = (route: RouteShape): number => linksByHop(route).reduce((sum, links) => sum + links, 0);

/** Bytes of a PE's link table; in a mesh of its ways (mesh-ways.ts): links to itself are numbered there. */
export function ownTableBytes(route: RouteShape): number {
  const { mesh, size, hops } = route;
  if (mesh === undefined || mesh === null) {
    return hops === 1 ? behindTable(size) + countersBytes(size) : tableBytes(linksOf(route));
  }
  return tableBytes(mesh.reduce((sum, one) => sum + one, 0)) + WAY_BYTES * size;
}
